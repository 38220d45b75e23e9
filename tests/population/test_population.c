/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Populations: p(x | x~) against the formula with explicit inverses in long double; learning
 * against the population from which the rows were drawn, and against the rule that expectation
 * maximisation never lowers the likelihood.
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

enum { MOST_D = 8 };

static double uniform(uint32_t stream, uint64_t index) {
    double u;
    random_uniform((struct random_key){5, stream}, 0, index, 1, &u);
    return u;
}

/* ---------------------------------------------------------------- given a measurement --------- */

/* A population with random means, full covariances and uneven shares. */
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

struct owned_conditioner {
    struct arena arena;
    struct conditioner conditioner;
};

static void conditioner_create(struct owned_conditioner *owned,
                               const struct population *population) {
    *owned = (struct owned_conditioner){0};
    conditioner_layout(&owned->conditioner, population, &owned->arena);
    assert_true(arena_allocate(&owned->arena));
    conditioner_layout(&owned->conditioner, population, &owned->arena);
}

/* G G' of component k. */
static void covariance_of(const struct population *population, size_t k, real *covariance) {
    size_t d = population->attributes;
    const double *root = population->root + k * d * d;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            covariance[i * d + j] = 0;
            for (size_t l = 0; l < d; l++)
                covariance[i * d + j] += (real)root[i * d + l] * root[j * d + l];
        }
}

/* One component given a measurement. */
struct textbook {
    real centre[MOST_D], covariance[MOST_D * MOST_D], evidence;
};

/* c = m + S_.o (S_oo + V_o)^-1 (x~_o - m_o), S - S_.o (S_oo + V_o)^-1 S_o., log N(x~_o; m_o,
 * S_oo + V_o), where o are the cells that are there. */
static struct textbook condition_by_hand(const struct population *population, size_t k,
                                         const double *x, const double *noise) {
    size_t d = population->attributes, seen[MOST_D], n = 0;
    real s[MOST_D * MOST_D], total[MOST_D * MOST_D], inverse[MOST_D * MOST_D], surprise[MOST_D];
    struct textbook result = {.evidence = 0};
    covariance_of(population, k, s);
    for (size_t j = 0; j < d; j++)
        if (isfinite(noise[j]))
            seen[n++] = j;
    for (size_t a = 0; a < n; a++) {
        surprise[a] = (real)x[seen[a]] - population->mean[k * d + seen[a]];
        for (size_t b = 0; b < n; b++)
            total[a * n + b] = s[seen[a] * d + seen[b]] + (a == b ? noise[seen[a]] : 0);
    }
    real log_determinant = n ? reference_inverse(n, total, inverse) : 0;
    if (n)
        result.evidence = -0.5L * ((real)n * logl(2 * REAL_PI) + log_determinant +
                                   reference_form(n, surprise, inverse, surprise));
    for (size_t i = 0; i < d; i++) {
        result.centre[i] = population->mean[k * d + i];
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                result.centre[i] += s[i * d + seen[a]] * inverse[a * n + b] * surprise[b];
        for (size_t j = 0; j < d; j++) {
            result.covariance[i * d + j] = s[i * d + j];
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    result.covariance[i * d + j] -=
                        s[i * d + seen[a]] * inverse[a * n + b] * s[seen[b] * d + j];
        }
    }
    return result;
}

static void assert_close(double got, real wanted, const char *what) {
    if (!(fabsl(got - wanted) <= 1e-10L * fmaxl(1, fabsl(wanted))))
        fail_msg("%s is %.17g instead of %.17Lg", what, got, wanted);
}

/* root root' against a covariance. */
static void assert_root(size_t d, const double *root, const real *covariance, const char *what) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            real product = 0;
            for (size_t l = 0; l < d; l++)
                product += (real)root[i * d + l] * root[j * d + l];
            assert_close((double)product, covariance[i * d + j], what);
        }
}

/* Exact, uncertain and missing cells, in all combinations. */
static void random_noise(size_t d, uint64_t seed, double *noise) {
    for (size_t j = 0; j < d; j++) {
        double u = uniform(2, seed * MOST_D + j);
        noise[j] = u < 0.25 ? 0.0 : u < 0.5 ? INFINITY : exp(6.0 * u - 6.0);
    }
}

