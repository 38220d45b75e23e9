/* SPDX-License-Identifier: Apache-2.0 */
#include "support/problem.h"

#include "math/random.h"
#include "model/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *problem_name(const struct problem *p) {
    static char name[160];
    snprintf(name, sizeof name, "C=%zu d=%zu M=%zu S=%zu %s alpha=%g %s %s %s %s%s%s%s%s",
             p->classes, p->attributes, p->inducing, p->samples ? p->samples : 1,
             p->likelihood ? p->likelihood : "robust_max", p->alpha, p->kernel, p->input, p->noise,
             p->population ? p->population : "flat", p->correlated ? " correlated" : "",
             p->odd ? " odd" : "", p->single ? " single" : "", p->unwhitened ? " unwhitened" : "");
    return name;
}

static bool is_multilabel(const struct problem *problem) {
    return problem->likelihood && strcmp(problem->likelihood, "multilabel") == 0;
}

/* Normal numbers, small counts with different exposures, or alternating labels. */
static void fill_targets(struct fixture *fixture, const struct problem *problem) {
    size_t rows = fixture->rows, count = rows * (is_multilabel(problem) ? problem->classes : 1);
    bool poisson = problem->likelihood && strcmp(problem->likelihood, "poisson") == 0;
    if (!problem->likelihood)
        return;
    fixture->targets = malloc(count * sizeof(double));
    fixture->exposure = malloc(rows * sizeof(double));
    random_normal((struct random_key){1, 102}, 0, 0, count, fixture->targets);
    random_uniform((struct random_key){1, 103}, 0, 0, rows, fixture->exposure);
    for (size_t i = 0; i < rows; i++)
        fixture->exposure[i] = 0.5 + 2.0 * fixture->exposure[i];
    for (size_t i = 0; i < count; i++)
        if (poisson)
            fixture->targets[i] = floor(fabs(3.0 * fixture->targets[i]));
        else if (is_multilabel(problem))
            fixture->targets[i] = fixture->targets[i] > 0.0;
        else
            fixture->targets[i] = 10.0 + 3.0 * fixture->targets[i];
}

/* Two clusters if a mixture is to be found; missing cells. */
static void change_cells(struct fixture *fixture, const struct problem *problem) {
    size_t d = problem->attributes;
    bool clusters = problem->population && strcmp(problem->population, "mixture") == 0;
    for (size_t i = 0; i < fixture->rows * d; i++) {
        if (clusters && i / d % 2 == 1)
            fixture->x[i] += 8.0;
        if (problem->gaps && i % 17 == 3)
            fixture->x[i] = NAN;
    }
}

/* Correlations of errors with a common part; every third cell is asymmetric, every seventh a
 * limit. */
static void fill_shapes(struct fixture *fixture, const struct problem *problem) {
    size_t rows = fixture->rows, d = problem->attributes, pairs = d * (d - 1) / 2;
    fixture->correlation = calloc(rows * pairs + 1, sizeof(double));
    fixture->upper = malloc(rows * d * sizeof(double));
    fixture->limit = calloc(rows * d, 1);
    double common[64];
    for (size_t i = 0; i < rows; i++) {
        random_uniform((struct random_key){1, 104}, 0, i, d, common);
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; problem->correlated && k < j; k++)
                fixture->correlation[i * pairs + j * (j - 1) / 2 + k] =
                    (1.8 * common[j] - 0.9) * (1.8 * common[k] - 0.9);
    }
    for (size_t i = 0; i < rows * d; i++) {
        fixture->upper[i] = fixture->sigma[i] * (problem->odd && i % 3 == 0 ? 2.5 : 1.0);
        fixture->limit[i] = problem->odd && i % 7 == 1 ? (i % 2 ? -1 : 1) : 0;
    }
    if (problem->correlated) {
        fixture->data.correlation = fixture->correlation;
        fixture->data.correlation_rows = rows;
    }
    if (problem->odd) {
        fixture->data.sigma_upper = fixture->upper;
        fixture->data.limit = fixture->limit;
    }
}

