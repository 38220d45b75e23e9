/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Milliseconds of one training step, gradient and update included, against the time the machine
 * would need for the step's floating-point operations at its own peak.
 *
 *     bench_step [--threads T] [--shape NAME] [--kernel NAME] [--input NAME] [--precision NAME]
 *                [--json FILE]
 *
 * The speed of a shared machine can change by a quarter within a second. Therefore the peak and all
 * input models of a shape, in double and in single precision, are measured in short alternating
 * turns, and medians over the turns are compared. The peak is that of double precision for both;
 * "of double" is the time of a step in single precision divided by that of the same step in double
 * precision. Other work can only slow a step down, so the fastest tenth of the steps compared with
 * the best of the peaks ("undisturbed") shows the speed of the code itself.
 */
#include "math/random.h"
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
    const char *threads, *shape, *kernel, *input, *precision, *json;
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
    return NIM_DATA(.rows = rows, .attributes = shape->attributes, .x = x, .sigma = sigma,
                    .sigma_rows = rows, .labels = labels);
}

enum { TURNS = 8, MOST_STEPS = 100000, LEAST_STEPS = 5, MOST_CONTESTANTS = 32 };
#define TURN_SECONDS 0.15

static const char *const precisions[] = {"double", "single"};

/* One input model's training in one precision, and the times of its steps so far. */
struct contestant {
    const struct input_model *input;
    const char *precision;
    nim_options *options;
    nim_model *model;
    nim_trainer *trainer;
    double *ms;
    size_t count;
};

static struct contestant enter(const struct shape *shape, const char *kernel,
                               const struct input_model *input, const char *precision,
                               size_t threads, const nim_data *data) {
    struct contestant one = {
        .input = input, .precision = precision, .options = nim_options_create()};
    nim_error error;
    set(one.options, "precision", precision);
    set(one.options, "kernel", kernel);
    set(one.options, "input", input->name);
    set(one.options, "degree", "9");
    set(one.options, "rate", "0.001");
    set(one.options, "layers", shape->layers);
    set(one.options, "units", shape->units);
    set_number(one.options, "inducing", shape->inducing);
    set_number(one.options, "batch", shape->batch);
    set_number(one.options, "threads", threads);
    check(nim_model_create(one.options, data, &one.model, &error), &error);
    check(nim_trainer_create(one.model, data, &one.trainer, &error), &error);
    one.ms = malloc(MOST_STEPS * sizeof *one.ms);
    return one;
}

static void leave(struct contestant *one) {
    free(one->ms);
    nim_trainer_free(one->trainer);
    nim_model_free(one->model);
    nim_options_free(one->options);
}

/* Steps for a while; the first one, which finds the caches full of others' numbers, not counted. */
static void take_turn(struct contestant *one) {
    nim_error error;
    check(nim_trainer_step(one->trainer, NULL, &error), &error);
    double spent = 0.0;
    for (size_t i = 0; one->count < MOST_STEPS && (spent < TURN_SECONDS || i < LEAST_STEPS); i++) {
        double start = now();
        check(nim_trainer_step(one->trainer, NULL, &error), &error);
        double seconds = now() - start;
        spent += seconds;
        one->ms[one->count++] = 1e3 * seconds;
    }
}

static double milliseconds_at(double gflops, const struct shape *shape,
                              const struct input_model *input) {
    return floor_flops(shape, input) / (1e6 * gflops);
}

static bool wanted(const char *filter, const char *name) {
    return !filter || strcmp(filter, name) == 0;
}

/* Where results go: a table for people, JSON (or NULL) for programs. */
struct output {
    FILE *table, *json;
    bool begun;
};

/* The share of double precision's time that a step takes, as text; the same input model in double
 * precision comes before it in the field, if at all. */
static const char *share_of_double(const struct contestant *field, size_t i, char *text) {
    strcpy(text, "");
    if (i > 0 && field[i - 1].input == field[i].input)
        snprintf(text, 16, "%.3f",
                 field[i].ms[field[i].count / 2] / field[i - 1].ms[field[i - 1].count / 2]);
    return text;
}

/* peak: sorted, as many as there were turns. */
static void tell(struct output *output, const struct shape *shape, const char *kernel,
                 size_t threads, const double *peak, const struct contestant *field, size_t i) {
    const struct contestant *one = &field[i];
    char share[16];
    double typical = peak[TURNS / 2], ms = one->ms[one->count / 2];
    double ratio = milliseconds_at(typical, shape, one->input) / ms;
    double least = one->ms[one->count / 10];
    double undisturbed = milliseconds_at(peak[TURNS - 1], shape, one->input) / least;
    fprintf(output->table,
            "| %-9s | %-10s | %-11s | %-6s | %7zu | %8.3f | %5s | %10.3f | %8.3f | %11.3f |\n",
            shape->name, kernel, one->input->name, one->precision, threads, ms,
            share_of_double(field, i, share), ratio, least, undisturbed);
    fflush(output->table);
    if (output->json)
        fprintf(output->json,
                "%s\n    {\"shape\": \"%s\", \"kernel\": \"%s\", \"input\": \"%s\", "
                "\"precision\": \"%s\", \"threads\": %zu, \"ms\": %.5f, \"floor_ratio\": %.4f, "
                "\"peak_gflops\": %.2f, "
                "\"undisturbed_ms\": %.5f, \"undisturbed_floor_ratio\": %.4f}",
                output->begun ? "," : "", shape->name, kernel, one->input->name, one->precision,
                threads, ms, ratio, typical, least, undisturbed);
    output->begun = true;
}

