/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements for the formulas of docs/scaling.md: processor time and memory of a step with one
 * process and one thread, for different numbers of rows, inducing inputs, attributes and classes.
 *
 *     bench_scaling [MOST_ROWS]    points with more rows are left out; 10^7 unless given
 *
 * Input model exact, batches of 200. Median of the steps of at least a second, five at least.
 */
#define _POSIX_C_SOURCE 200809L
#include "step_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 200, LEAST_STEPS = 5, MOST_STEPS = 200 };
#define MEGA (1024.0 * 1024.0)

struct point {
    size_t rows, inducing, attributes, classes;
};

static const struct point points[] = {
    {10000, 100, 6, 3},    {100000, 100, 6, 3},  {1000000, 100, 6, 3}, {10000000, 100, 6, 3},
    {100000, 20, 6, 3},    {100000, 50, 6, 3},   {100000, 200, 6, 3},  {100000, 500, 6, 3},
    {100000, 1000, 6, 3},  {100000, 100, 2, 3},  {100000, 100, 20, 3}, {100000, 100, 100, 3},
    {20000, 100, 1000, 3}, {100000, 100, 6, 2},  {100000, 100, 6, 10}, {100000, 100, 6, 30},
    {100000, 100, 6, 100}, {20000, 100, 784, 10}};

/* "points" and "functions". */
static double formula_flops(const struct point *p) {
    double r = BATCH, c = (double)p->classes, m = (double)p->inducing, d = (double)p->attributes;
    return r * c * (4 * m * d + 8 * m * m) + c * (3 * m * m * d + 10.0 / 3.0 * m * m * m);
}

/* "a model", "tiles" and "functions", for one term of the kernel; "order of the rows". */
static double formula_bytes(const struct point *p) {
    double r = BATCH, c = (double)p->classes, m = (double)p->inducing, d = (double)p->attributes;
    double step = r * c * 6 * m + c * (m * d + 3 * m * m) + 7 * c * m * m;
    double rows = (double)p->rows, order = fmin(8 * rows, 16 * MEGA + rows / 128);
    return 24 * c * (m * d + m * m / 2) + 8 * step + order;
}

/* Of this process, but for files. */
static double resident_bytes(void) {
    char line[256];
    double kilo = 0.0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "RssAnon:", 8) == 0)
            kilo = strtod(line + 8, NULL);
    if (file)
        fclose(file);
    return 1024.0 * kilo;
}

static void measure(const struct point *p) {
    static double seconds[MOST_STEPS];
    nim_options *options = nim_options_create();
    set_number(options, "batch", BATCH);
    set_number(options, "inducing", p->inducing);
    set_number(options, "threads", 1);
    set_text(options, "input", "exact");
    set_text(options, "kernel", "se");
    nim_data data = random_data(p->rows, p->classes, p->attributes);
    nim_model *model;
    double before = resident_bytes(), total = 0.0;
    nim_trainer *trainer = make_trainer(options, &data, NULL, &model);
    size_t steps = 0;
    while (steps < MOST_STEPS && (steps < LEAST_STEPS || total < 1.0))
        total += seconds[steps++] = step_seconds(trainer);
    double bytes = resident_bytes() - before, median = median_of(seconds, steps);
    printf("| %zu | %zu | %zu | %zu | %.1f | %.3f | %.1f | %.1f | %.1f |\n", p->rows, p->inducing,
           p->attributes, p->classes, 1e-6 * formula_flops(p), 1e3 * median,
           1e-9 * formula_flops(p) / median, formula_bytes(p) / MEGA, bytes / MEGA);
    fflush(stdout);
    nim_trainer_free(trainer);
    nim_model_free(model);
    nim_options_free(options);
    random_data_free(&data);
}

/* In a process of its own, so that no memory is left from the point before. */
static void measure_apart(const struct point *p) {
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        measure(p);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        bench_stop("a point could not be measured");
}

int main(int count, char **words) {
    size_t most = count > 1 ? strtoul(words[1], NULL, 10) : 10000000;
    printf("| N | M | d | C | Mflop by the formula | ms | Gflop/s | MB by the formula | MB |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (points[i].rows <= most)
            measure_apart(&points[i]);
    return 0;
}
