/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of a training step on the rows of a row file: mapped, and copied to memory.
 *
 *     bench_rows FILE [BATCH INDUCING TURNS INPUT]
 *
 * The file is one of bench_rows.py: d columns of values, d of errors, the class. Processor time of
 * one thread. The two cases alternate in one process, so that other work on the machine affects
 * both.
 */
#include "mapped_case.h"
#include "step_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_TURN = 10, MOST_STEPS = 10000, KINDS = 2 };

static nim_data copied_data(const nim_data *data) {
    size_t d = data->attributes;
    double *x = malloc(data->rows * d * sizeof *x), *sigma = malloc(data->rows * d * sizeof *sigma);
    if (!x || !sigma)
        bench_stop("out of memory");
    for (size_t i = 0; i < data->rows; i++) {
        memcpy(x + i * d, data->x + i * data->x_stride, d * sizeof *x);
        memcpy(sigma + i * d, data->sigma + i * data->sigma_stride, d * sizeof *sigma);
    }
    return NIM_DATA(.rows = data->rows, .attributes = d, .x = x, .sigma = sigma,
                    .sigma_rows = data->rows, .labels = data->labels);
}

int main(int count, char **words) {
    if (count < 2)
        bench_stop("usage: bench_rows FILE [BATCH INDUCING TURNS INPUT]");
    const char *batch = count > 2 ? words[2] : "2000", *inducing = count > 3 ? words[3] : "50";
    size_t turns = count > 4 ? strtoul(words[4], NULL, 10) : 20, steps = 0;
    struct table *table = mapped_table(words[1]);
    nim_options *options = nim_options_create();
    set_text(options, "batch", batch);
    set_text(options, "inducing", inducing);
    set_number(options, "threads", 1);
    set_text(options, "population", "flat");
    set_text(options, "input", count > 5 ? words[5] : "auto");
    nim_data data[KINDS] = {mapped_data(table)};
    data[1] = copied_data(&data[0]);
    static const char *const name[KINDS] = {"where they lie", "in memory"};
    static double seconds[KINDS][MOST_STEPS];
    double median[KINDS];
    nim_model *model[KINDS];
    nim_trainer *trainer[KINDS];
    for (size_t k = 0; k < KINDS; k++)
        trainer[k] = make_trainer(options, &data[k], NULL, &model[k]);
    for (size_t turn = 0; turn < turns && steps + STEPS_A_TURN <= MOST_STEPS; turn++) {
        for (size_t k = 0; k < KINDS; k++)
            for (size_t step = steps; step < steps + STEPS_A_TURN; step++)
                seconds[k][step] = step_seconds(trainer[k]);
        steps += STEPS_A_TURN;
    }
    for (size_t k = 0; k < KINDS; k++) {
        median[k] = median_of(seconds[k], steps);
        printf("%-14s median %8.3f ms of processor time, %zu rows\n", name[k], 1e3 * median[k],
               data[k].rows);
    }
    printf("where they lie / in memory %.3f\n", median[0] / median[1]);
    for (size_t k = 0; k < KINDS; k++) {
        nim_trainer_free(trainer[k]);
        nim_model_free(model[k]);
    }
    nim_options_free(options);
    free((void *)(uintptr_t)data[1].x);
    free((void *)(uintptr_t)data[1].sigma);
    free((void *)(uintptr_t)data[0].labels);
    table_close(table);
    return 0;
}
