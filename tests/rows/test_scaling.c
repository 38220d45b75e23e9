/* SPDX-License-Identifier: Apache-2.0 */
/* From the user's units to standard ones and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "rows/scaling.h"
#include "rows/summary.h"
#include "support/scaling_layout.h"
#include "support/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_close(got, wanted, tolerance)                                                       \
    check_close(got, wanted, tolerance, #got, __FILE__, __LINE__)

static void check_close(double got, double wanted, double tolerance, const char *what,
                        const char *file, int line) {
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("%s is %.17g instead of %.17g\n", what, got, wanted);
        _fail(file, line);
    }
}

/* A scaling with memory of its own. */
struct owned_scaling {
    struct arena arena;
    struct scaling scaling;
};

static nim_status try_compute(struct owned_scaling *owned, const nim_data *data, bool standardise,
                              nim_error *error) {
    *owned = (struct owned_scaling){0};
    scaling_layout(&owned->scaling, data->attributes, 0, &owned->arena);
    assert_true(arena_allocate(&owned->arena));
    scaling_layout(&owned->scaling, data->attributes, 0, &owned->arena);
    return scaling_compute(&owned->scaling, data, standardise, false, error);
}

static void compute(struct owned_scaling *owned, const nim_data *data, bool standardise) {
    nim_error error;
    if (try_compute(owned, data, standardise, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

/* Column 0 of a table of one attribute, through the scaling. */
static void gather_column(struct owned_scaling *owned, const nim_data *data, bool use_errors,
                          double *x, double *noise) {
    size_t *row = malloc(data->rows * sizeof *row);
    for (size_t i = 0; i < data->rows; i++)
        row[i] = i;
    scaling_take(&owned->scaling, data, use_errors, data->rows, row, x, noise, NULL);
    scaling_fill_missing(&owned->scaling, data->rows, noise);
    free(row);
}

static void mean_deviation_and_median(void **state) {
    (void)state;
    const double x[] = {1, 10, 2, 10, 3, 10, 6, 10};
    const double sigma[] = {0.4, 1, 0.1, 2, 0.2, NAN, NAN, NAN};
    nim_data data = NIM_DATA(.rows = 4, .attributes = 2, .x = x, .sigma = sigma, .sigma_rows = 4);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    double deviation = sqrt((4.0 + 1.0 + 0.0 + 9.0) / 4.0);
    assert_close(owned.scaling.mean[0], 3.0, 1e-15);
    assert_close(owned.scaling.deviation[0], deviation, 1e-15);
    assert_close(owned.scaling.median_error[0], 0.2 / deviation, 1e-15);
    assert_close(owned.scaling.mean[1], 10.0, 1e-14);
    assert_close(owned.scaling.deviation[1], 1.0, 0.0); /* constant: shifted only */
    assert_close(owned.scaling.median_error[1], 1.5, 1e-15);
    arena_free(&owned.arena);
}

static void no_known_error_is_no_error(void **state) {
    (void)state;
    const double x[] = {1, 2, 3}, unknown[] = {NAN, NAN, NAN};
    nim_data data = NIM_DATA(.rows = 3, .attributes = 1, .x = x, .sigma = unknown, .sigma_rows = 3);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    assert_true(owned.scaling.median_error[0] == 0.0);
    data.sigma = NULL;
    arena_free(&owned.arena);
    compute(&owned, &data, true);
    assert_true(owned.scaling.median_error[0] == 0.0);
    arena_free(&owned.arena);
}

static void gathered_in_standard_units(void **state) {
    (void)state;
    const double x[] = {1, 2, NAN, 3, 6}, sigma[] = {0.4, 0.1, 0.3, NAN, 0.0};
    const double weights[] = {1, 2, 3, 4, 5};
    nim_data data = NIM_DATA(.rows = 5, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = 5,
                             .weights = weights);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    double mean = 3.0, deviation = sqrt(14.0 / 4.0), got_x[3], noise[3], weight[3];
    const size_t rows[] = {4, 2, 3};
    scaling_take(&owned.scaling, &data, true, 3, rows, got_x, noise, weight);
    assert_true(isinf(noise[1]) && !isinf(noise[0]) && !isinf(noise[2]));
    scaling_fill_missing(&owned.scaling, 3, noise);
    assert_close(got_x[0], (6.0 - mean) / deviation, 1e-15);
    assert_true(noise[0] == 0.0);
    assert_true(got_x[1] == 0.0 && noise[1] == 1.0); /* missing: the mean, error 1 deviation */
    assert_close(noise[2], 0.2 * 0.2 / (deviation * deviation), 1e-15); /* the median */
    for (size_t k = 0; k < 3; k++)
        assert_true(weight[k] == weights[rows[k]]);
    scaling_take(&owned.scaling, &data, false, 3, rows, got_x, noise, weight);
    scaling_fill_missing(&owned.scaling, 3, noise);
    assert_true(noise[0] == 0.0 && noise[1] == 1.0 && noise[2] == 0.0);
    data.weights = NULL;
    scaling_take(&owned.scaling, &data, false, 3, rows, got_x, noise, weight);
    scaling_fill_missing(&owned.scaling, 3, noise);
    assert_true(weight[0] == 1.0 && weight[2] == 1.0);
    arena_free(&owned.arena);
}

static void one_row_of_errors_serves_all(void **state) {
    (void)state;
    const double x[] = {0, 0, 2, 4}, shared[] = {0.5, 0.25};
    nim_data data = NIM_DATA(.rows = 2, .attributes = 2, .x = x, .sigma = shared, .sigma_rows = 1);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    double got[4], noise[4];
    gather_column(&owned, &data, true, got, noise);
    assert_close(noise[0], 0.25, 1e-15);
    assert_close(noise[2], 0.25, 1e-15);
    assert_close(noise[1], 0.25 * 0.25 / 4.0, 1e-15);
    assert_close(noise[3], 0.25 * 0.25 / 4.0, 1e-15);
    arena_free(&owned.arena);
}

/* Whatever the magnitude, a column that is not constant ends up with mean 0 and deviation 1. */
static void check_magnitude(double unit) {
    enum { ROWS = 10 };
    double x[ROWS], sigma[ROWS], got[ROWS], noise[ROWS], sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (i == 3 ? 1.0 : -1.0 + 0.01 * (double)i) * unit;
        sigma[i] = 0.1 * unit;
    }
    nim_data data =
        NIM_DATA(.rows = ROWS, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = ROWS);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    gather_column(&owned, &data, true, got, noise);
    for (size_t i = 0; i < ROWS; i++) {
        sum += got[i];
        squares += got[i] * got[i];
        if (!isfinite(got[i]) || !isfinite(noise[i]) || noise[i] <= 0.0)
            fail_msg("unit %g: row %zu became %g with noise %g", unit, i, got[i], noise[i]);
    }
    if (fabs(sum) > 1e-12 || fabs(squares / ROWS - 1.0) > 1e-12)
        fail_msg("unit %g: mean %g, variance %g", unit, sum / ROWS, squares / ROWS);
    arena_free(&owned.arena);
}

static void every_magnitude(void **state) {
    (void)state;
    static const double units[] = {1e-300, 1e-150, 1.0, 1e150, 1e300, 1.7e308, DBL_MAX};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        check_magnitude(units[k]);
}

/* The smallest doubles: halves and products of them must not cause a division by 0. */
static void smallest_magnitude(void **state) {
    (void)state;
    const double tiny = nextafter(0.0, 1.0), x[] = {0.0, tiny, 0.0, 2 * tiny};
    nim_data data = NIM_DATA(.rows = 4, .attributes = 1, .x = x);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    double got[4], noise[4];
    gather_column(&owned, &data, true, got, noise);
    for (size_t i = 0; i < 4; i++)
        if (!isfinite(got[i]))
            fail_msg("%g became %g with mean %g and deviation %g", x[i], got[i],
                     owned.scaling.mean[0], owned.scaling.deviation[0]);
    arena_free(&owned.arena);
}

static void constant_columns_are_shifted_only(void **state) {
    (void)state;
    static const double levels[] = {0.0, 0.1, -1e300, 1e-300, 1.7e308, 123456.789};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double x[7], got[7], noise[7];
        for (size_t i = 0; i < 7; i++)
            x[i] = levels[k];
        nim_data data = NIM_DATA(.rows = 7, .attributes = 1, .x = x);
        struct owned_scaling owned;
        compute(&owned, &data, true);
        assert_true(owned.scaling.deviation[0] == 1.0);
        gather_column(&owned, &data, true, got, noise);
        for (size_t i = 0; i < 7; i++)
            if (got[i] != 0.0)
                fail_msg("constant %g became %g", levels[k], got[i]);
        arena_free(&owned.arena);
    }
}

static void an_absurd_error_is_only_large(void **state) {
    (void)state;
    const double x[] = {1e-300, 2e-300}, sigma[] = {1e300, 1e300};
    nim_data data = NIM_DATA(.rows = 2, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = 2);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    double got[2], noise[2];
    gather_column(&owned, &data, true, got, noise);
    assert_true(isfinite(noise[0]) && noise[0] >= 1e4);
    arena_free(&owned.arena);
}

static void standardise_off_leaves_units(void **state) {
    (void)state;
    const double x[] = {1, 5, 9.5}, sigma[] = {0.5, NAN, 2};
    nim_data data = NIM_DATA(.rows = 3, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = 3);
    struct owned_scaling owned;
    compute(&owned, &data, false);
    double got[3], noise[3];
    gather_column(&owned, &data, true, got, noise);
    for (size_t i = 0; i < 3; i++)
        assert_true(got[i] == x[i]);
    assert_close(noise[0], 0.25, 1e-15);
    assert_close(noise[1], 1.25 * 1.25, 1e-15);
    assert_close(noise[2], 4.0, 1e-15);
    arena_free(&owned.arena);
}

static void all_missing_names_the_attribute(void **state) {
    (void)state;
    const double x[] = {1, NAN, 2, NAN};
    nim_data data = NIM_DATA(.rows = 2, .attributes = 2, .x = x);
    struct owned_scaling owned;
    nim_error error;
    assert_int_equal(try_compute(&owned, &data, true, &error), NIM_BAD_DATA);
    arena_free(&owned.arena);
    assert_non_null(strstr(error.message, "attribute 1"));
}

/* ---------------------------------------------------------------- flags of missing cells ------ */

/* Makes `count` cells of column j missing, the first of them in row `from`. */
static void make_gaps(double *x, size_t d, size_t j, size_t from, size_t count) {
    for (size_t i = from; i < from + count; i++)
        x[i * d + j] = NAN;
}

static double *numbered_cells(size_t rows, size_t d) {
    double *x = malloc(rows * d * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < rows * d; i++)
        x[i] = (double)(i * 7 % 23);
    return x;
}

/* Ten cells, and a fiftieth of all rows: which limit applies depends on the number of rows. */
static void flags_need_enough_of_both(void **state) {
    (void)state;
    static const struct {
        size_t rows, missing, flags;
    } cases[] = {
        {100, 0, 0},   {100, 9, 0},   {100, 10, 1},   {100, 90, 1},   {100, 91, 0},
        {1000, 19, 0}, {1000, 20, 1}, {1000, 980, 1}, {1000, 981, 0}, {15, 10, 0},
        {20, 10, 1},   {500, 10, 1},  {549, 10, 0},   {549, 11, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double *x = numbered_cells(cases[k].rows, 1);
        make_gaps(x, 1, 0, 0, cases[k].missing);
        nim_data data = NIM_DATA(.rows = cases[k].rows, .attributes = 1, .x = x);
        size_t flagged = 99, found;
        assert_true(scaling_find_flags(&data, &flagged, &found));
        if (found != cases[k].flags)
            fail_msg("%zu of %zu missing: %zu flags", cases[k].missing, cases[k].rows, found);
        assert_int_equal(flagged, found ? 0 : 99);
        free(x);
    }
}

static void columns_missing_together_share_a_flag(void **state) {
    (void)state;
    enum { ROWS = 200, D = 6 };
    double *x = numbered_cells(ROWS, D);
    make_gaps(x, D, 1, 0, 40);
    make_gaps(x, D, 2, 0, 3);  /* too few */
    make_gaps(x, D, 3, 0, 40); /* with column 1 */
    make_gaps(x, D, 4, 1, 40); /* nearly */
    make_gaps(x, D, 5, 100, 60);
    nim_data data = NIM_DATA(.rows = ROWS, .attributes = D, .x = x);
    size_t flagged[D], found;
    assert_true(scaling_find_flags(&data, flagged, &found));
    assert_int_equal(found, 3);
    assert_true(flagged[0] == 1 && flagged[1] == 4 && flagged[2] == 5);
    free(x);
}

/* Flags follow the columns. They are exact, with mean 0 and deviation 1 over the training rows; the
 * cells they describe stay missing. */
static void flags_in_standard_units(void **state) {
    (void)state;
    enum { ROWS = 100, D = 2 };
    for (int standardise = 0; standardise < 2; standardise++) {
        double *x = numbered_cells(ROWS, D), got[ROWS * (D + 1)], noise[ROWS * (D + 1)];
        double sigma[ROWS * D], sum = 0.0, squares = 0.0;
        size_t row[ROWS];
        make_gaps(x, D, 1, 20, 36);
        for (size_t i = 0; i < ROWS; i++) {
            row[i] = i;
            sigma[i * D] = sigma[i * D + 1] = 0.5;
        }
        nim_data data =
            NIM_DATA(.rows = ROWS, .attributes = D, .x = x, .sigma = sigma, .sigma_rows = ROWS);
        struct owned_scaling owned = {0};
        for (int pass = 0; pass < 2; pass++) {
            scaling_layout(&owned.scaling, D, 1, &owned.arena);
            if (pass == 0)
                assert_true(arena_allocate(&owned.arena));
        }
        owned.scaling.flagged[0] = 1.0;
        assert_int_equal(scaling_compute(&owned.scaling, &data, standardise, false, NULL), NIM_OK);
        assert_int_equal(owned.scaling.width, D + 1);
        scaling_take(&owned.scaling, &data, true, ROWS, row, got, noise, NULL);
        for (size_t i = 0; i < ROWS; i++) {
            bool missing = i >= 20 && i < 56;
            double flag = got[i * (D + 1) + D];
            assert_true(noise[i * (D + 1) + D] == 0.0);
            assert_true(isfinite(noise[i * (D + 1)]) && noise[i * (D + 1)] > 0.0);
            assert_true((bool)isinf(noise[i * (D + 1) + 1]) == missing);
            /* 36 of 100: mean 0.36, deviation 0.48 */
            double wanted = missing ? 1.0 : 0.0;
            assert_close(flag, standardise ? (wanted - 0.36) / 0.48 : wanted, 1e-14);
            sum += flag;
            squares += flag * flag;
        }
        assert_close(sum / ROWS, standardise ? 0.0 : 0.36, 1e-14);
        assert_close(squares / ROWS, standardise ? 1.0 : 0.36, 1e-14);
        scaling_fill_missing(&owned.scaling, ROWS, noise);
        for (size_t i = 0; i < ROWS * (D + 1); i++)
            assert_true(isfinite(noise[i]));
        arena_free(&owned.arena);
        free(x);
    }
}

/* If the known errors of a row are f times the medians, its unknown ones are f times theirs; f is
 * the geometric mean of the ratios. Errors of missing cells are ignored. */
static void a_missing_error_follows_the_rows_others(void **state) {
    (void)state;
    enum { D = 3 };
    const double x[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 6, 5, NAN, 5, 6, 5};
    const double sigma[] = {0.1, 1,   10, 0.2, 2, 20,  0.3, 3,   30, /* medians 0.2, 2, 20 */
                            0.8, NAN, 20, NAN, 1, 500, NAN, NAN, NAN};
    nim_data data = NIM_DATA(.rows = 3, .attributes = D, .x = x, .sigma = sigma, .sigma_rows = 3);
    struct owned_scaling owned;
    compute(&owned, &data, true);
    nim_data asked = NIM_DATA(.rows = 6, .attributes = D, .x = x, .sigma = sigma, .sigma_rows = 6);
    double got[6 * D], noise[6 * D];
    const size_t row[] = {0, 1, 2, 3, 4, 5};
    const double *deviation = owned.scaling.deviation;
    scaling_take(&owned.scaling, &asked, true, 6, row, got, noise, NULL);
    assert_close(sqrt(noise[3 * D]) * deviation[0], 0.8, 1e-14);
    assert_close(sqrt(noise[3 * D + 1]) * deviation[1], 2.0 * 2.0, 1e-14); /* sqrt(4 x 1) */
    assert_close(sqrt(noise[3 * D + 2]) * deviation[2], 20.0, 1e-13);
    assert_close(sqrt(noise[4 * D]) * deviation[0], 0.2 * 0.5, 1e-14);
    assert_true(isinf(noise[4 * D + 2]));
    for (size_t j = 0; j < D; j++) /* nothing known: the medians themselves */
        assert_close(sqrt(noise[5 * D + j]) * deviation[j], sigma[D + j], 1e-13);
    arena_free(&owned.arena);
}

/* ---------------------------------------------------------------- through the public API ------ */

static double *get_array(const nim_model *model, const char *name, size_t *count) {
    nim_error error;
    if (nim_model_get(model, name, NULL, 0, count, &error) != NIM_OK)
        fail_msg("%s", error.message);
    double *values = malloc(*count * sizeof *values);
    assert_int_equal(nim_model_get(model, name, values, *count, count, &error), NIM_OK);
    return values;
}

/* Whether `point` is a row of the table, up to rounding. */
static bool is_a_row(const nim_data *data, const double *point) {
    size_t d = data->attributes;
    for (size_t i = 0; i < data->rows; i++) {
        size_t same = 0;
        for (size_t j = 0; j < d; j++)
            same += fabs(data->x[i * d + j] - point[j]) <= 1e-12 * fabs(data->x[i * d + j]);
        if (same == d)
            return true;
    }
    return false;
}

/* Shifts and stretches every attribute of a fixture's table, errors included. */
static void stretch(struct fixture *fixture, const double *factor, const double *shift) {
    size_t d = fixture->data.attributes;
    for (size_t i = 0; i < fixture->rows * d; i++) {
        fixture->x[i] = fixture->x[i] * factor[i % d] + shift[i % d];
        fixture->sigma[i] *= factor[i % d];
    }
}

static void inducing_inputs_start_at_rows(void **state) {
    (void)state;
    const struct problem problem = {.classes = 3,
                                    .attributes = 4,
                                    .inducing = 7,
                                    .rows = 40,
                                    .kernel = "se",
                                    .input = "exact",
                                    .noise = "given"};
    for (int units = 0; units < 2; units++) {
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        if (units)
            stretch(&fixture, (const double[]){1000, 1e-3, 1, 1e200},
                    (const double[]){0, 5, -1e3, 0});
        nim_model *model;
        assert_int_equal(nim_model_create(fixture.options, &fixture.data, &model, NULL), NIM_OK);
        size_t count;
        double *z = get_array(model, "inducing_inputs", &count);
        assert_int_equal(count, 3 * 7 * 4);
        for (size_t i = 0; i < count; i += 4)
            assert_true(is_a_row(&fixture.data, z + i));
        free(z);
        nim_model_free(model);
        fixture_free(&fixture);
    }
}

/* All results of a short training, in the user's units. */
struct outcome {
    double *probabilities, *lengthscales, *noise, *mean, *deviation;
    double bound;
};

static void outcome_of(const struct fixture *fixture, struct outcome *outcome) {
    nim_model *model;
    nim_predictor *predictor = NULL;
    nim_error error;
    size_t count, cells = fixture->rows * fixture->data.attributes;
    nim_options_set(fixture->options, "epochs", "15", NULL);
    if (nim_model_create(fixture->options, &fixture->data, &model, &error) != NIM_OK ||
        nim_model_train(model, &fixture->data, NULL, NULL, &error) != NIM_OK ||
        nim_predictor_create(model, &predictor, &error) != NIM_OK)
        fail_msg("%s", error.message);
    outcome->probabilities = malloc(fixture->rows * nim_model_classes(model) * sizeof(double));
    outcome->mean = malloc(cells * sizeof(double));
    outcome->deviation = malloc(cells * sizeof(double));
    nim_prediction wanted = NIM_PREDICTION(.probabilities = outcome->probabilities);
    assert_int_equal(nim_predict(predictor, &fixture->data, &wanted, NULL), NIM_OK);
    assert_int_equal(
        nim_model_denoise(model, &fixture->data, outcome->mean, outcome->deviation, NULL), NIM_OK);
    outcome->lengthscales = get_array(model, "lengthscales", &count);
    outcome->noise = get_array(model, "noise_variance", &count);
    outcome->bound = nim_model_bound(model);
    nim_predictor_free(predictor);
    nim_model_free(model);
}

static void outcome_free(struct outcome *outcome) {
    free(outcome->probabilities);
    free(outcome->lengthscales);
    free(outcome->noise);
    free(outcome->mean);
    free(outcome->deviation);
}

static void assert_near(double got, double wanted, const char *what, const char *input) {
    if (!(fabs(got - wanted) <= 1e-9 * fmax(1.0, fabs(wanted))))
        fail_msg("%s, %s: %.17g instead of %.17g", input, what, got, wanted);
}

static void compare_units(const struct problem *problem) {
    const double factor[] = {1000.0, 1.0, 1e-3};
    struct fixture plain, stretched;
    struct outcome one, other;
    fixture_create(&plain, problem);
    fixture_create(&stretched, problem);
    stretch(&stretched, factor, (const double[]){0, 0, 0});
    outcome_of(&plain, &one);
    outcome_of(&stretched, &other);
    size_t d = problem->attributes, classes = problem->classes;
    assert_near(other.bound, one.bound, "bound", problem->input);
    for (size_t i = 0; i < plain.rows * classes; i++)
        assert_near(other.probabilities[i], one.probabilities[i], "probability", problem->input);
    for (size_t i = 0; i < classes * d; i++)
        assert_near(other.lengthscales[i] / factor[i % d], one.lengthscales[i], "lengthscale",
                    problem->input);
    for (size_t j = 0; j < d; j++)
        assert_near(other.noise[j] / factor[j] / factor[j], one.noise[j], "noise", problem->input);
    for (size_t i = 0; i < plain.rows * d; i++) {
        assert_near(other.mean[i] / factor[i % d], one.mean[i], "mean", problem->input);
        assert_near(other.deviation[i] / factor[i % d], one.deviation[i], "deviation",
                    problem->input);
    }
    outcome_free(&one);
    outcome_free(&other);
    fixture_free(&plain);
    fixture_free(&stretched);
}

static void units_do_not_matter(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 3,
                                  .inducing = 8,
                                  .rows = 30,
                                  .kernel = "se",
                                  .input = input_list[i]->name,
                                  .noise = i % 2 ? "both" : "learned"};
        compare_units(&problem);
    }
}

