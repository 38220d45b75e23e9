/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of one training step, gradient and update included, against the time the machine
 * would need for the step's floating-point operations at its own peak, measured in the same run.
 *
 *     bench_step [--threads T] [--shape NAME] [--kernel NAME] [--input NAME] [--json FILE]
 */
#include "base/random.h"
#include "model/model.h"
#include "peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const char *name;
    size_t batch, classes, inducing, attributes;
    const char *layers, *units;
};

static const struct shape shapes[] = {
    {"mnist", 200, 10, 100, 784, "2", "250"},
    {"synthetic", 200, 3, 100, 2, "2", "50"},
    {"glass", 50, 6, 10, 9, "1", "50"},
};

struct filter {
    const char *threads, *shape, *kernel, *input, *json;
};

/*
 * Operations of a step as usually arranged, the yardstick of floor/time: distances and their
 * gradient by Z (4 B C M d), those among inducing inputs (3 C M^2 d), and 8 M^2 B + 10/3 M^3 per
 * class for the conditional and its adjoint; where inputs move, the gradient by X (2 B C M d).
 */
static double floor_flops(const struct shape *s, const struct input_model *input) {
    double b = (double)s->batch, c = (double)s->classes, m = (double)s->inducing;
    double d = (double)s->attributes;
    double flops =
        4 * b * c * m * d + 3 * c * m * m * d + c * (8 * m * m * b + 10.0 / 3 * m * m * m);
    return input->moves ? flops + 2 * b * c * m * d : flops;
}

static void check(nim_status status, const nim_error *error) {
    if (status != NIM_OK) {
        fprintf(stderr, "bench_step: %s\n", error->message);
        exit(1);
    }
}

static void set(nim_options *options, const char *name, const char *value) {
    nim_error error;
    check(nim_options_set(options, name, value, &error), &error);
}

static void set_number(nim_options *options, const char *name, size_t value) {
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    set(options, name, text);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Random rows with random labels: what the numbers are does not matter to the time. */
static nim_data random_data(const struct shape *shape) {
    size_t rows = shape->batch * 5, cells = rows * shape->attributes;
    double *x = malloc(cells * sizeof *x), *sigma = malloc(cells * sizeof *sigma);
    int32_t *labels = malloc(rows * sizeof *labels);
    random_normal((struct random_key){1, 0}, 0, 0, cells, x);
    random_uniform((struct random_key){1, 1}, 0, 0, cells, sigma);
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)(i % shape->classes);
    return (nim_data){.rows = rows,
                      .attributes = shape->attributes,
                      .x = x,
                      .sigma = sigma,
                      .sigma_rows = rows,
                      .labels = labels};
}

static double step_milliseconds(const struct shape *shape, const char *kernel, const char *input,
                                size_t threads) {
    enum { MOST = 4000 };
    nim_options *options = nim_options_create();
    set(options, "kernel", kernel);
    set(options, "input", input);
    set(options, "degree", "9");
    set(options, "rate", "0.001");
    set(options, "layers", shape->layers);
    set(options, "units", shape->units);
    set_number(options, "inducing", shape->inducing);
    set_number(options, "batch", shape->batch);
    set_number(options, "threads", threads);
    nim_data data = random_data(shape);
    nim_model *model;
    nim_trainer *trainer;
    nim_error error;
    check(nim_model_create(options, &data, &model, &error), &error);
    check(nim_trainer_create(model, &data, &trainer, &error), &error);
    double *ms = malloc(MOST * sizeof *ms), spent = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < 5; i++)
        check(nim_trainer_step(trainer, NULL, &error), &error);
    while (count < MOST && (spent < 1.2 || count < 30)) {
        double start = now();
        check(nim_trainer_step(trainer, NULL, &error), &error);
        ms[count] = 1e3 * (now() - start);
        spent += 1e-3 * ms[count++];
    }
    qsort(ms, count, sizeof *ms, by_size);
    double median = ms[count / 2];
    free(ms);
    nim_trainer_free(trainer);
    nim_model_free(model);
    nim_options_free(options);
    free((void *)(uintptr_t)data.x);
    free((void *)(uintptr_t)data.sigma);
    free((void *)(uintptr_t)data.labels);
    return median;
}

