/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows without a label and the population: the error of the covariance learned from them decreases
 * as sampling theory predicts, rows without new information change nothing, and models that cannot
 * use them return an error.
 */
#include "support/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 3, LABELLED = 60, UNLABELLED = 940, TRIALS = SANITIZED ? 1 : 40 };

/* True inputs are mean + root z in the user's units, which differ by attribute. */
static const double mean[D] = {5.0, -200.0, 0.3};
static const double root[D][D] = {{2.0, 0.0, 0.0}, {60.0, 30.0, 0.0}, {-0.05, 0.02, 0.04}};

static double true_covariance(size_t i, size_t j) {
    double sum = 0.0;
    for (size_t k = 0; k < D; k++)
        sum += root[i][k] * root[j][k];
    return sum;
}

struct rows {
    double x[(LABELLED + UNLABELLED) * D], sigma[(LABELLED + UNLABELLED) * D];
    int32_t labels[LABELLED];
    nim_data labelled, unlabelled;
};

/* With `noise`: errors of up to the attribute's own spread, and a fifth of the cells missing. */
static void draw_rows(struct rows *rows, uint64_t trial, bool noise) {
    struct random_key key = {17, noise};
    for (size_t i = 0; i < LABELLED + UNLABELLED; i++) {
        double z[2 * D], u[2 * D];
        random_normal(key, trial, 2 * i, 2 * D, z);
        random_uniform(key, trial, 2 * i + 1, 2 * D, u);
        for (size_t j = 0; j < D; j++) {
            double *x = &rows->x[i * D + j], *sigma = &rows->sigma[i * D + j];
            *sigma = noise ? u[j] * sqrt(true_covariance(j, j)) : 0.0;
            *x = mean[j] + *sigma * z[D + j];
            for (size_t k = 0; k < D; k++)
                *x += root[j][k] * z[k];
            if (noise && u[D + j] < 0.2)
                *x = NAN;
        }
        if (i < LABELLED)
            rows->labels[i] = z[0] > 0.0;
    }
    rows->labelled = NIM_DATA(.rows = LABELLED, .attributes = D, .x = rows->x, .sigma = rows->sigma,
                              .sigma_rows = LABELLED, .labels = rows->labels);
    rows->unlabelled = NIM_DATA(.rows = UNLABELLED, .attributes = D, .x = rows->x + LABELLED * D,
                                .sigma = rows->sigma + LABELLED * D, .sigma_rows = UNLABELLED);
}

static nim_options *make_options(const char *population) {
    nim_options *options = nim_options_create();
    assert_non_null(options);
    nim_options_set(options, "input", "latent", NULL);
    nim_options_set(options, "population", population, NULL);
    nim_options_set(options, "missing", "ignore", NULL);
    nim_options_set(options, "inducing", "5", NULL);
    nim_options_set(options, "threads", "1", NULL);
    return options;
}

static void read_covariance(const nim_model *model, double *covariance) {
    size_t count;
    assert_int_equal(nim_model_get(model, "population_covariances", NULL, 0, &count, NULL), NIM_OK);
    assert_int_equal(count, D * D);
    nim_model_get(model, "population_covariances", covariance, D * D, &count, NULL);
}

/* Squared distance of the learned covariance from the true one, in units of the true spreads. */
static double squared_error(const nim_model *model) {
    double covariance[D * D], total = 0.0;
    read_covariance(model, covariance);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double unit = sqrt(true_covariance(i, i) * true_covariance(j, j));
            double error = (covariance[i * D + j] - true_covariance(i, j)) / unit;
            total += error * error;
        }
    return total;
}

/* Mean squared errors over many draws: from labelled rows alone, and from all. */
static void mean_errors(bool noise, double *alone, double *together) {
    nim_options *options = make_options("gaussian");
    struct rows *rows = malloc(sizeof *rows);
    *alone = *together = 0.0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        nim_model *model;
        nim_error error;
        draw_rows(rows, trial, noise);
        stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
        *alone += squared_error(model) / TRIALS;
        stop_on(nim_model_learn_population(model, &rows->labelled, &rows->unlabelled, &error),
                &error);
        *together += squared_error(model) / TRIALS;
        nim_model_free(model);
    }
    free(rows);
    nim_options_free(options);
}

