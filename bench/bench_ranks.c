/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of one training step: alone, by one process of a team, and by all of them.
 *
 *     mpirun -n 2 bench_ranks [BATCH CLASSES INDUCING ATTRIBUTES [TURNS]]
 *
 * The mnist shape unless given. All with one thread a process, in turns in one run, so that what
 * else the machine does slows all of them down. On a machine with other work the processor time of
 * one process's share, without the wire, says more: its collectives make up what others would send.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/launch.h"
#include "cli/terminal/team.h"

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

static int pretend_gather(void *array, const size_t *offset, void *context) {
    (void)context;
    char *bytes = array;
    size_t own = offset[1];
    for (size_t at = own; at < offset[team_size()]; at += own)
        memcpy(bytes + at, bytes, at + own < offset[team_size()] ? own : offset[team_size()] - at);
    return 0;
}

static void stop_on(nim_status status, const nim_error *error) {
    if (status == NIM_OK)
        return;
    fprintf(stderr, "bench_ranks: %s\n", error->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void set_number(nim_options *options, const char *name, size_t number) {
    char text[32];
    nim_error error;
    snprintf(text, sizeof text, "%zu", number);
    stop_on(nim_options_set(options, name, text, &error), &error);
}

/* Random rows with random labels: what the numbers are does not matter to the time. */
static nim_data random_data(size_t rows, size_t classes, size_t attributes) {
    double *x = malloc(rows * attributes * sizeof *x);
    int32_t *labels = malloc(rows * sizeof *labels);
    uint32_t state = 1;
    for (size_t i = 0; i < rows * attributes; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (double)state / 4294967296.0 - 0.5;
    }
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)(i % classes);
    return NIM_DATA(.rows = rows, .attributes = attributes, .x = x, .labels = labels);
}

static nim_trainer *make_trainer(const nim_options *options, const nim_data *data,
                                 const nim_collectives *all, nim_model **model) {
    nim_trainer *trainer;
    nim_error error;
    stop_on(nim_model_create(options, data, model, &error), &error);
    stop_on(nim_model_set_collectives(*model, all, &error), &error);
    stop_on(nim_trainer_create(*model, data, &trainer, &error), &error);
    return trainer;
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

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
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
    nim_error error;
    set_number(options, "batch", shape[0]);
    set_number(options, "inducing", shape[2]);
    set_number(options, "threads", 1);
    stop_on(nim_options_set(options, "input", "exact", &error), &error);
    nim_data data = random_data(shape[0] * 5, shape[1], shape[3]);
    const nim_collectives share =
        NIM_COLLECTIVES(.processes = all->processes, .sum = pretend_reduce,
                        .largest = pretend_reduce, .gather = pretend_gather);
    const nim_collectives *const who[KINDS] = {NULL, &one, &share, all};
    static const char *const name[KINDS] = {"alone", "one process", "its share", "all processes"};
    nim_model *model[KINDS];
    nim_trainer *trainer[KINDS];
    static double wall[KINDS][MOST_STEPS], processor[KINDS][MOST_STEPS];
    size_t steps = 0;
    for (size_t k = 0; k < KINDS; k++)
        trainer[k] = make_trainer(options, &data, who[k], &model[k]);
    for (size_t turn = 0; turn < shape[4] && steps + STEPS_A_TURN <= MOST_STEPS; turn++) {
        for (size_t k = 0; k < KINDS; k++) {
            meet();
            for (size_t step = steps; step < steps + STEPS_A_TURN && (all->rank == 0 || k == ALL);
                 step++) {
                double start = MPI_Wtime(), used = processor_seconds();
                stop_on(nim_trainer_step(trainer[k], NULL, &error), &error);
                wall[k][step] = MPI_Wtime() - start;
                processor[k][step] = processor_seconds() - used;
            }
        }
        steps += STEPS_A_TURN;
    }
    for (size_t k = 0; k < KINDS; k++) {
        qsort(wall[k], steps, sizeof(double), by_size);
        qsort(processor[k], steps, sizeof(double), by_size);
        if (all->rank == 0)
            printf("%-14s median %8.3f ms, of processor time %8.3f ms\n", name[k],
                   1e3 * wall[k][steps / 2], 1e3 * processor[k][steps / 2]);
        nim_trainer_free(trainer[k]);
        nim_model_free(model[k]);
    }
    if (all->rank == 0)
        printf("%zu processes take %.2f of one; a share takes %.2f of its processor time\n",
               all->processes, wall[ALL][steps / 2] / wall[ONE][steps / 2],
               processor[SHARE][steps / 2] / processor[ONE][steps / 2]);
    nim_options_free(options);
    free((void *)(uintptr_t)data.x);
    free((void *)(uintptr_t)data.labels);
    return land(0);
}
