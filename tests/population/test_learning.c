/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learning populations: a round of expectation maximisation against the same round with explicit
 * inverses in long double, and what is learned from rows whose distribution is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "population/population.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_D = 9, MOST_K = 3 };

/* ---------------------------------------------------------------- one round ------------------- */

/* Sums of a component over rows. */
struct sums {
    real count, first[MOST_D], second[MOST_D * MOST_D];
};

struct given {
    real log_density, centre[MOST_D], covariance[MOST_D * MOST_D];
};

static void product_with_transpose(size_t d, const double *root, real *product) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            product[i * d + j] = 0;
            for (size_t l = 0; l < d; l++)
                product[i * d + j] += (real)root[i * d + l] * root[j * d + l];
        }
}

/* Component k given a row, whose errors may be correlated. */
static struct given condition(const struct population *population, size_t k,
                              const struct measurement *row) {
    size_t d = population->attributes, seen[MOST_D], n = 0;
    real s[MOST_D * MOST_D], total[MOST_D * MOST_D], inverse[MOST_D * MOST_D], y[MOST_D];
    struct given given = {.log_density = 0};
    product_with_transpose(d, population->root + k * d * d, s);
    for (size_t j = 0; j < d; j++)
        if (isfinite(row->noise[j]))
            seen[n++] = j;
    for (size_t a = 0; a < n; a++) {
        y[a] = (real)row->x[seen[a]] - population->mean[k * d + seen[a]];
        for (size_t b = 0; b < n; b++) {
            size_t i = seen[a], j = seen[b];
            real correlation = a == b ? 1
                               : row->shape
                                   ? shape_correlation(row->shape, d, i > j ? i : j, i > j ? j : i)
                                   : 0;
            total[a * n + b] =
                s[i * d + j] + correlation * sqrtl((real)row->noise[i] * row->noise[j]);
        }
    }
    if (n) {
        real log_det = reference_inverse(n, total, inverse);
        given.log_density =
            -0.5L * ((real)n * logl(2 * REAL_PI) + log_det + reference_form(n, y, inverse, y));
    }
    for (size_t i = 0; i < d; i++) {
        given.centre[i] = population->mean[k * d + i];
        for (size_t j = 0; j < d; j++)
            given.covariance[i * d + j] = s[i * d + j];
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++) {
                real gain = s[i * d + seen[a]] * inverse[a * n + b];
                given.centre[i] += gain * y[b];
                for (size_t j = 0; j < d; j++)
                    given.covariance[i * d + j] -= gain * s[seen[b] * d + j];
            }
    }
    return given;
}

static void add_row(const struct population *population, const struct measurement *row,
                    struct sums *sums, real *likelihood) {
    size_t d = population->attributes;
    struct given given[MOST_K];
    real total = 0, largest = -INFINITY;
    for (size_t k = 0; k < population->components; k++) {
        given[k] = condition(population, k, row);
        given[k].log_density += logl(population->share[k]);
        largest = fmaxl(largest, given[k].log_density);
    }
    for (size_t k = 0; k < population->components; k++)
        total += expl(given[k].log_density - largest);
    *likelihood += largest + logl(total);
    for (size_t k = 0; k < population->components; k++) {
        real share = expl(given[k].log_density - largest) / total;
        sums[k].count += share;
        for (size_t i = 0; i < d; i++) {
            sums[k].first[i] += share * given[k].centre[i];
            for (size_t j = 0; j < d; j++)
                sums[k].second[i * d + j] += share * (given[k].covariance[i * d + j] +
                                                      given[k].centre[i] * given[k].centre[j]);
        }
    }
}

static void make_population(struct population *population, size_t d, size_t components,
                            uint64_t seed) {
    assert_true(population_allocate(population, d, components));
    struct random_key key = {seed, 1};
    double total = 0.0;
    random_normal(key, 0, 0, components * d, population->mean);
    random_normal(key, 0, 1, components * d * d, population->root);
    for (size_t k = 0; k < components; k++) {
        for (size_t j = 0; j < d; j++)
            population->root[(k * d + j) * d + j] += 1.5;
        total += population->share[k] = 0.2 + (double)k;
    }
    for (size_t k = 0; k < components; k++)
        population->share[k] /= total;
}

enum noises { OWN, EQUAL, FEW, CORRELATED, NOISES };

/* Rows with errors of all sizes, exact cells and gaps; with equal errors; with a few patterns of
 * errors, in turn; with correlated errors. */
