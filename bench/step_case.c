/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "step_case.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Noreturn void bench_stop(const char *message) {
    fprintf(stderr, "bench: %s\n", message);
    exit(1);
}

void bench_check(nim_status status, const nim_error *error) {
    if (status != NIM_OK)
        bench_stop(error->message);
}

void set_text(nim_options *options, const char *name, const char *value) {
    nim_error error;
    bench_check(nim_options_set(options, name, value, &error), &error);
}

void set_number(nim_options *options, const char *name, size_t number) {
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    set_text(options, name, text);
}

nim_data random_data(size_t rows, size_t classes, size_t attributes) {
    double *x = malloc(rows * attributes * sizeof *x);
    int32_t *labels = malloc(rows * sizeof *labels);
    uint32_t state = 1;
    if (!x || !labels)
        bench_stop("out of memory");
    for (size_t i = 0; i < rows * attributes; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (double)state / 4294967296.0 - 0.5;
    }
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)(i % classes);
    return NIM_DATA(.rows = rows, .attributes = attributes, .x = x, .labels = labels);
}

void random_data_free(nim_data *data) {
    free((void *)(uintptr_t)data->x);
    free((void *)(uintptr_t)data->labels);
}

nim_trainer *make_trainer(const nim_options *options, const nim_data *data,
                          const nim_collectives *all, nim_model **model) {
    nim_trainer *trainer;
    nim_error error;
    bench_check(nim_model_create(options, data, model, &error), &error);
    bench_check(nim_model_set_collectives(*model, all, &error), &error);
    bench_check(nim_trainer_create(*model, data, &trainer, &error), &error);
    return trainer;
}

double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double step_seconds(nim_trainer *trainer) {
    nim_error error;
    double start = processor_seconds();
    bench_check(nim_trainer_step(trainer, NULL, &error), &error);
    return processor_seconds() - start;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}