/* Shares proportional to share_k N(x~; m_k, S_k + V); centres and covariances of each. */
static void check_row(struct conditioner *conditioner, const double *x, const double *noise) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes, components = population->components;
    double share[4], centre[4 * MOST_D];
    real evidence[4], largest = -INFINITY, total = 0;
    double value =
        conditioner_take(conditioner, &(struct measurement){.x = x, .noise = noise}, share, centre);
    for (size_t k = 0; k < components; k++) {
        struct textbook wanted = condition_by_hand(population, k, x, noise);
        for (size_t j = 0; j < d; j++)
            assert_close(centre[k * d + j], wanted.centre[j], "centre");
        assert_root(d, conditioner->root + k * d * d, wanted.covariance, "R R'");
        evidence[k] = logl(population->share[k]) + wanted.evidence;
        largest = fmaxl(largest, evidence[k]);
    }
    for (size_t k = 0; k < components; k++)
        total += expl(evidence[k] - largest);
    assert_close(value, largest + logl(total), "log p(x~)");
    for (size_t k = 0; k < components; k++)
        assert_close(share[k], expl(evidence[k] - largest) / total, "share");
}

static void conditioning_is_the_textbooks(void **state) {
    (void)state;
    for (size_t d = 1; d <= 5; d++)
        for (size_t components = 1; components <= 3; components += 2) {
            struct population population;
            struct owned_conditioner owned;
            make_population(&population, d, components, 10 * d + components);
            conditioner_create(&owned, &population);
            for (uint64_t row = 0; row < 60; row++) {
                double x[MOST_D], noise[MOST_D];
                random_normal((struct random_key){3, 3}, d, row, d, x);
                random_noise(d, row / 2, noise); /* the second row reuses the gain of the first */
                check_row(&owned.conditioner, x, noise);
            }
            arena_free(&owned.arena);
            population_free(&population);
        }
}

/* An exact cell stays at its measured value without rounding, whatever the other cells are. */
static void exact_cells_stay(void **state) {
    (void)state;
    enum { D = 5, K = 3 };
    struct population population;
    struct owned_conditioner owned;
    make_population(&population, D, K, 4);
    conditioner_create(&owned, &population);
    for (uint64_t row = 0; row < 60; row++) {
        double x[D], noise[D], share[K], centre[K * D], merged[D], root[D * D];
        random_normal((struct random_key){3, 4}, 0, row, D, x);
        random_noise(D, row, noise);
        for (size_t j = 0; row == 0 && j < D; j++)
            noise[j] = 0.0;
        conditioner_take(&owned.conditioner, &(struct measurement){.x = x, .noise = noise}, share,
                         centre);
        conditioner_merge(&owned.conditioner, share, centre, merged, root);
        for (size_t j = 0; j < D; j++) {
            if (noise[j] > 0.0)
                continue;
            assert_true(merged[j] == x[j]);
            for (size_t l = 0; l < D; l++)
                assert_true(root[j * D + l] == 0.0);
            for (size_t k = 0; k < K; k++) {
                assert_true(centre[k * D + j] == x[j]);
                for (size_t l = 0; l < D; l++)
                    assert_true(owned.conditioner.root[(k * D + j) * D + l] == 0.0);
            }
        }
    }
    arena_free(&owned.arena);
    population_free(&population);
}

static void nothing_measured_leaves_the_population(void **state) {
    (void)state;
    enum { D = 3, K = 3 };
    struct population population;
    struct owned_conditioner owned;
    make_population(&population, D, K, 6);
    conditioner_create(&owned, &population);
    const double x[D] = {1e3, NAN, -7.0}, noise[D] = {INFINITY, INFINITY, INFINITY};
    double share[K], centre[K * D];
    assert_close(conditioner_take(&owned.conditioner, &(struct measurement){.x = x, .noise = noise},
                                  share, centre),
                 0, "log p()");
    assert_memory_equal(centre, population.mean, sizeof centre);
    assert_memory_equal(owned.conditioner.root, population.root, K * D * D * sizeof(double));
    for (size_t k = 0; k < K; k++)
        assert_close(share[k], population.share[k], "share");
    arena_free(&owned.arena);
    population_free(&population);
}

