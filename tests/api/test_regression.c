/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian noise, to which each row adds the given error of its y, exact inputs and an inducing
 * input at every row: with the best q the bound is the log marginal likelihood of exact
 * Gaussian-process regression, predictions are those of exact regression, and any other q has a
 * lower bound. White noise and jitter are negligible, since
 * inducing values have their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "support/calls.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-8L

enum { ROWS = 14, WIDTH = 2, TEST = 9 };

static void close_to(double value, real expected, const char *what) {
    if (!(fabsl(value - expected) <= TOLERANCE * fmaxl(1, fabsl(expected))))
        fail_msg("%s is %.15g, expected %.15Lg", what, value, expected);
}

struct exact {
    struct fixture fixture;
    struct reference_kernel kernel;
    real lengthscale[WIDTH], noise, mean, deviation;    /* noise in units of y's variance */
    real x[ROWS * WIDTH], y[ROWS];                      /* standard units */
    real covariance[ROWS * ROWS], inverse[ROWS * ROWS]; /* of y, and its inverse */
    real log_determinant;
    double weights[ROWS], error[ROWS]; /* errors in the user's units */
};

static void moments(size_t count, const double *values, size_t stride, real *mean,
                    real *deviation) {
    *mean = *deviation = 0;
    for (size_t i = 0; i < count; i++)
        *mean += values[i * stride] / (real)count;
    for (size_t i = 0; i < count; i++)
        *deviation += powl(values[i * stride] - *mean, 2) / (real)count;
    *deviation = sqrtl(*deviation);
}

static void standardise(struct exact *exact) {
    struct fixture *fixture = &exact->fixture;
    for (size_t j = 0; j < WIDTH; j++) {
        real mean, deviation;
        moments(ROWS, fixture->x + j, WIDTH, &mean, &deviation);
        for (size_t i = 0; i < ROWS; i++)
            exact->x[i * WIDTH + j] = (fixture->x[i * WIDTH + j] - mean) / deviation;
    }
    moments(ROWS, fixture->targets, 1, &exact->mean, &exact->deviation);
    for (size_t i = 0; i < ROWS; i++)
        exact->y[i] = (fixture->targets[i] - exact->mean) / exact->deviation;
}

/* The variance of row i's y around f. */
static real noise_of(const struct exact *exact, size_t i) {
    return exact->noise + powl(exact->error[i] / exact->deviation, 2);
}

/* Sets kernel, noise and inducing inputs of the model. */
static void set_parameters(struct exact *exact, const char *kernel) {
    struct nim_model *model = exact->fixture.model;
    struct gp_parameters theta = model_gp(model, model->theta, 0);
    *theta.log_variance = 0.3;
    *theta.log_white = -60.0;
    model->jitter[0] = 0.0;
    model->theta[model->likelihood_at] = -2.1;
    for (size_t j = 0; j < WIDTH; j++) {
        theta.log_lengthscale[j] = -0.4 + 0.3 * (double)j;
        exact->lengthscale[j] = expl(theta.log_lengthscale[j]);
    }
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        theta.z[i] = (double)exact->x[i];
    exact->noise = expl(-2.1L);
    exact->kernel =
        (struct reference_kernel){.name = kernel, .attributes = WIDTH, .variance = {expl(0.3L)}};
    exact->kernel.lengthscale = exact->lengthscale;
}

/* q(w) = N(S L' N^-1 y, S), S = (I + L' N^-1 L)^-1, where K = L L', u = L w and N is the diagonal
 * matrix of noise. */
