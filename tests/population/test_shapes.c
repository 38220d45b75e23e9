/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements with a shape: moments of products against sums over fine grids, correlated errors
 * against the formula with explicit inverses, asymmetric cells and limits against integrals over
 * one and two true values; and the limits in which they are plain measurements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "population/surprise.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 4, SHAPE = 2 * D + D * (D - 1) / 2, NODES = 20001 };

static double uniform(uint64_t index) {
    double u;
    random_uniform((struct random_key){9, 3}, 0, index, 1, &u);
    return u;
}

static void close_to(double got, real wanted, real tolerance, const char *what) {
    if (!(fabsl(got - wanted) <= tolerance * fmaxl(1, fabsl(wanted))))
        fail_msg("%s is %.17g instead of %.17Lg", what, got, wanted);
}

/* ---------------------------------------------------------------- one cell -------------------- */

static real normal(real z) {
    return expl(-z * z / 2) / sqrtl(2 * REAL_PI);
}

/* p(x~ | x) as measurement.h has it. */
static real cell_density(real t, double x, double lower, double upper, double side) {
    if (side != 0.0)
        return erfcl(-(real)side * (t - x) / ((real)lower * sqrtl(2))) / 2;
    real width = t < x ? lower : upper;
    return 2 / ((real)lower + upper) * normal((t - x) / width);
}

/* Moments of N(c, p) times the cell, by the trapezoidal rule, in two parts that are divided at x~,
 * where an asymmetric cell has a kink. */
static void integrate(double c, double p, double x, double lower, double upper, double side,
                      real moment[3]) {
    real reach = 14 * sqrtl((real)p), low = fminl(c - reach, x), high = fmaxl(c + reach, x);
    memset(moment, 0, 3 * sizeof *moment);
    for (int part = 0; part < 2; part++) {
        real from = part ? x : low, step = ((part ? high : x) - from) / (NODES - 1);
        for (size_t i = 0; i < NODES; i++) {
            real t = from + (real)i * step, ends = i == 0 || i == NODES - 1 ? 0.5L : 1;
            real mass = ends * step * normal((t - c) / sqrtl((real)p)) / sqrtl((real)p) *
                        cell_density(t, x, lower, upper, side);
            moment[0] += mass;
            moment[1] += mass * t;
            moment[2] += mass * t * t;
        }
    }
}

static void products_have_these_moments(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        double c = 4 * uniform(10 * i) - 2, p = exp(4 * uniform(10 * i + 1) - 2);
        double x = 4 * uniform(10 * i + 2) - 2, lower = exp(2 * uniform(10 * i + 3) - 2);
        double upper = exp(2 * uniform(10 * i + 4) - 2), side = i % 3 == 0   ? 0
                                                                : i % 3 == 1 ? -1
                                                                             : 1;
        real moment[3];
        integrate(c, p, x, lower, upper, side, moment);
        struct tilt got = side != 0.0 ? tilt_limit(c, p, x, lower * lower, side)
                                      : tilt_lopsided(c, p, x, lower, upper);
        real mean = moment[1] / moment[0];
        close_to(got.log_mass, logl(moment[0]), 2e-7L, "log of the integral");
        close_to(got.mean, mean, 2e-7L, "mean");
        close_to(got.variance, moment[2] / moment[0] - mean * mean, 2e-7L, "variance");
    }
    for (uint64_t i = 100; i < 104; i++) { /* alone: as with a flat population */
        double lower = uniform(i), upper = uniform(i + 50);
        struct tilt alone = tilt_alone(0.3, lower, upper);
        struct tilt wide = tilt_lopsided(0.0, 1e12, 0.3, lower, upper);
        close_to(alone.mean, wide.mean, 1e-9L, "mean of a cell alone");
        close_to(alone.variance, wide.variance, 1e-9L, "variance of a cell alone");
    }
}