/* Fully correlated attributes: exact cells of all of them, and of one. */
static void singular_covariance(void **state) {
    (void)state;
    struct population population;
    struct owned_conditioner owned;
    assert_true(population_allocate(&population, 3, 1));
    population.share[0] = 1.0;
    population.root[0] = 1.0, population.root[3] = 2.0, population.root[6] = -1.0;
    conditioner_create(&owned, &population);
    const double x[] = {0.5, 1.0, -0.5}, exact[3] = {0}, one[] = {0.0, INFINITY, INFINITY};
    double share, centre[3];
    double whole = conditioner_take(&owned.conditioner,
                                    &(struct measurement){.x = x, .noise = exact}, &share, centre);
    for (size_t j = 0; j < 3; j++)
        assert_true(centre[j] == x[j]);
    double alone = conditioner_take(&owned.conditioner, &(struct measurement){.x = x, .noise = one},
                                    &share, centre);
    for (size_t j = 0; j < 3; j++)
        assert_close(centre[j], x[j], "centre");
    for (size_t i = 0; i < 9; i++)
        assert_close(owned.conditioner.root[i], 0, "R");
    /* A cell that the first one determines adds nothing. */
    assert_close(whole, -0.5L * (logl(2 * REAL_PI) + 0.25L), "log p(x~)");
    assert_close(alone, whole, "log p(x~)");
    arena_free(&owned.arena);
    population_free(&population);
}

/* Mean sum_k r_k c_k and covariance sum_k r_k (R_k R_k' + c_k c_k') - mean mean'. */
static void merging_keeps_mean_and_covariance(void **state) {
    (void)state;
    enum { D = 4, K = 3 };
    struct population population;
    struct owned_conditioner owned;
    make_population(&population, D, K, 8);
    conditioner_create(&owned, &population);
    for (uint64_t row = 0; row < 40; row++) {
        double x[D], noise[D], share[K], centre[K * D], merged[D], root[D * D];
        real mean[D] = {0}, covariance[D * D] = {0};
        random_normal((struct random_key){3, 5}, 0, row, D, x);
        random_noise(D, row / 2, noise);
        conditioner_take(&owned.conditioner, &(struct measurement){.x = x, .noise = noise}, share,
                         centre);
        conditioner_merge(&owned.conditioner, share, centre, merged, root);
        for (size_t k = 0; k < K; k++) {
            struct textbook part = condition_by_hand(&population, k, x, noise);
            for (size_t i = 0; i < D; i++) {
                mean[i] += share[k] * part.centre[i];
                for (size_t j = 0; j < D; j++)
                    covariance[i * D + j] +=
                        share[k] * (part.covariance[i * D + j] + part.centre[i] * part.centre[j]);
            }
        }
        for (size_t i = 0; i < D * D; i++)
            covariance[i] -= mean[i / D] * mean[i % D];
        for (size_t j = 0; j < D; j++)
            assert_close(merged[j], mean[j], "merged centre");
        assert_root(D, root, covariance, "merged root");
    }
    arena_free(&owned.arena);
    population_free(&population);
}

/* Shares, centres and factors are those of the old attributes, and p(x~) has the new ones' own
 * densities as factors. */
static void appended_attributes_say_nothing(void **state) {
    (void)state;
    enum { D = 3, K = 2, MORE = 2, WIDE = D + MORE };
    const double x[WIDE] = {0.3, -1.2, 0.0, 2.5, -0.7}, log_two_pi = log(2.0 * acos(-1.0));
    const double noise[WIDE] = {0.2, 0.5, INFINITY, 0.0, 0.0};
    struct population population;
    struct owned_conditioner narrow, wide;
    double share[2][K], centre[K * D], wide_centre[K * WIDE];
    make_population(&population, D, K, 31);
    conditioner_create(&narrow, &population);
    double value = conditioner_take(
        &narrow.conditioner, &(struct measurement){.x = x, .noise = noise}, share[0], centre);
    assert_true(population_append(&population, MORE));
    conditioner_create(&wide, &population);
    double wide_value = conditioner_take(
        &wide.conditioner, &(struct measurement){.x = x, .noise = noise}, share[1], wide_centre);
    for (size_t j = D; j < WIDE; j++)
        wide_value += 0.5 * (log_two_pi + x[j] * x[j]);
    assert_true(fabs(wide_value - value) <= 1e-13);
    for (size_t k = 0; k < K; k++) {
        assert_true(fabs(share[0][k] - share[1][k]) <= 1e-14);
        for (size_t i = 0; i < WIDE; i++)
            for (size_t j = 0; j < WIDE; j++) {
                double got = wide.conditioner.root[(k * WIDE + i) * WIDE + j];
                double wanted = i < D && j < D ? narrow.conditioner.root[(k * D + i) * D + j] : 0.0;
                assert_true(fabs(got - wanted) <= 1e-14);
            }
        for (size_t j = 0; j < WIDE; j++)
            assert_true(fabs(wide_centre[k * WIDE + j] - (j < D ? centre[k * D + j] : x[j])) <=
                        1e-14);
    }
    arena_free(&narrow.arena);
    arena_free(&wide.arena);
    population_free(&population);
}