/*
 * Exact cells: the sample covariance of n rows has the Wishart distribution, for which
 * E |S^ - S|^2 = (tr S^2 + (tr S)^2) / n, less its bias, which is of order 1/n^2.
 * The mean of 40 such errors is known to about a sixth (4 standard errors: two thirds).
 */
static void exact_rows_follow_wishart(void **state) {
    (void)state;
    double alone, together, law = D * D; /* (tr S)^2 of a correlation matrix */
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double r = true_covariance(i, j) / sqrt(true_covariance(i, i) * true_covariance(j, j));
            law += r * r;
        }
    mean_errors(false, &alone, &together);
    double few = alone * LABELLED / law, many = together * (LABELLED + UNLABELLED) / law;
    if (!SANITIZED && !(few > 0.6 && few < 1.67 && many > 0.6 && many < 1.67))
        fail_msg("errors are %.3f and %.3f times what the Wishart distribution says", few, many);
}

/* Noisy cells and gaps make errors larger, but they still fall as one over the number of rows. */
static void noisy_rows_follow_one_over_n(void **state) {
    (void)state;
    double alone, together, rows = (double)(LABELLED + UNLABELLED) / LABELLED;
    mean_errors(true, &alone, &together);
    double gain = alone / together / rows;
    if (!SANITIZED && !(gain > 0.5 && gain < 2.0))
        fail_msg("the error falls %.3f times as much as rows grow", gain);
}

/* The maximum-likelihood population of rows that each occur twice is that of the rows. */
static void rows_twice_say_nothing_new(void **state) {
    (void)state;
    struct rows *rows = malloc(sizeof *rows);
    nim_options *options = make_options("gaussian");
    double once[D * D], twice[D * D];
    nim_model *model;
    nim_error error;
    draw_rows(rows, 0, true);
    stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
    read_covariance(model, once);
    stop_on(nim_model_learn_population(model, &rows->labelled, &rows->labelled, &error), &error);
    read_covariance(model, twice);
    for (size_t i = 0; i < D * D; i++) /* the same steps, except for rounding */
        assert_true(fabs(twice[i] - once[i]) < 1e-9 * fabs(once[i]));
    nim_model_free(model);
    nim_options_free(options);
    free(rows);
}

/* Flags of missing cells are inputs of the functions, but not part of the population. */
static void flags_leave_the_population(void **state) {
    (void)state;
    struct rows *rows = malloc(sizeof *rows);
    nim_options *options = make_options("gaussian");
    double covariance[2][D * D];
    nim_error error;
    draw_rows(rows, 0, true);
    for (size_t flags = 0; flags < 2; flags++) {
        size_t count = 0;
        nim_model *model;
        nim_options_set(options, "missing", flags ? "auto" : "ignore", NULL);
        stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
        stop_on(nim_model_get(model, "missing_columns", NULL, 0, &count, &error), &error);
        assert_true(flags ? count > 0 : count == 0);
        read_covariance(model, covariance[flags]);
        nim_model_free(model);
    }
    assert_memory_equal(covariance[0], covariance[1], sizeof covariance[0]);
    nim_options_free(options);
    free(rows);
}