static void set_best_posterior(struct exact *exact, const real *k) {
    struct nim_model *model = exact->fixture.model;
    struct gp_parameters theta = model_gp(model, model->theta, 0);
    real *root = reals(ROWS * ROWS), *precision = reals(ROWS * ROWS), *s = reals(ROWS * ROWS);
    real *factor = reals(ROWS * ROWS), pull[ROWS] = {0}, m[ROWS];
    assert_true(reference_cholesky(ROWS, k, root));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            precision[i * ROWS + j] = i == j;
            for (size_t n = 0; n < ROWS; n++)
                precision[i * ROWS + j] +=
                    root[n * ROWS + i] * root[n * ROWS + j] / noise_of(exact, n);
            pull[i] += root[j * ROWS + i] * exact->y[j] / noise_of(exact, j);
        }
    reference_inverse(ROWS, precision, s);
    assert_true(reference_cholesky(ROWS, s, factor));
    reference_product(ROWS, 1, ROWS, s, pull, m);
    for (size_t i = 0, at = 0; i < ROWS; i++) {
        theta.m[i] = (double)m[i];
        for (size_t j = 0; j <= i; j++, at++)
            theta.l[at] = (double)(i == j ? logl(factor[i * ROWS + i]) : factor[i * ROWS + j]);
    }
    free(root);
    free(precision);
    free(s);
    free(factor);
}

static void exact_create(struct exact *exact, const char *kernel) {
    struct problem problem = {.classes = 2,
                              .attributes = WIDTH,
                              .inducing = ROWS,
                              .rows = ROWS,
                              .likelihood = "gaussian",
                              .kernel = kernel,
                              .input = "exact",
                              .noise = "given"};
    real k[ROWS * ROWS];
    memset(exact, 0, sizeof *exact);
    fixture_create(&exact->fixture, &problem);
    standardise(exact);
    set_parameters(exact, kernel);
    for (size_t i = 0; i < ROWS; i++)
        exact->error[i] = 0.1 * (double)(i % 5) * (double)exact->deviation;
    exact->fixture.data.target_sigma = exact->error;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            size_t at = i * ROWS + j;
            k[at] =
                reference_covariance(&exact->kernel, exact->x + i * WIDTH, exact->x + j * WIDTH);
            exact->covariance[at] = k[at] + (i == j ? noise_of(exact, i) : 0);
        }
    exact->log_determinant = reference_inverse(ROWS, exact->covariance, exact->inverse);
    set_best_posterior(exact, k);
    for (size_t i = 0; i < ROWS; i++)
        exact->weights[i] = 1.0 / 3.0; /* fixture_bound multiplies every weight by three */
    exact->fixture.data.weights = exact->weights;
}

static const char *const kernels[] = {"se", "matern32", "matern52"};
enum { KERNELS = 3 };

/* log N(y | 0, K + N). */
static real log_evidence(const struct exact *exact) {
    return -0.5L * (reference_form(ROWS, exact->y, exact->inverse, exact->y) +
                    exact->log_determinant + ROWS * logl(2 * REAL_PI));
}

static void bound_is_evidence(void **state) {
    (void)state;
    for (size_t n = 0; n < KERNELS; n++) {
        struct exact exact;
        exact_create(&exact, kernels[n]);
        close_to(fixture_bound(&exact.fixture), log_evidence(&exact), "the bound");
        fixture_free(&exact.fixture);
    }
}

/* At the maximum the gradient by m and L is zero, and every change lowers the bound. */
static void nothing_is_better(void **state) {
    (void)state;
    struct exact exact;
    exact_create(&exact, "matern32");
    struct nim_model *model = exact.fixture.model;
    struct gp_parameters theta = model_gp(model, model->theta, 0);
    size_t first = (size_t)(theta.m - model->theta), count = ROWS + ROWS * (ROWS + 1) / 2;
    double best = fixture_bound(&exact.fixture), move[ROWS + ROWS * (ROWS + 1) / 2];
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(bound_gradient(exact.fixture.bound)[first + i]) < 1e-7);
    for (size_t trial = 0; trial < 20; trial++) {
        random_normal((struct random_key){51, 1}, 0, trial, count, move);
        for (size_t i = 0; i < count; i++)
            theta.m[i] += 0.01 * move[i];
        assert_true(fixture_bound(&exact.fixture) < best);
        for (size_t i = 0; i < count; i++)
            theta.m[i] -= 0.01 * move[i];
    }
    fixture_free(&exact.fixture);
}