/* ---------------------------------------------------------------- learning -------------------- */

struct drawn {
    double *x, *noise;
    struct population_rows rows;
};

/* Rows of N(mean, root root'), components taking turns, each cell with an error of its own;
 * `missing` is the share of cells that are not there. */
static void draw_rows(struct drawn *drawn, size_t rows, const struct population *from,
                      double missing) {
    size_t d = from->attributes, cells = rows * d;
    double *z = doubles(d), *error = doubles(cells);
    drawn->x = doubles(cells);
    drawn->noise = doubles(cells);
    random_normal((struct random_key){9, 1}, 0, 0, cells, error);
    for (size_t i = 0; i < rows; i++) {
        size_t k = i % from->components;
        random_normal((struct random_key){9, 2}, 0, i, d, z);
        population_point(d, from->mean + k * d, from->root + k * d * d, z, drawn->x + i * d);
    }
    for (size_t i = 0; i < cells; i++) {
        drawn->noise[i] = 0.05 + uniform(6, i);
        drawn->x[i] += sqrt(drawn->noise[i]) * error[i];
        if (uniform(7, i) < missing) {
            drawn->noise[i] = INFINITY;
            drawn->x[i] = 0.0;
        }
    }
    drawn->rows = (struct population_rows){rows, d, drawn->x, drawn->noise, NULL, NULL};
    free(z);
    free(error);
}

static void drawn_free(struct drawn *drawn) {
    free(drawn->x);
    free(drawn->noise);
}

/* Means far from the truth, covariances much too wide. */
static void start_badly(struct population *population, size_t d, size_t components) {
    assert_true(population_allocate(population, d, components));
    for (size_t k = 0; k < (components ? components : 1); k++) {
        population->share[k] = 1.0 / (double)(components ? components : 1);
        for (size_t j = 0; j < d; j++) {
            population->mean[k * d + j] = 4.0 - 3.0 * (double)k + (double)j;
            if (components)
                population->root[(k * d + j) * d + j] = 3.0;
            else
                population->variance[j] = 9.0;
        }
    }
}

/* The least that a variance may be, 1e-8, is added in every round and may cost as much. */
#define ROUNDING 1e-7

static void never_falls(size_t components) {
    enum { D = 3, ROUNDS = 20 };
    struct population truth, population;
    struct drawn drawn;
    struct pool *pool = pool_create(2);
    make_population(&truth, D, 3, 12);
    draw_rows(&drawn, 500, &truth, 0.3);
    start_badly(&population, D, components);
    double first = population_likelihood(&population, &drawn.rows, pool), last = first;
    for (size_t round = 0; round < ROUNDS; round++) {
        double before = population_improve(&population, &drawn.rows, 0.0, pool);
        double now = population_likelihood(&population, &drawn.rows, pool);
        assert_close(before, last, "likelihood before the round");
        if (!(now >= before - ROUNDING))
            fail_msg("%zu components, round %zu: from %.12g to %.12g", components, round, before,
                     now);
        last = now;
    }
    assert_true(last > first + 0.3);
    double sum = 0.0;
    for (size_t k = 0; k < components; k++)
        sum += population.share[k];
    assert_close(sum, components ? 1 : 0, "sum of shares");
    pool_free(pool);
    population_free(&population);
    population_free(&truth);
    drawn_free(&drawn);
}

static void likelihood_never_falls(void **state) {
    (void)state;
    never_falls(1);
    never_falls(3);
    never_falls(0);
}

/*
 * Standard errors of what rows with given noise tell by their moments alone, in cells that are
 * there: (S_jj + V_ij)/n^2 and ((S_jj + V_ij)(S_kk + V_ik) + S_jk^2)/n^2, summed over rows (with
 * S_jj + V_ij in place of S_jk where j = k). The maximum of the likelihood does no worse.
 */
static double moment_error(const struct drawn *drawn, const real *s, size_t j, size_t k,
                           bool of_mean) {
    size_t d = drawn->rows.attributes;
    double count = 0.0, variance = 0.0;
    for (size_t i = 0; i < drawn->rows.rows; i++) {
        double a = (double)s[j * d + j] + drawn->noise[i * d + j];
        double b = (double)s[k * d + k] + drawn->noise[i * d + k];
        double both = j == k ? a : (double)s[j * d + k];
        if (isinf(a) || isinf(b))
            continue;
        count++;
        variance += of_mean ? a : a * b + both * both;
    }
    return sqrt(variance) / count;
}

