/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Densities on a grid, and numbers between bounds, by laws: densities integrate to 1, and up to a
 * quantile to its level; mean and deviation are their moments; nothing is outside the bounds; the
 * bits depend neither on threads nor on portions of rows; and a model of log y with a bound is the
 * model of log y without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"
#include "support/likelihood_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, ASKED = 2, LEVELS = 4, POINTS = 10001 };

static const double levels[LEVELS] = {0.02, 0.3, 0.5, 0.97};

static double x[ROWS], sigma[ROWS], wave[ROWS], y[ROWS];

struct setting {
    const char *likelihood, *lowest, *highest;
};

static const struct setting settings[] = {
    {"gaussian", "-inf", "inf"}, {"student_t", "-inf", "inf"}, {"gaussian", "0", "inf"},
    {"gaussian", "-inf", "9"},   {"gaussian", "-1", "9"},      {"student_t", "-1", "9"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void assert_near(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.10g, expected %.10g +- %.1g", got, wanted, tolerance);
}

static nim_data table(size_t first, size_t rows) {
    return NIM_DATA(.rows = rows, .attributes = 1, .x = x + first, .sigma = sigma + first,
                    .sigma_rows = rows, .targets = y + first, .outputs = 1);
}

static nim_model *fit(const struct setting *setting, const char *threads, const double *error) {
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_error failed;
    set(options, "likelihood", setting->likelihood);
    set(options, "lowest", setting->lowest);
    set(options, "highest", setting->highest);
    set(options, "epochs", "60");
    set(options, "inducing", "10");
    set(options, "points", "24");
    set(options, "threads", threads);
    nim_data data = table(0, ROWS);
    data.target_sigma = error;
    stop_on(nim_model_create(options, &data, &model, &failed), &failed);
    stop_on(nim_model_train(model, &data, NULL, NULL, &failed), &failed);
    nim_options_free(options);
    return model;
}

static nim_status ask(const nim_model *model, size_t first, size_t rows, nim_prediction wanted,
                      nim_error *error) {
    nim_predictor *predictor;
    nim_data data = table(first, rows);
    stop_on(nim_predictor_create(model, &predictor, error), error);
    nim_status status = nim_predict(predictor, &data, &wanted, error);
    nim_predictor_free(predictor);
    return status;
}

/* Targets between 0 and 9. */
static void make_rows(void) {
    for (size_t i = 0; i < ROWS; i++) {
        double t = -3.0 + 6.0 * (double)i / ROWS, u = sin(12.9898 * (double)i) * 43758.5453;
        sigma[i] = 0.05 + 0.3 * fabs(u - floor(u));
        x[i] = t + sigma[i] * cos(78.233 * (double)i);
        wave[i] = sin(t) + 0.3 * sin(37.7 * (double)i);
        y[i] = fmin(exp(wave[i]), 8.9);
    }
}

/* ---------------------------------------------------------------- laws ------------------------ */

struct integrals {
    double whole, first, second;
    double below[LEVELS]; /* up to each quantile */
    double crps, step;    /* step: of the grid, at the row's own y */
};

/* Where no y is far away, values at equal distances. Otherwise 1 + sinh t at equal distances of t,
 * which reach so far that no tail is beyond. slope: their derivative by the place. */
static void make_grid(double from, double to, bool far, double *grid, double *slope) {
    double end = asinh(1e8), unit = 2.0 * end / (POINTS - 1);
    for (size_t k = 0; k < POINTS; k++) {
        double t = -end + unit * (double)k;
        grid[k] = far ? 1.0 + sinh(t) : from + (to - from) * (double)k / (POINTS - 1);
        slope[k] = far ? unit * cosh(t) : (to - from) / (POINTS - 1);
    }
}

/* By Simpson's rule. */
static struct integrals integrate(const double *grid, const double *slope, const double *density,
                                  const double *quantile, double own) {
    struct integrals result = {0};
    double reached = 0.0;
    for (size_t k = 0; k + 1 < POINTS; k++) {
        double step = grid[k + 1] - grid[k];
        double more = 0.5 * (slope[k] * density[k] + slope[k + 1] * density[k + 1]);
        double miss = reached + 0.5 * more - (grid[k] + 0.5 * step >= own);
        result.crps += step * miss * miss;
        result.step = grid[k] <= own ? step : result.step;
        reached += more;
    }
    for (size_t k = 0; k + 2 < POINTS; k += 2)
        for (size_t part = 0; part < 3; part++) {
            size_t at = k + part;
            double weight = slope[at] / 3.0 * (part == 1 ? 4.0 : 1.0) * density[at];
            result.whole += weight;
            result.first += weight * grid[at];
            result.second += weight * grid[at] * grid[at];
            for (size_t q = 0; q < LEVELS; q++) /* to the nearest pair of steps */
                result.below[q] += grid[k + 2] <= quantile[q] ? weight : 0.0;
        }
    return result;
}

static void laws_of(const struct setting *setting) {
    nim_model *model = fit(setting, "1", NULL);
    nim_error error;
    double low = strtod(setting->lowest, NULL), high = strtod(setting->highest, NULL);
    bool heavy = strcmp(setting->likelihood, "student_t") == 0, bound = isfinite(low + high);
    double wide = 15.0; /* beyond these y there is nothing, unless tails are heavy */
    double *grid = doubles(POINTS), *slope = doubles(POINTS), *density = doubles(ASKED * POINTS);
    double mean[ASKED], deviation[ASKED], quantile[ASKED * LEVELS], own[ASKED], at_own[ASKED],
        crps[ASKED];
    make_grid(fmax(low, -wide), fmin(high, wide), heavy && !bound, grid, slope);
    stop_on(
        ask(model, 0, ASKED,
            NIM_PREDICTION(.grid = grid, .grid_count = POINTS, .density = density, .levels = levels,
                           .level_count = LEVELS, .quantiles = quantile, .mean = mean,
                           .deviation = deviation, .log_density = own, .crps = crps),
            &error),
        &error);
    for (size_t i = 0; i < ASKED; i++) {
        const double *q = quantile + i * LEVELS;
        struct integrals sum = integrate(grid, slope, density + i * POINTS, q, y[i]);
        assert_near(sum.whole, 1.0, 1e-4);
        for (size_t k = 0; k < LEVELS; k++) {
            assert_near(sum.below[k], levels[k], 1e-2);
            assert_true(q[k] >= low && q[k] <= high);
        }
        assert_near(crps[i], sum.crps, 1e-3 * sum.crps + 0.5 * sum.step);
        assert_true(mean[i] > low && mean[i] < high && deviation[i] > 0.0);
        if (!heavy) {
            double spread = sqrt(sum.second - sum.first * sum.first);
            assert_near(mean[i], sum.first, 1e-4 * deviation[i]);
            assert_near(deviation[i], spread, 2e-3 * spread);
        }
    }
    for (size_t i = 0; i < ASKED; i++) {
        stop_on(ask(model, i, 1,
                    NIM_PREDICTION(.grid = y + i, .grid_count = 1, .density = at_own + i), &error),
                &error);
        assert_near(log(at_own[i]), own[i], 1e-12);
    }
    free(grid);
    free(slope);
    free(density);
    nim_model_free(model);
}

static void test_laws(void **state) {
    (void)state;
    make_rows();
    for (size_t k = 0; k < SETTINGS; k++)
        laws_of(&settings[k]);
}

/* A model of y > 0 is one of log y: p(y) = p(log y) / y, quantiles are exponentials, and an error
 * s of y is one of s / y. */
static void test_logarithm(void **state) {
    (void)state;
    double error_y[ROWS], error_log[ROWS], q[2][ASKED * LEVELS], own[2][ASKED];
    nim_error error;
    make_rows();
    for (size_t i = 0; i < ROWS; i++)
        error_y[i] = y[i] * (error_log[i] = i % 3 ? 0.2 : 0.0);
    for (size_t pass = 0; pass < 2; pass++) {
        nim_model *model = fit(&settings[pass ? 0 : 2], "1", pass ? error_log : error_y);
        stop_on(ask(model, 0, ASKED,
                    NIM_PREDICTION(.levels = levels, .level_count = LEVELS, .quantiles = q[pass],
                                   .log_density = own[pass]),
                    &error),
                &error);
        nim_model_free(model);
        for (size_t i = 0; i < ROWS && pass == 0; i++)
            y[i] = log(y[i]);
    }
    for (size_t i = 0; i < ASKED; i++) {
        assert_near(own[0][i], own[1][i] - y[i], 1e-4);
        for (size_t k = 0; k < LEVELS; k++)
            assert_near(log(q[0][i * LEVELS + k]), q[1][i * LEVELS + k], 1e-4);
    }
}

/* ---------------------------------------------------------------- how they are asked for ------ */

static void test_same_bits(void **state) {
    (void)state;
    enum { FEW = 7 };
    double whole[ROWS * FEW], part[ROWS * FEW], quantile[ROWS * 2], own_level[ROWS * 2], one[2];
    const double grid[FEW] = {-2.0, -1.0, 0.0, 0.5, 1.0, 4.0, 9.5};
    nim_error error;
    make_rows();
    nim_model *model = fit(&settings[4], "1", NULL), *other = fit(&settings[4], "2", NULL);
    for (size_t i = 0; i < 2 * ROWS; i++)
        own_level[i] = ((double)i + 0.5) / (2 * ROWS);
    stop_on(
        ask(model, 0, ROWS,
            NIM_PREDICTION(.grid = grid, .grid_count = FEW, .density = whole, .levels = own_level,
                           .level_count = 2, .level_rows = ROWS, .quantiles = quantile),
            &error),
        &error);
    stop_on(ask(other, 0, ROWS, NIM_PREDICTION(.grid = grid, .grid_count = FEW, .density = part),
                &error),
            &error);
    assert_memory_equal(whole, part, sizeof whole);
    for (size_t i = 0; i < ROWS; i++) {
        stop_on(ask(model, i, 1,
                    NIM_PREDICTION(.grid = grid, .grid_count = FEW, .density = part,
                                   .levels = own_level + 2 * i, .level_count = 2, .quantiles = one),
                    &error),
                &error);
        assert_memory_equal(part, whole + FEW * i, FEW * sizeof *part);
        assert_memory_equal(one, quantile + 2 * i, sizeof one);
        assert_true(whole[FEW * i] == 0.0 && whole[FEW * i + 1] == 0.0 &&
                    whole[FEW * i + 6] == 0.0); /* outside -1 .. 9, and at its ends */
    }
    nim_model_free(model);
    nim_model_free(other);
}

static void test_refusals(void **state) {
    (void)state;
    double value[ROWS], bad[] = {1.0, (double)NAN};
    nim_error error;
    make_rows();
    nim_model *model = fit(&settings[2], "1", NULL);
    nim_prediction wanted = NIM_PREDICTION(.grid = bad, .grid_count = 2, .density = value);
    assert_int_equal(ask(model, 0, 1, wanted, &error), NIM_INVALID_ARGUMENT);
    assert_string_equal(error.message, "grid value nan is not a finite number");
    wanted.grid = NULL;
    assert_int_equal(ask(model, 0, 1, wanted, &error), NIM_INVALID_ARGUMENT);
    assert_string_equal(error.message, "density is given, but grid is NULL");
    wanted =
        NIM_PREDICTION(.levels = levels, .level_count = 1, .level_rows = 3, .quantiles = value);
    assert_int_equal(ask(model, 0, 2, wanted, &error), NIM_INVALID_ARGUMENT);
    assert_string_equal(error.message, "levels has 3 rows; expected 1 or 2");
    y[1] = 0.0;
    assert_int_equal(ask(model, 0, 2, NIM_PREDICTION(.log_density = value), &error), NIM_BAD_DATA);
    assert_int_equal(error.row, 1);
    assert_non_null(strstr(error.message, "target 0 is not between 0 and inf"));
    nim_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_logarithm),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