static void make_rows(struct population_rows *rows, size_t count, size_t d, enum noises noises) {
    struct random_key key = {3, (uint32_t)noises};
    assert_true(population_rows_create(rows, d, noises == CORRELATED, count));
    rows->rows = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t from = noises == EQUAL ? 0 : noises == FEW ? i % 3 : i;
        double *noise = rows->noise + i * d, u[MOST_D], v[MOST_D];
        random_normal(key, 1, i, d, rows->x + i * d);
        random_uniform(key, 2, from, d, u);
        random_uniform(key, 3, from, d, v);
        for (size_t j = 0; j < d; j++)
            noise[j] = u[j] < 0.2 ? 0.0 : u[j] < 0.4 ? INFINITY : exp(6.0 * v[j] - 6.0);
        if (noises != CORRELATED || i % 5 == 0)
            continue;
        double *correlation = rows->shape + i * shape_size(d) + 2 * d, r = 0.8 * (u[0] - 0.5);
        for (size_t j = 1, at = 0; j < d; j++)
            for (size_t l = 0; l < j; l++, at++)
                correlation[at] = isfinite(noise[j]) && isfinite(noise[l]) && noise[j] > 0.0 &&
                                          noise[l] > 0.0 && l + 1 == j
                                      ? r
                                      : 0.0;
    }
}

static void assert_near(double got, real wanted, const char *what) {
    if (!(fabsl(got - wanted) <= 1e-7L * fmaxl(1, fabsl(wanted))))
        fail_msg("%s is %.17g instead of %.17Lg", what, got, wanted);
}

static void check_round(size_t d, size_t components, size_t count, enum noises noises) {
    struct population population;
    struct population_rows rows;
    struct sums sums[MOST_K] = {{0}};
    struct pool *pool = pool_create(2);
    real likelihood = 0;
    make_population(&population, d, components, 7 * d + components);
    make_rows(&rows, count, d, noises);
    for (size_t i = 0; i < count; i++) {
        struct measurement row = population_row(&rows, i);
        add_row(&population, &row, sums, &likelihood);
    }
    assert_near(population_likelihood(&population, &rows, pool), likelihood / (real)count,
                "likelihood");
    assert_near(population_improve(&population, &rows, 0.0, pool), likelihood / (real)count,
                "likelihood before the round");
    for (size_t k = 0; k < components; k++) {
        real got[MOST_D * MOST_D];
        product_with_transpose(d, population.root + k * d * d, got);
        assert_near(population.share[k], sums[k].count / (real)count, "share");
        for (size_t i = 0; i < d; i++) {
            real mean = sums[k].first[i] / sums[k].count;
            assert_near(population.mean[k * d + i], mean, "mean");
            for (size_t j = 0; j <= i; j++)
                assert_near((double)got[i * d + j],
                            sums[k].second[i * d + j] / sums[k].count -
                                mean * sums[k].first[j] / sums[k].count,
                            "covariance");
        }
    }
    pool_free(pool);
    population_rows_free(&rows);
    population_free(&population);
}

/* Shares, means and covariances after a round are those of the formulas, for rows with whatever
 * errors and gaps, in numbers that do and do not fill blocks. */
static void round_is_the_textbooks(void **state) {
    (void)state;
    for (enum noises noises = OWN; noises < NOISES; noises++)
        for (size_t d = 1; d <= MOST_D; d += 1 + d / 4)
            for (size_t components = 1; components <= MOST_K; components++) {
                check_round(d, components, 53, noises);
                check_round(d, components, 160, noises);
            }
}

/* ---------------------------------------------------------------- what is learned ------------- */

/* `count` rows of unit normal clusters, by turns as `pattern` says, moved by `distance` along
 * `direction`; errors of 0.3, with gaps. */
static void draw_clusters(struct population_rows *rows, size_t count, size_t d,
                          const double *direction, const size_t *pattern, size_t period,
                          double distance) {
    struct random_key key = {11, 1};
    assert_true(population_rows_create(rows, d, false, count));
    rows->rows = count;
    for (size_t i = 0; i < count; i++) {
        double error[MOST_D], u[MOST_D], *x = rows->x + i * d;
        random_normal(key, 0, i, d, x);
        random_normal(key, 1, i, d, error);
        random_uniform(key, 2, i, d, u);
        for (size_t j = 0; j < d; j++) {
            x[j] += 0.3 * error[j] + distance * (double)pattern[i % period] * direction[j];
            rows->noise[i * d + j] = u[j] < 0.05 ? INFINITY : 0.09;
            x[j] = u[j] < 0.05 ? 0.0 : x[j];
        }
    }
}