static void fill_data(struct fixture *fixture, const struct problem *problem) {
    size_t rows = fixture->rows, d = problem->attributes;
    fixture->x = malloc(rows * d * sizeof(double));
    fixture->sigma = malloc(rows * d * sizeof(double));
    fixture->labels = malloc(rows * sizeof(int32_t));
    random_normal((struct random_key){1, 100}, 0, 0, rows * d, fixture->x);
    random_uniform((struct random_key){1, 101}, 0, 0, rows * d, fixture->sigma);
    for (size_t i = 0; i < rows * d; i++)
        fixture->sigma[i] = problem->noise_variance > 0 ? sqrt(problem->noise_variance)
                                                        : 0.2 + 0.3 * fixture->sigma[i];
    change_cells(fixture, problem);
    for (size_t i = 0; i < rows; i++)
        fixture->labels[i] = (int32_t)(i % problem->classes);
    fill_targets(fixture, problem);
    fixture->data =
        NIM_DATA(.rows = rows, .attributes = d, .x = fixture->x, .sigma = fixture->sigma,
                 .sigma_rows = rows, .labels = fixture->labels, .targets = fixture->targets,
                 .outputs = is_multilabel(problem) ? problem->classes : 1,
                 .exposure = fixture->exposure);
    if (problem->correlated || problem->odd)
        fill_shapes(fixture, problem);
}