/* Test row i of a small grid beyond the data, in the user's units and in standard ones. */
static void place_test_rows(const struct exact *exact, double *x, real *standard) {
    for (size_t j = 0; j < WIDTH; j++) {
        real mean, deviation;
        moments(ROWS, exact->fixture.x + j, WIDTH, &mean, &deviation);
        for (size_t i = 0; i < TEST; i++) {
            size_t at = i * WIDTH + j;
            x[at] = -2.0 + 0.5 * (double)i + 0.3 * (double)(i * j % 4);
            standard[at] = (x[at] - mean) / deviation;
        }
    }
}

/* k*' (K + N)^-1 y and k** + s2 - k*' (K + N)^-1 k*, in the user's units; the density is that of a
 * y measured with its own error. */
static void predictions_are_the_textbooks(void **state) {
    (void)state;
    static const double levels[] = {0.05, 0.5, 0.99};
    static const real z[] = {-1.6448536269514722, 0, 2.3263478740408408};
    for (size_t n = 0; n < KERNELS; n++) {
        struct exact exact;
        double x[TEST * WIDTH], mean[TEST], deviation[TEST], quantiles[TEST * 3], density[TEST];
        double y[TEST], error_of_y[TEST];
        real standard[TEST * WIDTH], k[ROWS];
        nim_predictor *predictor;
        nim_error error;
        exact_create(&exact, kernels[n]);
        place_test_rows(&exact, x, standard);
        for (size_t i = 0; i < TEST; i++) {
            y[i] = 6.0 + (double)i;
            error_of_y[i] = 0.5 * (double)i;
        }
        nim_data data = NIM_DATA(.rows = TEST, .attributes = WIDTH, .x = x, .targets = y,
                                 .outputs = 1, .target_sigma = error_of_y);
        nim_prediction wanted =
            NIM_PREDICTION(.mean = mean, .deviation = deviation, .levels = levels, .level_count = 3,
                           .quantiles = quantiles, .log_density = density);
        stop_on(nim_predictor_create(exact.fixture.model, &predictor, &error), &error);
        stop_on(nim_predict(predictor, &data, &wanted, &error), &error);
        for (size_t i = 0; i < TEST; i++) {
            const real *point = standard + i * WIDTH;
            for (size_t r = 0; r < ROWS; r++)
                k[r] = reference_covariance(&exact.kernel, point, exact.x + r * WIDTH);
            real centre =
                exact.mean + exact.deviation * reference_form(ROWS, k, exact.inverse, exact.y);
            real spread =
                exact.deviation * sqrtl(reference_covariance(&exact.kernel, point, point) +
                                        exact.noise - reference_form(ROWS, k, exact.inverse, k));
            close_to(mean[i], centre, "a mean");
            close_to(deviation[i], spread, "a deviation");
            for (size_t q = 0; q < 3; q++)
                close_to(quantiles[3 * i + q], centre + z[q] * spread, "a quantile");
            real wide = spread * spread + powl(error_of_y[i], 2);
            close_to(density[i], logl(reference_normal_density(y[i], centre, wide)),
                     "a log density");
        }
        nim_predictor_free(predictor);
        fixture_free(&exact.fixture);
    }
}

/* Learned quantities are returned in the user's units. */
static void noise_in_users_units(void **state) {
    (void)state;
    struct exact exact;
    double noise;
    size_t count;
    nim_error error;
    exact_create(&exact, "se");
    stop_on(nim_model_get(exact.fixture.model, "noise_deviation", &noise, 1, &count, &error),
            &error);
    assert_int_equal(count, 1);
    close_to(noise, exact.deviation * sqrtl(exact.noise), "noise_deviation");
    assert_int_equal(nim_model_target(exact.fixture.model), NIM_TARGET_NUMBER);
    assert_int_equal(nim_model_classes(exact.fixture.model), 0);
    assert_int_equal(nim_model_functions(exact.fixture.model), 1);
    fixture_free(&exact.fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_is_evidence),
        cmocka_unit_test(nothing_is_better),
        cmocka_unit_test(predictions_are_the_textbooks),
        cmocka_unit_test(noise_in_users_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