/* Far out, where differences would cancel: finite, and on the right side. */
static void far_cells_stay_finite(void **state) {
    (void)state;
    for (double far = 10.0; far <= 1e6; far *= 10.0) {
        struct tilt limit = tilt_limit(0.0, 1.0, -far, 1e-8, -1.0);
        assert_true(isfinite(limit.log_mass) && limit.mean < -far * (1 - 1e-6) &&
                    limit.variance >= 0.0 && limit.variance < 2.0 / (far * far) + 2e-8);
        struct tilt skew = tilt_lopsided(0.0, 1.0, far, 1e-3, 10.0);
        assert_true(isfinite(skew.log_mass) && isfinite(skew.mean) && skew.variance >= 0.0);
    }
}

/* ---------------------------------------------------------------- a row ----------------------- */

struct case_of {
    struct population population;
    struct arena arena;
    struct conditioner conditioner;
    double x[D], noise[D], shape[SHAPE];
};

static void case_create(struct case_of *made, size_t components, uint64_t seed) {
    *made = (struct case_of){0};
    struct population *population = &made->population;
    assert_true(population_allocate(population, D, components));
    random_normal((struct random_key){seed, 1}, 0, 0, components * D, population->mean);
    random_normal((struct random_key){seed, 1}, 0, 1, components * D * D, population->root);
    for (size_t k = 0; k < components; k++) {
        population->share[k] = 1.0 / (double)components;
        for (size_t j = 0; j < D; j++)
            population->root[(k * D + j) * D + j] += 1.5;
    }
    conditioner_layout(&made->conditioner, population, &made->arena);
    assert_true(arena_allocate(&made->arena));
    conditioner_layout(&made->conditioner, population, &made->arena);
    random_normal((struct random_key){seed, 2}, 0, 0, D, made->x);
    for (size_t j = 0; j < D; j++)
        made->noise[j] = exp(3.0 * uniform(seed * D + j + 1000) - 2.0);
}

static void case_free(struct case_of *made) {
    population_free(&made->population);
    arena_free(&made->arena);
}

static double take(struct case_of *made, double *share, double *centre) {
    struct measurement row = {made->x, made->noise, made->shape};
    return conditioner_take(&made->conditioner, &row, share, centre);
}

/* Correlations a_i a_j of errors with a common part. */
static void correlate(struct case_of *made, uint64_t seed) {
    double common[D];
    for (size_t j = 0; j < D; j++) {
        common[j] = 1.8 * uniform(seed * D + j + 5000) - 0.9;
        for (size_t i = 0; i < j; i++)
            made->shape[2 * D + j * (j - 1) / 2 + i] = common[i] * common[j];
    }
}

static real covariance_of_errors(const struct case_of *made, size_t i, size_t j) {
    if (i == j)
        return made->noise[i];
    return shape_correlation(made->shape, D, i > j ? i : j, i > j ? j : i) *
           sqrtl((real)made->noise[i] * made->noise[j]);
}

/* c = m + S (S + V)^-1 (x~ - m) and S - S (S + V)^-1 S with a full V. */
static void correlated_as_in_the_textbook(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct case_of made;
        double share, centre[D];
        real s[D * D], total[D * D], inverse[D * D], away[D];
        case_create(&made, 1, seed + 1);
        correlate(&made, seed);
        const double *root = made.population.root;
        for (size_t i = 0; i < D; i++) {
            away[i] = (real)made.x[i] - made.population.mean[i];
            for (size_t j = 0; j < D; j++) {
                s[i * D + j] = 0;
                for (size_t l = 0; l < D; l++)
                    s[i * D + j] += (real)root[i * D + l] * root[j * D + l];
                total[i * D + j] = s[i * D + j] + covariance_of_errors(&made, i, j);
            }
        }
        real determinant = reference_inverse(D, total, inverse);
        double value = take(&made, &share, centre);
        close_to(value,
                 -0.5L *
                     (D * logl(2 * REAL_PI) + determinant + reference_form(D, away, inverse, away)),
                 1e-10L, "log p(x~)");
        for (size_t i = 0; i < D; i++) {
            real mean = made.population.mean[i];
            for (size_t a = 0; a < D; a++)
                for (size_t b = 0; b < D; b++)
                    mean += s[i * D + a] * inverse[a * D + b] * away[b];
            close_to(centre[i], mean, 1e-10L, "centre");
            for (size_t j = 0; j < D; j++) {
                real left = s[i * D + j], product = 0;
                for (size_t a = 0; a < D; a++)
                    for (size_t b = 0; b < D; b++)
                        left -= s[i * D + a] * inverse[a * D + b] * s[b * D + j];
                for (size_t l = 0; l < D; l++)
                    product +=
                        (real)made.conditioner.root[i * D + l] * made.conditioner.root[j * D + l];
                close_to((double)product, left, 1e-10L, "R R'");
            }
        }
        case_free(&made);
    }
}