static void learn_clusters(const double *direction, const size_t *pattern, size_t period) {
    enum { D = 5, ROWS = 600 };
    struct population_rows rows;
    struct population population;
    double share[2] = {0}, mean[2] = {0}, wanted = 0.0;
    draw_clusters(&rows, ROWS, D, direction, pattern, period, 6.0);
    for (size_t i = 0; i < period; i++)
        wanted += (double)pattern[i] / (double)period;
    assert_true(
        population_learn(&population, &rows, POPULATION_MIXTURE, (struct random_key){1, 1}, 1));
    if (population.components < 2)
        fail_msg("two clusters are one component");
    for (size_t k = 0; k < population.components; k++) {
        double along = 0.0;
        for (size_t j = 0; j < D; j++)
            along += population.mean[k * D + j] * direction[j];
        share[along > 3.0] += population.share[k];
        mean[along > 3.0] += population.share[k] * along;
    }
    assert_true(fabs(share[1] - wanted) < 0.03);
    assert_true(fabs(mean[0] / share[0]) < 0.25 && fabs(mean[1] / share[1] - 6.0) < 0.25);
    population_free(&population);
    population_rows_free(&rows);
}

/* Two clusters six deviations apart are found, along an attribute or not, and if they take turns in
 * the table with the period of a split that counts rows. */
static void separate_clusters_are_split(void **state) {
    (void)state;
    const double axis[] = {0.0, 0.0, 1.0, 0.0, 0.0}, slant[] = {0.6, -0.48, 0.0, 0.64, 0.0};
    const size_t turns[] = {0, 1}, fourth[] = {0, 0, 0, 1}, rare[] = {0, 0, 0, 0, 1, 0, 0};
    const double *const directions[] = {axis, slant};
    for (size_t i = 0; i < 2; i++) {
        learn_clusters(directions[i], turns, 2);
        learn_clusters(directions[i], fourth, 4);
        learn_clusters(directions[i], rare, 7);
    }
}

/* A narrow core and wide tails around one centre. */
static void tails_are_found(void **state) {
    (void)state;
    enum { D = 3, ROWS = 800 };
    struct population_rows rows;
    struct population population;
    const double nowhere[D] = {0};
    const size_t same[] = {0};
    draw_clusters(&rows, ROWS, D, nowhere, same, 1, 0.0);
    for (size_t i = 0; i < ROWS * D; i++)
        rows.x[i] *= i / D % 4 == 0 ? 5.0 : 1.0;
    assert_true(
        population_learn(&population, &rows, POPULATION_MIXTURE, (struct random_key){1, 1}, 1));
    assert_true(population.components >= 2);
    double narrow = INFINITY, wide = 0.0;
    for (size_t k = 0; k < population.components; k++) {
        double first = population.root[k * D * D] * population.root[k * D * D];
        narrow = fmin(narrow, first);
        wide = fmax(wide, first);
    }
    assert_true(narrow > 0.7 && narrow < 1.4 && wide > 17.0 && wide < 40.0);
    population_free(&population);
    population_rows_free(&rows);
}

/* The order of the rows only changes the rounding of sums. */
static void order_does_not_matter(void **state) {
    (void)state;
    enum { D = 4, K = 3, ROWS = 300, ROUNDS = 5 };
    struct population_rows rows, backwards;
    struct population population[2];
    struct pool *pool = pool_create(1);
    make_rows(&rows, ROWS, D, OWN);
    assert_true(population_rows_create(&backwards, D, false, ROWS));
    for (size_t i = ROWS; i-- > 0;)
        population_rows_append(&backwards, &rows, i);
    for (size_t b = 0; b < 2; b++) {
        make_population(&population[b], D, K, 5);
        for (size_t round = 0; round < ROUNDS; round++)
            population_improve(&population[b], b ? &backwards : &rows, population_pull(D), pool);
    }
    for (size_t i = 0; i < K * D * D; i++)
        assert_near(population[1].root[i], population[0].root[i], "root");
    for (size_t b = 0; b < 2; b++)
        population_free(&population[b]);
    population_rows_free(&rows);
    population_rows_free(&backwards);
    pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_is_the_textbooks),
        cmocka_unit_test(separate_clusters_are_split),
        cmocka_unit_test(tails_are_found),
        cmocka_unit_test(order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