static void compare_inputs(const struct filter *filter, const struct shape *shape,
                           const char *kernel, size_t threads, struct output *output) {
    struct contestant field[MOST_CONTESTANTS];
    size_t count = 0;
    nim_data data = random_data(shape);
    for (size_t i = 0; input_list[i]; i++)
        for (size_t p = 0; p < 2 && count < MOST_CONTESTANTS; p++)
            if (wanted(filter->input, input_list[i]->name) &&
                wanted(filter->precision, precisions[p]))
                field[count++] = enter(shape, kernel, input_list[i], precisions[p], threads, &data);
    struct pool *pool = pool_create(threads);
    double peak[TURNS];
    for (size_t turn = 0; turn < TURNS; turn++) {
        peak[turn] = peak_gflops(pool);
        for (size_t i = 0; i < count; i++)
            take_turn(&field[i]);
    }
    pool_free(pool);
    qsort(peak, TURNS, sizeof *peak, by_size);
    for (size_t i = 0; i < count; i++)
        qsort(field[i].ms, field[i].count, sizeof *field[i].ms, by_size);
    for (size_t i = 0; i < count; i++)
        tell(output, shape, kernel, threads, peak, field, i);
    for (size_t i = 0; i < count; i++)
        leave(&field[i]);
    free((void *)(uintptr_t)data.x);
    free((void *)(uintptr_t)data.sigma);
    free((void *)(uintptr_t)data.labels);
}

static void run(const struct filter *filter, size_t threads, struct output *output) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; kernel_list[k]; k++) {
            const char *kernel = kernel_list[k]->name;
            bool shown = strcmp(kernel, "se") == 0 || (strcmp(kernel, "polynomial") == 0 &&
                                                       strcmp(shapes[s].name, "mnist") == 0);
            if (wanted(filter->shape, shapes[s].name) &&
                (filter->kernel ? wanted(filter->kernel, kernel) : shown))
                compare_inputs(filter, &shapes[s], kernel, threads, output);
        }
}

static struct filter read_arguments(int count, char **argument) {
    struct filter filter = {0};
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"--threads", &filter.threads},     {"--shape", &filter.shape},
                 {"--kernel", &filter.kernel},       {"--input", &filter.input},
                 {"--precision", &filter.precision}, {"--json", &filter.json}};
    const size_t names = sizeof known / sizeof *known;
    for (int a = 1; a < count; a++) {
        size_t k = 0;
        while (k < names && strcmp(argument[a], known[k].name) != 0)
            k++;
        if (k == names || a + 1 == count) {
            fprintf(stderr, "bench_step: unknown or incomplete argument %s\n", argument[a]);
            exit(1);
        }
        *known[k].value = argument[++a];
    }
    return filter;
}

int main(int count, char **argument) {
    struct filter filter = read_arguments(count, argument);
    bool to_stdout = filter.json && strcmp(filter.json, "-") == 0;
    struct output output = {.table = to_stdout ? stderr : stdout,
                            .json = to_stdout     ? stdout
                                    : filter.json ? fopen(filter.json, "w")
                                                  : NULL};
    if (filter.json && !output.json) {
        fprintf(stderr, "bench_step: cannot write %s\n", filter.json);
        return 1;
    }
    double peak[2];
    for (size_t threads = 1; threads <= 2; threads++) {
        struct pool *pool = pool_create(threads);
        peak[threads - 1] = peak_gflops(pool);
        pool_free(pool);
        fprintf(output.table, "peak, %zu thread%s: %.1f Gflop/s\n", threads, threads > 1 ? "s" : "",
                peak[threads - 1]);
    }
    if (output.json)
        fprintf(output.json, "{\n  \"peak_gflops\": {\"1\": %.2f, \"2\": %.2f},\n  \"steps\": [",
                peak[0], peak[1]);
    fprintf(output.table, "\n| shape | kernel | input | precision | threads | ms | of double | "
                          "floor/time | fastest tenth, ms | undisturbed |\n"
                          "|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t threads = 1; threads <= 2; threads++)
        if (!filter.threads || (size_t)atoi(filter.threads) == threads)
            run(&filter, threads, &output);
    if (output.json)
        fprintf(output.json, "\n  ]\n}\n");
    return output.json && !to_stdout && fclose(output.json) != 0;
}