static struct surprise surprise_of(struct case_of *made, const double *noise, const double *shape) {
    double share[2], centre[2 * D];
    struct measurement row = {made->x, noise, shape};
    return population_surprise(&made->population, &made->conditioner, &row, share, centre);
}

static void compare_with_plain(struct case_of *made, const double *noise, double offset) {
    double share[2], centre[2 * D], plain_share[2], plain_centre[2 * D], root[2 * D * D];
    double value = take(made, share, centre);
    memcpy(root, made->conditioner.root, sizeof root);
    struct surprise surprise = surprise_of(made, made->noise, made->shape);
    close_to(surprise_of(made, noise, NULL).value, surprise.value, 1e-9L, "surprise");
    double plain =
        conditioner_take(&made->conditioner, &(struct measurement){.x = made->x, .noise = noise},
                         plain_share, plain_centre);
    close_to(value, plain + offset, 1e-9L, "log p(x~) of a plain row");
    for (size_t i = 0; i < 2 * D; i++)
        close_to(centre[i], plain_centre[i], 1e-9L, "centre of a plain row");
    for (size_t k = 0; k < 2; k++) {
        close_to(share[k], plain_share[k], 1e-9L, "share of a plain row");
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) {
                real got = 0, wanted = 0;
                for (size_t l = 0; l < D; l++) {
                    size_t a = (k * D + i) * D + l, b = (k * D + j) * D + l;
                    got += (real)root[a] * root[b];
                    wanted += (real)made->conditioner.root[a] * made->conditioner.root[b];
                }
                close_to((double)got, wanted, 1e-9L, "R R' of a plain row");
            }
    }
}

/* No correlation; equal halves; limits far from all values; with exact and missing cells among
 * them. */
static void plain_rows_again(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct case_of made;
        case_create(&made, 2, seed + 20);
        made.noise[seed % D] = seed % 2 ? 0.0 : INFINITY;
        compare_with_plain(&made, made.noise, 0.0);
        for (size_t j = 0; j < D; j++)
            if (isfinite(made.noise[j]) && made.noise[j] > 0.0)
                made.shape[j] = sqrt(made.noise[j]);
        compare_with_plain(&made, made.noise, 0.0);
        memset(made.shape, 0, sizeof made.shape);
        double noise[D];
        memcpy(noise, made.noise, sizeof noise);
        size_t j = (seed + 1) % D;
        made.shape[D + j] = seed % 2 ? 1.0 : -1.0;
        made.x[j] = seed % 2 ? -1e3 : 1e3;
        noise[j] = INFINITY; /* no information */
        compare_with_plain(&made, noise, 0.0);
        case_free(&made);
    }
}

/* With a very wide population p(x | x~) is determined by the measurement: x~ and V with its
 * correlations, and for asymmetric cells the mean and variance of both halves. */
