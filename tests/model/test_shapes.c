/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Correlated and asymmetric errors and limits in whole models: limits in which they are plain
 * errors, in the bound and in prediction; errors; and how much they improve predictions for rows
 * whose labels depend on the shape of the errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_to(double value, double expected, const char *what) {
    if (!(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

/* ---------------------------------------------------------------- plain errors again ---------- */

enum { FEW = 4 };

/* Predictions for the fixture's rows: probabilities (rows x 2), then the information of measuring
 * the first of them again (FEW x 3). */
static void ask(const struct fixture *fixture, const nim_data *data, double *answers) {
    nim_predictor *predictor = NULL;
    nim_error error;
    nim_prediction wanted = NIM_PREDICTION(.probabilities = answers);
    nim_data few = *data;
    few.rows = few.sigma_rows = FEW;
    few.correlation_rows = data->correlation ? FEW : 0;
    if (nim_predictor_create(fixture->model, &predictor, &error) != NIM_OK ||
        nim_predict(predictor, data, &wanted, &error) != NIM_OK ||
        nim_remeasure(predictor, &few, answers + 2 * data->rows, &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_predictor_free(predictor);
}

static struct problem problem_of(const char *input, const char *population) {
    return (struct problem){.classes = 2,
                            .attributes = 3,
                            .inducing = 5,
                            .rows = 40,
                            .samples = 2,
                            .kernel = "matern32",
                            .input = input,
                            .noise = "given",
                            .population = population,
                            .gaps = true};
}

/* Zero correlations and equal halves carry no information: the same bound, and the same answers. */
static void compare(const char *input, const char *population) {
    struct problem problem = problem_of(input, population);
    struct fixture plain, shaped;
    fixture_create(&plain, &problem);
    problem.correlated = true;
    fixture_create(&shaped, &problem);
    memset(shaped.correlation, 0, 40 * 3 * sizeof(double));
    shaped.data.sigma_upper = shaped.sigma;
    shaped.data.limit = shaped.limit; /* all zero */
    nim_model_free(shaped.model);
    shaped.model = NULL;
    nim_error error;
    assert_int_equal(nim_model_create(shaped.options, &shaped.data, &shaped.model, &error), NIM_OK);
    bound_free(shaped.bound);
    shaped.bound = bound_create(shaped.model, &shaped.data, shaped.rows, 1);
    fixture_disturb(&plain);
    fixture_disturb(&shaped);
    close_to(fixture_bound(&shaped), fixture_bound(&plain), problem_name(&problem));
    double *wanted = calloc(40, 5 * sizeof *wanted), *got = calloc(40, 5 * sizeof *got);
    ask(&plain, &plain.data, wanted);
    ask(&shaped, &shaped.data, got);
    /* For independent attributes the information of measuring again with first_order also uses the
     * prior, even if it is flat. */
    bool flat = !population && strcmp(input, "first_order") == 0;
    for (size_t i = 0; i < 40 * 2 + (flat ? 0 : FEW * 3); i++)
        close_to(got[i], wanted[i], problem_name(&problem));
    free(wanted);
    free(got);
    fixture_free(&plain);
    fixture_free(&shaped);
}

static void nothing_new(void **state) {
    (void)state;
    static const char *const input[] = {"marginal", "latent", "amortised", "first_order", "exact"};
    static const char *const population[] = {NULL, "gaussian", "mixture"};
    /* Most models use a mixture as one Gaussian; `latent` represents them. */
    for (size_t i = 0; i < 5; i++)
        for (size_t p = 0; p < (i < 2 ? 3 : 2); p++)
            compare(input[i], population[p]);
}

/* A limit far from all values has as much information as a missing cell, and halves that differ
 * slightly have a small effect. */
static void hardly_anything_new(void **state) {
    (void)state;
    struct problem problem = problem_of("marginal", "gaussian");
    struct fixture fixture;
    fixture_create(&fixture, &problem);
    fixture_disturb(&fixture);
    fixture.model->options.points = 256; /* and so double precision */
    double wanted[40 * 5], got[40 * 5], x[40 * 3], upper[40 * 3];
    int8_t limit[40 * 3] = {0};
    nim_data data = fixture.data;
    data.x = x;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(x, fixture.x, sizeof x);
        for (size_t i = 0; i < 40; i++) {
            x[3 * i + i % 3] = pass ? (i % 2 ? 1e6 : -1e6) : (double)NAN;
            limit[3 * i + i % 3] = pass ? (i % 2 ? -1 : 1) : 0;
        }
        data.limit = pass ? limit : NULL;
        ask(&fixture, &data, pass ? got : wanted);
    }
    for (size_t i = 0; i < 40 * 2; i++)
        close_to(got[i], wanted[i], "limits far away");
    data = fixture.data;
    ask(&fixture, &data, wanted);
    for (size_t i = 0; i < 40 * 3; i++)
        upper[i] = fixture.sigma[i] * (1.0 + 1e-10);
    data.sigma_upper = upper;
    ask(&fixture, &data, got);
    for (size_t i = 0; i < 40 * 2; i++)
        close_to(got[i], wanted[i], "halves that hardly differ");
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- refusals -------------------- */

static void refuse(const nim_options *options, const nim_data *data, const char *says) {
    nim_model *model = NULL;
    nim_error error;
    assert_int_not_equal(nim_model_create(options, data, &model, &error), NIM_OK);
    assert_null(model);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
}

static void refusals(void **state) {
    (void)state;
    struct problem problem = problem_of("marginal", NULL);
    problem.correlated = problem.odd = true;
    struct fixture fixture;
    fixture_create(&fixture, &problem);
    nim_options *options = nim_options_create();
    nim_error error;
    nim_data data = fixture.data;
    fixture.correlation[3 * 7] = 1.5;
    refuse(options, &data, "row 7, attribute 1: correlation 1.5 with attribute 0");
    memcpy(fixture.correlation + 3 * 7, (double[]){0.9, 0.9, -0.9}, 3 * sizeof(double));
    refuse(options, &data, "row 7: the correlations of the errors contradict each other");
    fixture.correlation[3 * 7 + 2] = (double)NAN; /* unknown: zero */
    fixture.correlation[3 * 7 + 1] = 0.1;
    fixture.upper[5] = -0.1;
    refuse(options, &data, "row 1, attribute 2: negative upper error -0.1");
    fixture.upper[5] = 0.1;
    fixture.limit[4] = 3;
    refuse(options, &data, "row 1, attribute 1: limit 3; expected -1, 0 or 1");
    fixture.limit[4] = 0;
    data.sigma = NULL;
    refuse(options, &data, "sigma_upper is given without sigma");
    data = fixture.data;
    assert_int_equal(nim_options_set(options, "noise", "both", &error), NIM_OK);
    refuse(options, &data, "correlated errors need given errors");
    assert_int_equal(nim_options_set(options, "noise", "given", &error), NIM_OK);
    assert_int_equal(nim_options_set(options, "input", "resampled", &error), NIM_OK);
    refuse(options, &data, "input model resampled treats errors as independent");
    nim_options_free(options);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_new),
        cmocka_unit_test(hardly_anything_new),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