static void gaussian_is_recovered(void **state) {
    (void)state;
    enum { D = 3 };
    struct population truth, population;
    struct drawn drawn;
    real wanted[D * D], got[D * D];
    make_population(&truth, D, 1, 14);
    draw_rows(&drawn, 4000, &truth, 0.3);
    struct random_key key = {1, 1};
    assert_true(population_learn(&population, &drawn.rows, POPULATION_GAUSSIAN, key, 2));
    assert_int_equal(population.components, 1);
    assert_true(population.learned && population.share[0] == 1.0);
    covariance_of(&truth, 0, wanted);
    covariance_of(&population, 0, got);
    for (size_t j = 0; j < D; j++) {
        double error = moment_error(&drawn, wanted, j, j, true);
        if (!(fabs(population.mean[j] - truth.mean[j]) <= 4.0 * error))
            fail_msg("mean %zu: %g instead of %g +- %g", j, population.mean[j], truth.mean[j],
                     error);
        for (size_t k = 0; k <= j; k++) {
            error = moment_error(&drawn, wanted, j, k, false);
            if (!(fabsl(got[j * D + k] - wanted[j * D + k]) <= 4.0L * error))
                fail_msg("covariance %zu, %zu: %Lg instead of %Lg +- %g", j, k, got[j * D + k],
                         wanted[j * D + k], error);
        }
    }
    population_free(&population);
    population_free(&truth);
    drawn_free(&drawn);
}

/* So many attributes that only their variances are learned. */
static void many_attributes_are_independent(void **state) {
    (void)state;
    enum { D = POPULATION_MOST_ATTRIBUTES + 1 };
    struct population truth, population;
    struct drawn drawn;
    assert_true(population_allocate(&truth, D, 1));
    truth.share[0] = 1.0;
    real *wanted = reals(D * D);
    for (size_t j = 0; j < D; j++) {
        truth.mean[j] = 0.1 * (double)j;
        truth.root[j * D + j] = 0.5 + 0.02 * (double)j;
    }
    covariance_of(&truth, 0, wanted);
    draw_rows(&drawn, 1000, &truth, 0.3);
    struct random_key key = {1, 1};
    assert_true(population_learn(&population, &drawn.rows, POPULATION_MIXTURE, key, 2));
    assert_int_equal(population.components, 0);
    for (size_t j = 0; j < D; j++) {
        double error = moment_error(&drawn, wanted, j, j, true);
        assert_true(fabs(population.mean[j] - truth.mean[j]) <= 4.5 * error);
        error = moment_error(&drawn, wanted, j, j, false);
        assert_true(fabs(population.variance[j] - (double)wanted[j * D + j]) <= 4.5 * error);
    }
    free(wanted);
    population_free(&population);
    population_free(&truth);
    drawn_free(&drawn);
}

/* A wide population is the mixture with every covariance multiplied, and nothing else changed;
 * scaled back, it has the same bits. */
static void wide_is_a_wider_mixture(void **state) {
    (void)state;
    for (size_t d = 3; d <= POPULATION_MOST_ATTRIBUTES + 1; d += POPULATION_MOST_ATTRIBUTES - 2) {
        struct population truth, mixture, wide;
        struct drawn drawn;
        make_population(&truth, d, 2, 21);
        draw_rows(&drawn, 300, &truth, 0.4);
        struct random_key key = {1, 1};
        assert_true(population_learn(&mixture, &drawn.rows, POPULATION_MIXTURE, key, 2));
        assert_true(population_learn(&wide, &drawn.rows, POPULATION_WIDE, key, 2));
        size_t k = mixture.components, each = k ? k : 1;
        assert_true(wide.learned && wide.components == k && (d == 3) == (k > 0));
        assert_memory_equal(wide.share, mixture.share, each * sizeof(double));
        assert_memory_equal(wide.mean, mixture.mean, each * d * sizeof(double));
        for (size_t i = 0; i < k * d * d; i++)
            assert_true(fabs(wide.root[i] - sqrt(POPULATION_WIDENING) * mixture.root[i]) <=
                        1e-15 * fabs(wide.root[i]));
        for (size_t j = 0; k == 0 && j < d; j++)
            assert_true(fabs(wide.variance[j] - POPULATION_WIDENING * mixture.variance[j]) <=
                        1e-15 * wide.variance[j]);
        population_scale(&wide, 1.0 / POPULATION_WIDENING);
        if (k)
            assert_memory_equal(wide.root, mixture.root, k * d * d * sizeof(double));
        population_free(&wide);
        population_free(&mixture);
        population_free(&truth);
        drawn_free(&drawn);
    }
}