static void wide_population_says_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct case_of made;
        double share, centre[D];
        case_create(&made, 1, seed + 40);
        for (size_t i = 0; i < D * D; i++)
            made.population.root[i] = i % (D + 1) ? 0.0 : 1e5;
        bool lopsided = seed % 2;
        for (size_t j = 0; j < D; j++) {
            made.noise[j] *= 0.1;
            made.shape[j] = lopsided ? (1.5 + 0.25 * (double)j) * sqrt(made.noise[j]) : 0.0;
        }
        if (!lopsided)
            correlate(&made, seed);
        take(&made, &share, centre);
        for (size_t i = 0; i < D; i++) {
            struct tilt own = tilt_alone(made.x[i], sqrt(made.noise[i]), made.shape[i]);
            close_to(centre[i], lopsided ? own.mean : made.x[i], 1e-9L, "centre, wide population");
            for (size_t j = 0; j < D; j++) {
                real got = 0, wanted = covariance_of_errors(&made, i, j);
                if (lopsided)
                    wanted = i == j ? own.variance : 0.0;
                for (size_t l = 0; l < D; l++)
                    got +=
                        (real)made.conditioner.root[i * D + l] * made.conditioner.root[j * D + l];
                close_to((double)got, wanted, 1e-9L, "R R', wide population");
            }
        }
        case_free(&made);
    }
}

/* (D^2 - m) / sqrt(2 m) where errors are correlated, in the principal axes of S + V; a limit alone
 * is a matter of its probability. */
static void surprises_have_these_values(void **state) {
    (void)state;
    struct case_of made;
    case_create(&made, 1, 60);
    /* S = 4 I and V = 1 with one correlation: variances 5 + c and 5 - c of sum and difference. */
    for (size_t i = 0; i < D * D; i++)
        made.population.root[i] = i % (D + 1) ? 0.0 : 2.0;
    for (size_t j = 0; j < D; j++) {
        made.noise[j] = 1.0;
        made.x[j] += made.population.mean[j];
    }
    const double c = 0.8;
    made.shape[2 * D] = c; /* of attributes 1 and 0 */
    real distance[D], square = 0;
    for (size_t j = 0; j < D; j++)
        distance[j] = (real)made.x[j] - made.population.mean[j];
    square = (distance[0] + distance[1]) * (distance[0] + distance[1]) / (2 * (5 + (real)c)) +
             (distance[0] - distance[1]) * (distance[0] - distance[1]) / (2 * (5 - (real)c));
    for (size_t j = 2; j < D; j++)
        square += distance[j] * distance[j] / 5;
    close_to(surprise_of(&made, made.noise, made.shape).value, (square - D) / sqrtl(2.0L * D),
             1e-10L, "surprise of correlated errors");
    memset(made.shape, 0, sizeof made.shape);
    for (size_t j = 1; j < D; j++)
        made.noise[j] = INFINITY;
    made.shape[D] = -1.0; /* below x~: P = Phi((x~ - m) / sqrt(5)) */
    double likely = (double)(0.5L * erfcl(-distance[0] / sqrtl(10.0L))), rest = 1.0 - likely;
    double entropy = -likely * log(likely) - rest * log(rest);
    struct surprise limit = surprise_of(&made, made.noise, made.shape);
    close_to(limit.log_density, logl((real)likely), 1e-10L, "log P of a limit");
    close_to(limit.value, (-log(likely) - entropy) / sqrt(0.5 * rest), 1e-9L, "limit's surprise");
    case_free(&made);
}

/* ---------------------------------------------------------------- two true values ------------- */

/* Two attributes of a Gaussian population, cells of any kind: mean and covariance by a sum over a
 * grid of true values. */