/* As many attributes as have a covariance, and a flag for most: trained, saved and loaded again. */
static void flags_of_many_columns(void **state) {
    (void)state;
    enum { ROWS = 40, MANY = 64 };
    static double x[ROWS * MANY], sigma[ROWS * MANY], p[ROWS * 2];
    int32_t labels[ROWS];
    const char path[] = "flags_of_many_columns.nimgp";
    random_normal((struct random_key){5, 1}, 0, 0, ROWS * MANY, x);
    for (size_t i = 0; i < ROWS * MANY; i++) {
        labels[i / MANY] = x[i / MANY * MANY] > 0.0;
        sigma[i] = 0.1 + (double)(i % 7) / 10.0;
    }
    for (size_t i = 0; i < ROWS * MANY; i++)
        if ((uint32_t)(i * 2654435761u) >> 30 == 0) /* a quarter, other rows in each column */
            x[i] = NAN;
    nim_data data = NIM_DATA(.rows = ROWS, .attributes = MANY, .x = x, .sigma = sigma,
                             .sigma_rows = ROWS, .labels = labels);
    nim_options *options = make_options("gaussian");
    nim_model *model, *loaded;
    nim_predictor *predictor;
    nim_error error;
    size_t count = 0;
    nim_options_set(options, "input", "first_order", NULL);
    nim_options_set(options, "missing", "auto", NULL);
    nim_options_set(options, "epochs", "1", NULL);
    nim_options_set(options, "calibrate", "none", NULL);
    stop_on(nim_model_create(options, &data, &model, &error), &error);
    stop_on(nim_model_get(model, "missing_columns", NULL, 0, &count, &error), &error);
    assert_true(count > MANY / 2);
    stop_on(nim_model_train(model, &data, NULL, NULL, &error), &error);
    stop_on(nim_model_save(model, path, &error), &error);
    stop_on(nim_model_load(path, &loaded, &error), &error);
    stop_on(nim_predictor_create(loaded, &predictor, &error), &error);
    stop_on(nim_predict(predictor, &data, &NIM_PREDICTION(.probabilities = p), &error), &error);
    for (size_t i = 0; i < 2 * ROWS; i++)
        assert_true(isfinite(p[i]));
    remove(path);
    nim_predictor_free(predictor);
    nim_model_free(loaded);
    nim_model_free(model);
    nim_options_free(options);
}

/* Option auto learns a population from other rows, although it is flat without them if all rows are
 * equally noisy and inputs are latent. */
static void auto_learns_from_others(void **state) {
    (void)state;
    struct rows *rows = malloc(sizeof *rows);
    nim_options *options = make_options("auto");
    size_t count;
    nim_model *model;
    nim_error error;
    draw_rows(rows, 0, false);
    stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
    assert_int_equal(nim_model_get(model, "population_shares", NULL, 0, &count, NULL), NIM_OK);
    assert_int_equal(count, 0);
    stop_on(nim_model_learn_population(model, &rows->labelled, &rows->unlabelled, &error), &error);
    nim_model_get(model, "population_shares", NULL, 0, &count, NULL);
    assert_true(count >= 1);
    nim_model_free(model);
    nim_options_free(options);
    free(rows);
}

static void refused(const char *option, const char *value, const char *word) {
    struct rows *rows = malloc(sizeof *rows);
    nim_options *options = make_options("auto");
    nim_model *model;
    nim_error error;
    draw_rows(rows, 0, true);
    stop_on(nim_options_set(options, option, value, &error), &error);
    stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
    assert_int_equal(nim_model_learn_population(model, &rows->labelled, &rows->unlabelled, &error),
                     NIM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, word));
    nim_model_free(model);
    nim_options_free(options);
    free(rows);
}

static void refusals(void **state) {
    (void)state;
    refused("population", "flat", "flat");
    refused("noise", "learned", "noise=given");
    refused("input", "resampled", "input model");
    struct rows *rows = malloc(sizeof *rows);
    nim_options *options = make_options("auto");
    nim_model *model;
    nim_error error;
    draw_rows(rows, 0, true);
    nim_options_set(options, "epochs", "1", NULL);
    nim_options_set(options, "calibrate", "none", NULL);
    stop_on(nim_model_create(options, &rows->labelled, &model, &error), &error);
    nim_data narrow = rows->unlabelled;
    narrow.attributes = 2;
    assert_int_equal(nim_model_learn_population(model, &rows->labelled, &narrow, &error),
                     NIM_INVALID_ARGUMENT);
    assert_int_not_equal(nim_model_learn_population(model, &rows->labelled, NULL, &error), NIM_OK);
    assert_int_not_equal(nim_model_learn_population(NULL, &rows->labelled, &narrow, &error),
                         NIM_OK);
    stop_on(nim_model_train(model, &rows->labelled, NULL, NULL, &error), &error);
    assert_int_equal(nim_model_learn_population(model, &rows->labelled, &rows->unlabelled, &error),
                     NIM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "trained"));
    nim_model_free(model);
    nim_options_free(options);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_rows_follow_wishart),
        cmocka_unit_test(noisy_rows_follow_one_over_n),
        cmocka_unit_test(rows_twice_say_nothing_new),
        cmocka_unit_test(flags_leave_the_population),
        cmocka_unit_test(flags_of_many_columns),
        cmocka_unit_test(auto_learns_from_others),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