/* Two separate clusters: their shares and means are those from which the rows were drawn, whatever
 * the number of components of each. */
static void clusters_are_found(void **state) {
    (void)state;
    enum { D = 2 };
    struct population truth, population, whole;
    struct drawn drawn;
    struct pool *pool = pool_create(2);
    make_population(&truth, D, 2, 16);
    for (size_t j = 0; j < D; j++) {
        truth.mean[j] = -7.0;
        truth.mean[D + j] = 7.0;
    }
    draw_rows(&drawn, 800, &truth, 0.2);
    struct random_key key = {1, 1};
    assert_true(population_learn(&population, &drawn.rows, POPULATION_MIXTURE, key, 2));
    assert_true(population_learn(&whole, &drawn.rows, POPULATION_GAUSSIAN, key, 2));
    assert_true(population.components >= 2);
    assert_true(population_likelihood(&population, &drawn.rows, pool) >
                population_likelihood(&whole, &drawn.rows, pool) + 0.5);
    for (size_t side = 0; side < 2; side++) {
        double count = 0.0, mean[D] = {0};
        real covariance[D * D];
        covariance_of(&truth, side, covariance);
        for (size_t k = 0; k < population.components; k++) {
            if ((population.mean[k * D] < 0.0) != (side == 0))
                continue;
            count += population.share[k];
            for (size_t j = 0; j < D; j++)
                mean[j] += population.share[k] * population.mean[k * D + j];
        }
        assert_true(fabs(count - 0.5) < 0.01);
        for (size_t j = 0; j < D; j++) /* half the rows, so the error is sqrt(2) as large */
            assert_true(fabs(mean[j] / count - truth.mean[side * D + j]) <
                        4.0 * sqrt(2.0) * moment_error(&drawn, covariance, j, j, true));
    }
    pool_free(pool);
    population_free(&population);
    population_free(&whole);
    population_free(&truth);
    drawn_free(&drawn);
}

/*
 * The distance of clusters does not affect their widths: however strong the pull, well separated
 * clusters keep their covariances if they are moved further apart.
 */
static void distance_leaves_covariances(void **state) {
    (void)state;
    enum { D = 2, K = 2, ROUNDS = 50 };
    real covariance[2][K][D * D]; /* near and far */
    struct pool *pool = pool_create(2);
    for (size_t far = 0; far < 2; far++) {
        struct population truth, population;
        struct drawn drawn;
        make_population(&truth, D, K, 16);
        for (size_t i = 0; i < K * D; i++)
            truth.mean[i] = (i < D ? -1.0 : 1.0) * (far ? 32.0 : 16.0);
        draw_rows(&drawn, 400, &truth, 0.0);
        start_badly(&population, D, K);
        memcpy(population.mean, truth.mean, K * D * sizeof(double));
        for (size_t round = 0; round < ROUNDS; round++)
            population_improve(&population, &drawn.rows, 100.0, pool);
        for (size_t k = 0; k < K; k++)
            covariance_of(&population, k, covariance[far][k]);
        population_free(&population);
        population_free(&truth);
        drawn_free(&drawn);
    }
    pool_free(pool);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < D * D; i++)
            assert_true(fabsl(covariance[1][k][i] - covariance[0][k][i]) < 1e-6L);
}

/*
 * The cost of p parameters learned from n rows on new rows: on average p/(2n) nats per row below
 * the truth, for maximum likelihood if the model is true and n large. A wrong pull would cost more.
 */
static void new_rows_cost_little(void **state) {
    (void)state;
    enum { D = 3, K = 3, ROWS = 600, TRIALS = 6 };
    struct pool *pool = pool_create(2);
    double cost = 0.0, law = (K * (D + D * (D + 1) / 2) + K - 1) / (2.0 * ROWS);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct population truth, population;
        struct drawn all;
        make_population(&truth, D, K, 40 + trial);
        for (size_t k = 0; k < K; k++) {
            truth.share[k] = 1.0 / K; /* as rows are drawn */
            for (size_t j = 0; j < D; j++)
                truth.mean[k * D + j] = k == j ? 12.0 : 0.0;
        }
        draw_rows(&all, 10 * ROWS, &truth, 0.1);
        struct population_rows learn = {ROWS, D, all.x, all.noise, NULL, NULL};
        struct population_rows judge = {9 * ROWS, D,   all.x + ROWS * D, all.noise + ROWS * D,
                                        NULL,     NULL};
        struct random_key key = {1, 1};
        assert_true(population_learn(&population, &learn, POPULATION_MIXTURE, key, 2));
        cost += (population_likelihood(&truth, &judge, pool) -
                 population_likelihood(&population, &judge, pool)) /
                TRIALS;
        population_free(&population);
        population_free(&truth);
        drawn_free(&all);
    }
    pool_free(pool);
    if (!(cost > 0.0 && cost < 2.0 * law))
        fail_msg("new rows cost %.4f nats, the law says %.4f", cost, law);
}