/* ---------------------------------------------------------------- what becomes of a cell ------ */

/* A table of one attribute through a model that does not change its inputs, and back. */
static void round_trip(const double *x, const double *sigma, size_t rows, const char *standardise,
                       double *mean, double *deviation) {
    int32_t *labels = malloc(rows * sizeof *labels);
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)(i % 2);
    nim_data data = NIM_DATA(.rows = rows, .attributes = 1, .x = x, .sigma = sigma,
                             .sigma_rows = rows, .labels = labels);
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_error error;
    nim_options_set(options, "input", "exact", NULL);
    nim_options_set(options, "standardise", standardise, NULL);
    if (nim_model_create(options, &data, &model, &error) != NIM_OK ||
        nim_model_denoise(model, &data, mean, deviation, &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_model_free(model);
    nim_options_free(options);
    free(labels);
}

/* nimgp.h: a missing value is treated as the mean of its attribute with the deviation as its
 * error. */
static void missing_cells(const char *standardise) {
    const double x[] = {40, 60, NAN, 45, 55, 50}, sigma[] = {1, 1, 1, 1, NAN, 3};
    double mean[6], deviation[6];
    round_trip(x, sigma, 6, standardise, mean, deviation);
    assert_close(mean[0], 40.0, 1e-12);
    assert_close(deviation[0], 1.0, 1e-12);
    assert_close(deviation[4], 1.0, 1e-12);
    assert_close(deviation[5], 3.0, 1e-12);
    assert_close(mean[2], 50.0, 1e-12);
    assert_close(deviation[2], sqrt(250.0 / 5.0), 1e-12);
}

static void missing_cells_standardised(void **state) {
    (void)state;
    missing_cells("1");
}
static void missing_cells_as_they_are(void **state) {
    (void)state;
    missing_cells("0");
}

/* A table whose range exceeds DBL_MAX is returned unchanged. */
static void largest_values_come_back(void **state) {
    (void)state;
    double x[10], sigma[10], mean[10], deviation[10];
    for (size_t i = 0; i < 10; i++) {
        x[i] = i == 3 ? 1.7e308 : -1.7e308;
        sigma[i] = 1e305;
    }
    round_trip(x, sigma, 10, "1", mean, deviation);
    for (size_t i = 0; i < 10; i++) {
        if (!(fabs(mean[i] / x[i] - 1.0) < 1e-12))
            fail_msg("row %zu: %g came back as %g", i, x[i], mean[i]);
        assert_close(deviation[i] / sigma[i], 1.0, 1e-12);
    }
}

/* Cells inside a larger array are the same cells, and the model has the same bits. */
static void cells_may_lie_anywhere(void **state) {
    (void)state;
    enum { ROWS = 60, D = 3, STRIDE = 8 };
    static const size_t x_column[D] = {6, 0, 3}, sigma_column[D] = {2, NIM_NONE, 5};
    double wide[ROWS * STRIDE], x[ROWS * D], sigma[ROWS * D], got[2][ROWS * D], noise[2][ROWS * D];
    int32_t labels[ROWS];
    for (size_t i = 0; i < ROWS * STRIDE; i++)
        wide[i] = i % 17 == 0 ? NAN : fabs(sin((double)(i * i)));
    for (size_t i = 0; i < ROWS * D; i++) {
        const double *row = wide + i / D * STRIDE;
        x[i] = row[x_column[i % D]];
        sigma[i] = i % D == 1 ? 0.0 : row[sigma_column[i % D]];
        labels[i / D] = (int32_t)(i / D % 3);
    }
    nim_data near = NIM_DATA(.rows = ROWS, .attributes = D, .x = x, .sigma = sigma,
                             .sigma_rows = ROWS, .labels = labels);
    nim_data far = NIM_DATA(.rows = ROWS, .attributes = D, .x = wide, .x_stride = STRIDE,
                            .x_column = x_column, .sigma = wide, .sigma_rows = ROWS,
                            .sigma_stride = STRIDE, .sigma_column = sigma_column, .labels = labels);
    const nim_data *data[2] = {&near, &far};
    nim_options *options = nim_options_create();
    double bound[2];
    for (size_t k = 0; k < 2; k++) {
        struct owned_scaling owned;
        nim_model *model = NULL;
        nim_trainer *trainer = NULL;
        nim_error error;
        compute(&owned, data[k], true);
        gather_column(&owned, data[k], true, got[k], noise[k]);
        arena_free(&owned.arena);
        assert_true(nim_model_create(options, data[k], &model, &error) == NIM_OK);
        assert_true(nim_trainer_create(model, data[k], &trainer, &error) == NIM_OK);
        assert_true(nim_trainer_step(trainer, &bound[k], &error) == NIM_OK);
        nim_trainer_free(trainer);
        nim_model_free(model);
    }
    nim_options_free(options);
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(noise[0], noise[1], sizeof noise[0]);
    assert_memory_equal(&bound[0], &bound[1], sizeof bound[0]);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The middle of the sorted numbers: of any sign and magnitude, with ties, in any order. */
static void medians_are_the_middle(void **state) {
    (void)state;
    enum { MOST = 300 };
    const struct random_key key = {1, 0};
    assert_true(median(0, NULL) == 0.0);
    for (size_t trial = 0; trial < 600; trial++) {
        double value[MOST], sorted[MOST];
        size_t count = 1 + trial % MOST;
        for (size_t i = 0; i < count; i++) {
            double u;
            random_uniform(key, trial, i, 1, &u);
            value[i] = trial % 4 == 0   ? floor(10.0 * u) - 5.0
                       : trial % 4 == 1 ? exp(1400.0 * (u - 0.5))
                       : trial % 4 == 2 ? u - 0.5
                                        : (double)(trial % 8 ? i : count - i);
        }
        memcpy(sorted, value, count * sizeof *value);
        qsort(sorted, count, sizeof *sorted, by_size);
        double wanted = 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
        assert_true(median(count, value) == wanted);
        qsort(value, count, sizeof *value, by_size);
        assert_memory_equal(value, sorted, count * sizeof *value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_deviation_and_median),
        cmocka_unit_test(medians_are_the_middle),
        cmocka_unit_test(no_known_error_is_no_error),
        cmocka_unit_test(gathered_in_standard_units),
        cmocka_unit_test(one_row_of_errors_serves_all),
        cmocka_unit_test(every_magnitude),
        cmocka_unit_test(smallest_magnitude),
        cmocka_unit_test(constant_columns_are_shifted_only),
        cmocka_unit_test(an_absurd_error_is_only_large),
        cmocka_unit_test(standardise_off_leaves_units),
        cmocka_unit_test(all_missing_names_the_attribute),
        cmocka_unit_test(flags_need_enough_of_both),
        cmocka_unit_test(columns_missing_together_share_a_flag),
        cmocka_unit_test(flags_in_standard_units),
        cmocka_unit_test(a_missing_error_follows_the_rows_others),
        cmocka_unit_test(inducing_inputs_start_at_rows),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(missing_cells_standardised),
        cmocka_unit_test(missing_cells_as_they_are),
        cmocka_unit_test(largest_values_come_back),
        cmocka_unit_test(cells_may_lie_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