static bool wanted(const char *filter, const char *name) {
    return !filter || strcmp(filter, name) == 0;
}

static void run(const struct filter *filter, size_t threads, double peak, FILE *table, FILE *json,
                bool *first) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; kernel_list[k]; k++)
            for (size_t i = 0; input_list[i]; i++) {
                const struct shape *shape = &shapes[s];
                const char *kernel = kernel_list[k]->name, *input = input_list[i]->name;
                bool shown = strcmp(kernel, "se") == 0 || (strcmp(kernel, "polynomial") == 0 &&
                                                           strcmp(shape->name, "mnist") == 0);
                if (!wanted(filter->shape, shape->name) || !wanted(filter->input, input) ||
                    !(filter->kernel ? wanted(filter->kernel, kernel) : shown))
                    continue;
                double ms = step_milliseconds(shape, kernel, input, threads);
                double ratio = floor_flops(shape, input_list[i]) / (1e6 * peak) / ms;
                fprintf(table, "| %-9s | %-10s | %-11s | %7zu | %8.3f | %10.3f |\n", shape->name,
                        kernel, input, threads, ms, ratio);
                fflush(table);
                if (json)
                    fprintf(json,
                            "%s\n    {\"shape\": \"%s\", \"kernel\": \"%s\", \"input\": \"%s\", "
                            "\"threads\": %zu, \"ms\": %.5f, \"floor_ratio\": %.4f}",
                            *first ? "" : ",", shape->name, kernel, input, threads, ms, ratio);
                *first = false;
            }
}

static struct filter read_arguments(int count, char **argument) {
    struct filter filter = {0};
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"--threads", &filter.threads},
                 {"--shape", &filter.shape},
                 {"--kernel", &filter.kernel},
                 {"--input", &filter.input},
                 {"--json", &filter.json}};
    for (int a = 1; a < count; a++) {
        size_t k = 0;
        while (k < 5 && strcmp(argument[a], known[k].name) != 0)
            k++;
        if (k == 5 || a + 1 == count) {
            fprintf(stderr, "bench_step: unknown or incomplete argument %s\n", argument[a]);
            exit(1);
        }
        *known[k].value = argument[++a];
    }
    return filter;
}

int main(int count, char **argument) {
    struct filter filter = read_arguments(count, argument);
    bool to_stdout = filter.json && strcmp(filter.json, "-") == 0, first = true;
    FILE *json = to_stdout ? stdout : filter.json ? fopen(filter.json, "w") : NULL;
    FILE *table = to_stdout ? stderr : stdout;
    if (filter.json && !json) {
        fprintf(stderr, "bench_step: cannot write %s\n", filter.json);
        return 1;
    }
    double peak[2];
    for (size_t threads = 1; threads <= 2; threads++) {
        struct pool *pool = pool_create(threads);
        peak[threads - 1] = peak_gflops(pool);
        pool_free(pool);
        fprintf(table, "peak, %zu thread%s: %.1f Gflop/s\n", threads, threads > 1 ? "s" : "",
                peak[threads - 1]);
    }
    if (json)
        fprintf(json, "{\n  \"peak_gflops\": {\"1\": %.2f, \"2\": %.2f},\n  \"steps\": [", peak[0],
                peak[1]);
    fprintf(table, "\n| shape | kernel | input | threads | ms | floor/time |\n"
                   "|---|---|---|---|---|---|\n");
    for (size_t threads = 1; threads <= 2; threads++)
        if (!filter.threads || (size_t)atoi(filter.threads) == threads)
            run(&filter, threads, peak[threads - 1], table, json, &first);
    if (json)
        fprintf(json, "\n  ]\n}\n");
    return json && !to_stdout && fclose(json) != 0;
}