static void one_gaussian_is_not_split(void **state) {
    (void)state;
    struct population truth, population;
    struct drawn drawn;
    make_population(&truth, 2, 1, 18);
    draw_rows(&drawn, 800, &truth, 0.2);
    struct random_key key = {1, 1};
    assert_true(population_learn(&population, &drawn.rows, POPULATION_MIXTURE, key, 2));
    assert_int_equal(population.components, 1);
    population_free(&population);
    population_free(&truth);
    drawn_free(&drawn);
}

static void same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    enum { D = 3, K = 3 };
    struct population truth, one, three;
    struct drawn drawn;
    make_population(&truth, D, K, 20);
    for (size_t i = 0; i < K * D; i++)
        truth.mean[i] *= 5.0;
    draw_rows(&drawn, 400, &truth, 0.2);
    struct random_key key = {1, 1};
    assert_true(population_learn(&one, &drawn.rows, POPULATION_MIXTURE, key, 1));
    assert_true(population_learn(&three, &drawn.rows, POPULATION_MIXTURE, key, 3));
    assert_int_equal(one.components, three.components);
    assert_true(one.components > 1);
    assert_memory_equal(one.share, three.share, one.components * sizeof(double));
    assert_memory_equal(one.mean, three.mean, one.components * D * sizeof(double));
    assert_memory_equal(one.root, three.root, one.components * D * D * sizeof(double));
    population_free(&one);
    population_free(&three);
    population_free(&truth);
    drawn_free(&drawn);
}

