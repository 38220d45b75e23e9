/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of one training step: alone, by one process of a team, and by all of them.
 *
 *     mpirun -n 2 bench_ranks [BATCH CLASSES INDUCING ATTRIBUTES [TURNS]]
 *
 * The default is the mnist shape. Each process has one thread. The cases alternate within one run,
 * so that other work on the machine affects all of them. On a busy machine, the processor time of
 * one process without communication is more informative: its collectives simulate the other
 * processes.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/launch.h"
#include "cli/terminal/team.h"
#include "step_case.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 10000, STEPS_A_TURN = 10 };
enum kind { ALONE, ONE, SHARE, ALL, KINDS };

/* As if the others had sent what this process has. Good for time alone. */
static int pretend_reduce(int64_t *values, size_t count, void *context) {
    (void)values, (void)count, (void)context;
    return 0;
}

static int pretend_parts(int64_t *values, const size_t *offset, void *context) {
    (void)values, (void)offset, (void)context;
    return 0;
}

static int pretend_gather(void *array, const size_t *offset, void *context) {
    (void)context;
    char *bytes = array;
    size_t own = offset[1];
    for (size_t at = own; at < offset[team_size()]; at += own)
        memcpy(bytes + at, bytes, at + own < offset[team_size()] ? own : offset[team_size()] - at);
    return 0;
}

/* Waits for the others without taking a processor. */
static void meet(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int main(int count, char **words) {
    launch(&count, &words);
    const nim_collectives *all = team_collectives();
    const nim_collectives one =
        NIM_COLLECTIVES(.processes = 1, .sum = all->sum, .largest = all->largest,
                        .gather = all->gather, .context = all->context);
    size_t shape[5] = {200, 10, 100, 784, 20}; /* batch, classes, inducing, attributes, turns */
    for (int i = 1; i < count && i <= 5; i++)
        shape[i - 1] = strtoul(words[i], NULL, 10);
    nim_options *options = nim_options_create();
    set_number(options, "batch", shape[0]);
    set_number(options, "inducing", shape[2]);
    set_number(options, "threads", 1);
    set_text(options, "input", "exact");
    if (all->processes > shape[1]) { /* pretend_gather needs a function in the first process */
        fprintf(stderr, "bench_ranks: expected at most as many processes as classes\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    nim_data data = random_data(shape[0] * 5, shape[1], shape[3]);
    const nim_collectives share =
        NIM_COLLECTIVES(.processes = all->processes, .sum = pretend_reduce,
                        .largest = pretend_reduce, .gather = pretend_gather,
                        .sum_parts = pretend_parts);
    const nim_collectives *const who[KINDS] = {NULL, &one, &share, all};
    static const char *const name[KINDS] = {"alone", "one process", "its share", "all processes"};
    nim_model *model[KINDS];
    nim_trainer *trainer[KINDS];
    static double wall[KINDS][MOST_STEPS], processor[KINDS][MOST_STEPS];
    double median[KINDS], used[KINDS];
    size_t steps = 0;
    for (size_t k = 0; k < KINDS; k++)
        trainer[k] = make_trainer(options, &data, who[k], &model[k]);
    for (size_t turn = 0; turn < shape[4] && steps + STEPS_A_TURN <= MOST_STEPS; turn++) {
        for (size_t k = 0; k < KINDS; k++) {
            meet();
            for (size_t step = steps; step < steps + STEPS_A_TURN && (all->rank == 0 || k == ALL);
                 step++) {
                double start = MPI_Wtime();
                processor[k][step] = step_seconds(trainer[k]);
                wall[k][step] = MPI_Wtime() - start;
            }
        }
        steps += STEPS_A_TURN;
    }
    for (size_t k = 0; k < KINDS; k++) {
        median[k] = median_of(wall[k], steps);
        used[k] = median_of(processor[k], steps);
        if (all->rank == 0)
            printf("%-14s median %8.3f ms, of processor time %8.3f ms\n", name[k], 1e3 * median[k],
                   1e3 * used[k]);
        nim_trainer_free(trainer[k]);
        nim_model_free(model[k]);
    }
    if (all->rank == 0)
        printf("%zu processes take %.2f of one; a share takes %.2f of its processor time\n",
               all->processes, median[ALL] / median[ONE], used[SHARE] / used[ONE]);
    nim_options_free(options);
    random_data_free(&data);
    return land(0);
}