static void set(nim_options *options, const char *name, const char *format, ...) {
    char value[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    nim_error error;
    if (nim_options_set(options, name, value, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

void set_plain(nim_options *options) {
    set(options, "alpha", "0");
    set(options, "caution", "1");
    set(options, "lengthscale_prior", "0");
    set(options, "population", "flat");
    set(options, "calibrate", "none");
}

void fixture_create(struct fixture *fixture, const struct problem *problem) {
    *fixture = (struct fixture){.rows = problem->rows ? problem->rows : 4 * problem->classes + 5,
                                .step = 7};
    fill_data(fixture, problem);
    fixture->options = nim_options_create();
    set_plain(fixture->options);
    set(fixture->options, "kernel", "%s", problem->kernel);
    set(fixture->options, "input", "%s", problem->input);
    set(fixture->options, "likelihood", "%s",
        problem->likelihood ? problem->likelihood : "robust_max");
    set(fixture->options, "functions", "%zu", problem->functions);
    set(fixture->options, "noise", "%s", problem->noise);
    set(fixture->options, "inducing", "%zu", problem->inducing);
    set(fixture->options, "samples", "%zu", problem->samples ? problem->samples : 1);
    set(fixture->options, "learn_epsilon", "%d", problem->learn_epsilon);
    set(fixture->options, "alpha", "%.17g", problem->alpha);
    set(fixture->options, "precision", problem->single ? "single" : "double");
    set(fixture->options, "whiten", "%d", !problem->unwhitened);
    if (problem->population)
        set(fixture->options, "population", "%s", problem->population);
    set(fixture->options, "units", "6");
    set(fixture->options, "layers", "2");
    /* At these sizes more threads would wait for each other most of the time, and
     * tests/api/test_determinism.c checks that their number does not matter. */
    set(fixture->options, "threads", "1");
    nim_error error;
    if (nim_model_create(fixture->options, &fixture->data, &fixture->model, &error) != NIM_OK)
        fail_msg("%s", error.message);
    fixture->bound = bound_create(fixture->model, &fixture->data, fixture->rows, 1);
    assert_non_null(fixture->bound);
    fixture->own = calloc(fixture->rows * fixture->model->table.each + 1, sizeof(double));
}

void fixture_free(struct fixture *fixture) {
    bound_free(fixture->bound);
    nim_model_free(fixture->model);
    nim_options_free(fixture->options);
    free(fixture->own);
    free(fixture->labels);
    free(fixture->targets);
    free(fixture->exposure);
    free(fixture->sigma);
    free(fixture->correlation);
    free(fixture->upper);
    free(fixture->limit);
    free(fixture->x);
}

void fixture_disturb(struct fixture *fixture) {
    size_t count = fixture->model->count, own = fixture->rows * fixture->model->table.each;
    double *move = malloc((count > own ? count : own) * sizeof *move);
    random_normal((struct random_key){2, 100}, 0, 0, count, move);
    for (size_t i = 0; i < count; i++)
        fixture->model->theta[i] += 0.3 * move[i];
    for (size_t c = 0; c < fixture->model->functions; c++) /* white noise large enough to matter */
        *model_gp(fixture->model, fixture->model->theta, c).log_white = -2.0 + 0.3 * move[c];
    random_normal((struct random_key){2, 101}, 0, 0, own, move);
    for (size_t i = 0; i < own; i++)
        fixture->own[i] += 0.5 * move[i];
    free(move);
}

double fixture_bound(struct fixture *fixture) {
    struct nim_model *model = fixture->model;
    struct bound_batch *batch = bound_batch(fixture->bound);
    batch->rows = batch->step_rows = fixture->rows;
    batch->total = 3.0 * (double)fixture->rows;
    batch->step = fixture->step;
    batch->width = 1.0;
    for (size_t i = 0; i < fixture->rows; i++) {
        batch->row[i] = i;
        batch->copy[i] = i % model->options.input->copies;
    }
    if (model->table.each)
        memcpy(batch->own, fixture->own, fixture->rows * model->table.each * sizeof(double));
    model_take_rows(model, &fixture->data, fixture->rows, batch->row, batch->x, batch->noise,
                    batch->shape, batch->weight);
    targets_take(model, &fixture->data, fixture->rows, batch->row, batch->target);
    double value;
    nim_error error;
    if (bound_evaluate(fixture->bound, NULL, &value, &error) != NIM_OK)
        fail_msg("%s", error.message);
    return value;
}

const char *kernel_in_turn(size_t turn) {
    size_t count = 0;
    while (kernel_list[count])
        count++;
    return kernel_list[turn % count]->name;
}

static void combine(struct problem problem, check_function *check) {
    static const char *const noise[] = {"given", "learned", "both"};
    size_t combination = 0;
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t i = 0; input_list[i]; i++)
            for (size_t n = 0; n < 3; n++) {
                problem.kernel = kernel_list[k]->name;
                problem.input = input_list[i]->name;
                problem.noise = noise[n];
                problem.samples = n == 1 ? 2 : 1;
                problem.learn_epsilon = n == 2;
                /* Sums alternate: how noise is learned does not depend on the terms of the
                 * kernel. */
                if (kernel_list[k]->terms == 1 || n == k % 3)
                    check(&problem, combination);
                combination++;
            }
}

void every_combination(size_t classes, size_t attributes, size_t inducing, check_function *check) {
    combine((struct problem){.classes = classes, .attributes = attributes, .inducing = inducing},
            check);
}

void every_unwhitened(size_t classes, size_t attributes, size_t inducing, check_function *check) {
    combine(
        (struct problem){
            .classes = classes, .attributes = attributes, .inducing = inducing, .unwhitened = true},
        check);
}

void every_likelihood(size_t classes, size_t attributes, size_t inducing, double alpha,
                      check_function *check) {
    static const char *const noise[] = {"given", "learned", "both"};
    size_t combination = 0;
    for (size_t l = 0; likelihood_list[l]; l++)
        for (size_t i = 0; input_list[i]; i++)
            for (size_t n = 0; n < 3; n++) {
                size_t most = likelihood_list[l]->most_classes;
                struct problem problem = {.classes = most && classes > most ? most : classes,
                                          .attributes = attributes,
                                          .inducing = inducing,
                                          .functions = n == 0 ? 2 : 0,
                                          .likelihood = likelihood_list[l]->name,
                                          .kernel = kernel_in_turn(combination),
                                          .input = input_list[i]->name,
                                          .noise = noise[n],
                                          .samples = n == 1 ? 2 : 1,
                                          .learn_epsilon = n == 2,
                                          .alpha = alpha};
                check(&problem, combination++);
            }
}