static void grid_moments(const double *mean, const double *root, const double *x,
                         const double *noise, const double *upper, const double *side,
                         real moment[6]) {
    enum { STEPS = 400 };
    memset(moment, 0, 6 * sizeof *moment);
    for (size_t a = 0; a < STEPS; a++)
        for (size_t b = 0; b < STEPS; b++) {
            real u = 16 * ((real)a + 0.5L) / STEPS - 8, v = 16 * ((real)b + 0.5L) / STEPS - 8;
            real t0 = mean[0] + root[0] * u + root[1] * v, t1 = mean[1] + root[2] * u + root[3] * v;
            double low0 = sqrt(noise[0]), low1 = sqrt(noise[1]);
            real mass = normal(u) * normal(v) *
                        cell_density(t0, x[0], low0, upper[0] > 0 ? upper[0] : low0, side[0]) *
                        cell_density(t1, x[1], low1, upper[1] > 0 ? upper[1] : low1, side[1]);
            const real power[6] = {1, t0, t1, t0 * t0, t0 * t1, t1 * t1};
            for (size_t k = 0; k < 6; k++)
                moment[k] += mass * power[k];
        }
    for (size_t k = 1; k < 6; k++)
        moment[k] /= moment[0];
    moment[3] -= moment[1] * moment[1];
    moment[4] -= moment[1] * moment[2];
    moment[5] -= moment[2] * moment[2];
}

/* Largest difference of means and covariances, in units of the deviations. */
static double farthest(const double *upper, const double *side) {
    struct population population;
    struct arena arena = {0};
    struct conditioner conditioner;
    const double x[2] = {0.4, -0.5}, noise[2] = {0.2, 0.3};
    double shape[5] = {upper[0], upper[1], side[0], side[1], 0.0}, share, centre[2];
    assert_true(population_allocate(&population, 2, 1));
    memcpy(population.root, (double[]){1.0, 0.0, 0.7, 0.6}, 4 * sizeof(double));
    population.share[0] = 1.0;
    conditioner_layout(&conditioner, &population, &arena);
    assert_true(arena_allocate(&arena));
    conditioner_layout(&conditioner, &population, &arena);
    struct measurement row = {x, noise, shape};
    conditioner_take(&conditioner, &row, &share, centre);
    real moment[6];
    grid_moments(population.mean, population.root, x, noise, upper, side, moment);
    const double *r = conditioner.root;
    real s0 = sqrtl(moment[3]), s1 = sqrtl(moment[5]);
    real away[5] = {(centre[0] - moment[1]) / s0, (centre[1] - moment[2]) / s1,
                    (r[0] * r[0] + r[1] * r[1]) / moment[3] - 1,
                    (r[0] * r[2] + r[1] * r[3] - moment[4]) / (s0 * s1),
                    (r[2] * r[2] + r[3] * r[3]) / moment[5] - 1};
    real most = 0;
    for (size_t i = 0; i < 5; i++)
        most = fmaxl(most, fabsl(away[i]));
    population_free(&population);
    arena_free(&arena);
    return (double)most;
}

/* One asymmetric cell or limit: exact except for the grid. Two: nearly exact, also if they
 * contradict each other and the population. */
static void odd_cells_in_company(void **state) {
    (void)state;
    assert_true(farthest((double[]){1.2, 0}, (double[]){0, 0}) < 1e-3);
    assert_true(farthest((double[]){0, 0}, (double[]){0, -1}) < 1e-3);
    double lopsided = farthest((double[]){1.2, 0.1}, (double[]){0, 0});
    double limits = farthest((double[]){0, 0}, (double[]){1, -1});
    double both = farthest((double[]){0.9, 0}, (double[]){0, -1});
    print_message("two odd cells: %.3f lopsided, %.3f limits, %.3f one of each\n", lopsided, limits,
                  both);
    assert_true(lopsided < 0.01 && limits < 0.01 && both < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_these_moments),
        cmocka_unit_test(far_cells_stay_finite),
        cmocka_unit_test(correlated_as_in_the_textbook),
        cmocka_unit_test(plain_rows_again),
        cmocka_unit_test(wide_population_says_nothing),
        cmocka_unit_test(surprises_have_these_values),
        cmocka_unit_test(odd_cells_in_company),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
