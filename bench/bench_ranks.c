/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of one training step: alone, by one process of a team, and by all of them.
 *
 *     mpirun -n 2 bench_ranks [BATCH CLASSES INDUCING ATTRIBUTES [TURNS]]
 *
 * The mnist shape unless given. All with one thread a process, in turns in one run, so that what
 * else the machine does slows all of them down; the fastest tenth of the steps counts.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/launch.h"
#include "cli/terminal/team.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_STEPS = 100000, STEPS_A_TURN = 10, KINDS = 3 };

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
    return (nim_data){.rows = rows, .attributes = attributes, .x = x, .labels = labels};
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

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    launch(&count, &words);
    const nim_collectives *all = team_collectives();
    const nim_collectives one = {0, 1, all->sum, all->largest, all->gather, all->context};
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
    const nim_collectives *const who[KINDS] = {NULL, &one, all};
    static const char *const name[KINDS] = {"alone", "one process", "all processes"};
    nim_model *model[KINDS];
    nim_trainer *trainer[KINDS];
    static double seconds[KINDS][MOST_STEPS];
    size_t steps = 0;
    for (size_t k = 0; k < KINDS; k++)
        trainer[k] = make_trainer(options, &data, who[k], &model[k]);
    for (size_t turn = 0; turn < shape[4] && steps + STEPS_A_TURN <= MOST_STEPS; turn++) {
        for (size_t k = 0; k < KINDS; k++) {
            meet();
            for (size_t step = 0; step < STEPS_A_TURN && (all->rank == 0 || k == 2); step++) {
                double start = MPI_Wtime();
                stop_on(nim_trainer_step(trainer[k], NULL, &error), &error);
                seconds[k][steps + step] = MPI_Wtime() - start;
            }
        }
        steps += STEPS_A_TURN;
    }
    for (size_t k = 0; k < KINDS; k++) {
        qsort(seconds[k], steps, sizeof(double), by_size);
        if (all->rank == 0)
            printf("%-14s median %8.3f ms, fastest tenth %8.3f ms\n", name[k],
                   1e3 * seconds[k][steps / 2], 1e3 * seconds[k][steps / 10]);
        nim_trainer_free(trainer[k]);
        nim_model_free(model[k]);
    }
    if (all->rank == 0)
        printf("%zu processes take %.2f of one (median), %.2f (fastest tenth)\n", all->size,
               seconds[2][steps / 2] / seconds[1][steps / 2],
               seconds[2][steps / 10] / seconds[1][steps / 10]);
    nim_options_free(options);
    free((void *)(uintptr_t)data.x);
    free((void *)(uintptr_t)data.labels);
    return land(0);
}