/* A row of weight 2 counts as two rows, also where limits make it an odd one. */
static void weights_are_repeated_rows(void **state) {
    (void)state;
    enum { D = 3, ROWS = 60, K = 2 };
    struct population truth, one, other;
    struct drawn drawn;
    assert_true(population_allocate(&truth, D, 1));
    truth.share[0] = 1.0;
    for (size_t j = 0; j < D; j++)
        truth.root[j * D + j] = 1.0;
    draw_rows(&drawn, ROWS, &truth, 0.1);
    struct pool *pool = pool_create(2);
    struct population_rows once, twice;
    assert_true(population_rows_create(&once, D, true, ROWS));
    assert_true(population_rows_create(&twice, D, true, 2 * ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        once.rows++;
        memcpy(once.x + i * D, drawn.x + i * D, D * sizeof(double));
        memcpy(once.noise + i * D, drawn.noise + i * D, D * sizeof(double));
        if (i % 5 == 0 && isfinite(once.noise[i * D]))
            once.shape[i * shape_size(D) + D] = 1.0; /* a limit */
        once.weight[i] = i % 3 == 0 ? 2.0 : 1.0;
        for (size_t copy = 0; copy < (i % 3 == 0 ? 2 : 1); copy++) {
            population_rows_append(&twice, &once, i);
            twice.weight[twice.rows - 1] = 1.0;
        }
    }
    start_badly(&one, D, K);
    start_badly(&other, D, K);
    for (size_t round = 0; round < 5; round++) {
        double a = population_improve(&one, &once, 2.0, pool);
        double b = population_improve(&other, &twice, 2.0, pool);
        assert_true(fabs(a - b) < 1e-10);
    }
    for (size_t i = 0; i < K * D; i++)
        assert_true(fabs(one.mean[i] - other.mean[i]) < 1e-9);
    pool_free(pool);
    population_rows_free(&once);
    population_rows_free(&twice);
    population_free(&one);
    population_free(&other);
    population_free(&truth);
    drawn_free(&drawn);
}

/* It finds a y that follows two branches. */
static void last_is_predicted(void **state) {
    (void)state;
    enum { D = 2, ROWS = 600, JUDGED = 200 };
    struct population_rows rows, judge;
    struct population mixture;
    double total = 0.0;
    assert_true(population_rows_create(&rows, D, false, ROWS));
    assert_true(population_rows_create(&judge, D, false, JUDGED));
    for (size_t i = 0; i < ROWS + JUDGED; i++) {
        struct population_rows *to = i < ROWS ? &rows : &judge;
        size_t at = to->rows++;
        double normal[2], x = 4.0 * uniform(31, i) - 2.0;
        random_normal((struct random_key){9, 32}, 0, i, 2, normal);
        to->noise[at * D] = 0.01 * (1.0 + (double)(i % 7));
        to->noise[at * D + 1] = 0.002 * (double)(i % 3);
        to->x[at * D] = x + sqrt(to->noise[at * D]) * normal[0];
        to->x[at * D + 1] = (i % 2 ? x : -x) + 0.05 * normal[1];
    }
    struct pool *pool = pool_create(1);
    assert_true(population_learn_last(&mixture, &rows, &judge, 0.2, pool));
    for (size_t i = 0; i < JUDGED; i++) {
        struct population_rows one = {1, D, judge.x + i * D, judge.noise + i * D, NULL, NULL};
        double both = population_likelihood(&mixture, &one, pool), noise[D];
        noise[0] = one.noise[0];
        noise[1] = HUGE_VAL;
        one.noise = noise;
        total += (both - population_likelihood(&mixture, &one, pool)) / JUDGED;
    }
    assert_true(mixture.components > 2 && total > -0.6); /* one Gaussian: -1.6 */
    population_free(&mixture);
    population_rows_free(&rows);
    population_rows_free(&judge);
    pool_free(pool);
}

/* x is in seven narrow places of different weight, and y a line whose noise is seven times larger
 * on the right: log p(y | x) of new rows is nearly that of the truth, although p(x) takes most
 * components. */
static void last_is_as_likely_as_it_can_be(void **state) {
    (void)state;
    enum { D = 2, ROWS = 1500, JUDGED = 300, NEW = 1000 };
    struct population_rows part[3];
    static const size_t size[3] = {ROWS, JUDGED, NEW};
    struct population mixture;
    double best = 0.0, found = 0.0;
    for (size_t p = 0, i = 0; p < 3; p++) {
        assert_true(population_rows_create(&part[p], D, false, size[p]));
        for (part[p].rows = size[p]; i < (p == 2 ? ROWS + JUDGED + NEW
                                          : p    ? ROWS + JUDGED
                                                 : ROWS);
             i++) {
            size_t at = i - (p == 2 ? ROWS + JUDGED : p ? ROWS : 0);
            double normal[2], where = floor(7.0 * pow(uniform(41, i), 2.0));
            random_normal((struct random_key){9, 42}, 0, i, 2, normal);
            double x = 0.4 * where + 0.03 * normal[0], noise = where < 4.0 ? 0.05 : 0.35;
            part[p].x[D * at] = x;
            part[p].x[D * at + 1] = 0.5 * x + noise * normal[1];
            part[p].noise[D * at] = part[p].noise[D * at + 1] = 0.0;
            best -=
                p == 2 ? (0.5 * log(6.283185307179586) + log(noise) + 0.5 * normal[1] * normal[1]) /
                             NEW
                       : 0.0;
        }
    }
    struct pool *pool = pool_create(1);
    assert_true(population_learn_last(&mixture, &part[0], &part[1], 0.2, pool));
    found = population_likelihood(&mixture, &part[2], pool);
    for (size_t i = 0; i < NEW; i++)
        part[2].noise[D * i + 1] = HUGE_VAL;
    found -= population_likelihood(&mixture, &part[2], pool);
    if (!(found > best - 0.06))
        fail_msg("log p(y | x) is %g, at best %g", found, best);
    population_free(&mixture);
    for (size_t p = 0; p < 3; p++)
        population_rows_free(&part[p]);
    pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditioning_is_the_textbooks),
        cmocka_unit_test(exact_cells_stay),
        cmocka_unit_test(nothing_measured_leaves_the_population),
        cmocka_unit_test(singular_covariance),
        cmocka_unit_test(merging_keeps_mean_and_covariance),
        cmocka_unit_test(appended_attributes_say_nothing),
        cmocka_unit_test(likelihood_never_falls),
        cmocka_unit_test(gaussian_is_recovered),
        cmocka_unit_test(many_attributes_are_independent),
        cmocka_unit_test(wide_is_a_wider_mixture),
        cmocka_unit_test(clusters_are_found),
        cmocka_unit_test(distance_leaves_covariances),
        cmocka_unit_test(new_rows_cost_little),
        cmocka_unit_test(one_gaussian_is_not_split),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(last_is_predicted),
        cmocka_unit_test(last_is_as_likely_as_it_can_be),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
