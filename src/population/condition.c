/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p(x | x~) of a population. Cells are added one after the other in square-root form (Potter's
 * update of Kalman filters): for a Gaussian with mean c and factor R, whose row j is r, a cell with
 * variance V_j is a surprise x~_j - c_j of variance a = r r' + V_j, and
 *
 *     c += k (x~_j - c_j),   R -= k r / (1 + sqrt(V_j / a)),   k = R r' / a.
 *
 * There is no inverse and no factorisation that could fail. V_j = 0 makes row j of R zero, and a
 * missing cell is skipped. The product of the densities of the surprises is p(x~).
 */
#include "math/simd.h"
#include "math/vector.h"
#include "population/population.h"

#include <math.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836

enum { MOST_SWEEPS = 10 }; /* over a row's asymmetric cells and limits, see condition_shaped.c */

/* A variance of less than this share of the attribute's own variance is a rounding error. */
#define NOTHING 1e-13

bool population_allocate(struct population *population, size_t attributes, size_t components) {
    *population = (struct population){.attributes = attributes, .components = components};
    for (int pass = 0; pass < 2; pass++) {
        struct arena *arena = &population->arena;
        size_t each = components ? components : 1;
        population->share = arena_doubles(arena, each);
        population->mean = arena_doubles(arena, each * attributes);
        population->variance = components ? NULL : arena_doubles(arena, attributes);
        population->root = arena_doubles(arena, components * attributes * attributes);
        if (pass == 0 && !arena_allocate(arena))
            return false;
    }
    return true;
}

void population_free(struct population *population) {
    arena_free(&population->arena);
    *population = (struct population){0};
}

bool population_flat(struct population *population, size_t attributes, double variance) {
    if (!population_allocate(population, attributes, 0))
        return false;
    for (size_t j = 0; j < attributes; j++)
        population->variance[j] = variance;
    return true;
}

size_t population_gaussians(const struct population *population) {
    return population->components ? population->components : 1;
}

void population_component(const struct population *population, size_t k, double *mean,
                          double *root) {
    size_t d = population->attributes;
    memcpy(mean, population->mean + k * d, d * sizeof(double));
    if (population->components) {
        memcpy(root, population->root + k * d * d, d * d * sizeof(double));
        return;
    }
    memset(root, 0, d * d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        root[j * d + j] = sqrt(population->variance[j]);
}

double population_log_share(const struct population *population, size_t k) {
    return population->components ? log(population->share[k]) : 0.0;
}

bool population_append(struct population *population, size_t more) {
    size_t old = population->attributes, d = old + more, components = population->components;
    struct population wide;
    if (!population_allocate(&wide, d, components))
        return false;
    wide.learned = population->learned;
    for (size_t k = 0; k < (components ? components : 1); k++) {
        wide.share[k] = population->share[k];
        memcpy(wide.mean + k * d, population->mean + k * old, old * sizeof(double));
    }
    for (size_t k = 0; k < components; k++)
        for (size_t i = 0; i < d; i++) {
            double *row = wide.root + (k * d + i) * d;
            if (i < old)
                memcpy(row, population->root + (k * old + i) * old, old * sizeof(double));
            else
                row[i] = 1.0;
        }
    for (size_t j = 0; components == 0 && j < d; j++)
        wide.variance[j] = j < old ? population->variance[j] : 1.0;
    population_free(population);
    *population = wide;
    return true;
}

void conditioner_layout(struct conditioner *conditioner, const struct population *population,
                        struct arena *arena) {
    size_t d = population->attributes, k = population_gaussians(population);
    *conditioner = (struct conditioner){.population = population};
    conditioner->noise = arena_doubles(arena, d);
    conditioner->gain = arena_doubles(arena, k * d * d);
    conditioner->total = arena_doubles(arena, k * d);
    conditioner->root = arena_doubles(arena, k * d * d);
    conditioner->covariance = arena_doubles(arena, k * d * d);
    conditioner->work = arena_doubles(arena, d * d + d);
    conditioner->shapes.cell = arena_sizes(arena, d);
    conditioner->shapes.factor = arena_doubles(arena, d * d);
    conditioner->shapes.h = arena_doubles(arena, d * d);
    conditioner->shapes.y = arena_doubles(arena, d);
    conditioner->shapes.odd = arena_sizes(arena, d);
    conditioner->shapes.sweeps = MOST_SWEEPS;
    conditioner->shapes.site = arena_bytes(arena, d, sizeof *conditioner->shapes.site);
    conditioner->shapes.before = arena_doubles(arena, d * d + d);
    conditioner->shapes.usual = arena_bytes(arena, k, sizeof *conditioner->shapes.usual);
}

/* As `dot` and `add_scaled`, inlined: for the few attributes of a row a call would take longer than
 * the sum. */
SIMD_INLINE double short_dot(size_t n, const double *a, const double *b) {
    double part[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t l = 0; l < 4; l++)
            part[l] += a[i + l] * b[i + l];
    for (size_t l = 0; i + l < n; l++)
        part[l] += a[i + l] * b[i + l];
    return (part[0] + part[2]) + (part[1] + part[3]);
}

SIMD_INLINE void short_add(size_t n, double s, const double *a, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += s * a[i];
}

SIMD_CLONES void add_square(size_t d, double weight, const double *v, double *covariance) {
    for (size_t i = 0; i < d; i++)
        short_add(i + 1, weight * v[i], v, covariance + i * d);
}

SIMD_CLONES void add_root_square(size_t d, double weight, const double *root, double *covariance) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            covariance[i * d + j] += weight * short_dot(d, root + i * d, root + j * d);
}

/* Adds cell j: computes row j of `gain` and the new root (d x d). row: scratch of d. Returns a. */
SIMD_INLINE double take_cell(size_t d, size_t j, double noise, double prior, double *root,
                             double *gain, double *row) {
    memcpy(row, root + j * d, d * sizeof(double));
    double own = short_dot(d, row, row), a = own + noise;
    bool tells = a > NOTHING * prior;
    double shrink = tells ? 1.0 / (1.0 + sqrt(noise / a)) : 0.0;
    for (size_t i = 0; tells && i < d; i++) {
        gain[i] = short_dot(d, root + i * d, row) / a;
        short_add(d, -shrink * gain[i], row, root + i * d);
    }
    if (noise == 0.0)
        memset(root + j * d, 0, d * sizeof(double));
    return tells ? a : 0.0;
}

/* Adds all cells of a row to one component: computes gain, total and the root, which holds the
 * component's own root on entry. work: 2 d. */
SIMD_CLONES static void take_cells(size_t d, const double *noise, double *root, double *gain,
                                   double *total, double *work) {
    double *prior = work + d;
    for (size_t j = 0; j < d; j++)
        prior[j] = short_dot(d, root + j * d, root + j * d);
    for (size_t j = 0; j < d; j++)
        total[j] =
            isinf(noise[j]) ? 0.0 : take_cell(d, j, noise[j], prior[j], root, gain + j * d, work);
}

/* Computes gain, total and root of every component for this noise. */
static void prepare(struct conditioner *conditioner, const double *noise) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes;
    for (size_t k = 0; k < population_gaussians(population); k++) {
        double *root = conditioner->root + k * d * d;
        population_component(population, k, conditioner->work, root);
        take_cells(d, noise, root, conditioner->gain + k * d * d, conditioner->total + k * d,
                   conditioner->work);
    }
    memcpy(conditioner->noise, noise, d * sizeof(double));
    conditioner->filled = true;
    conditioner->multiplied = false;
}

/* The centre of component k and log N(x~; m_k, S_k + V). Variances are multiplied as long as the
 * product is of moderate size, because a logarithm takes longer than everything else. */
SIMD_CLONES static double take_row(const struct conditioner *conditioner, size_t k, const double *x,
                                   double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes;
    const double *total = conditioner->total + k * d, *gain = conditioner->gain + k * d * d;
    double twice = 0.0, product = 1.0;
    memcpy(centre, population->mean + k * d, d * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        double surprise = x[j] - centre[j];
        if (total[j] > 0.0) {
            short_add(d, surprise, gain + j * d, centre);
            twice += LOG_TWO_PI + surprise * surprise / total[j];
            product *= total[j];
        }
        if (!(product > 1e-8 && product < 1e8)) {
            twice += log(product);
            product = 1.0;
        }
        if (conditioner->noise[j] == 0.0)
            centre[j] = x[j]; /* without rounding */
    }
    return -0.5 * (twice + log(product));
}

double conditioner_take(struct conditioner *conditioner, const struct measurement *row,
                        double *share, double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes, components = population_gaussians(population);
    if (row->shape)
        return conditioner_take_shaped(conditioner, row, share, centre);
    if (!conditioner->filled || memcmp(conditioner->noise, row->noise, d * sizeof(double)) != 0)
        prepare(conditioner, row->noise);
    for (size_t k = 0; k < components; k++)
        share[k] =
            population_log_share(population, k) + take_row(conditioner, k, row->x, centre + k * d);
    return conditioner_share(components, share);
}

double conditioner_share(size_t components, double *share) {
    double largest = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < components; k++)
        largest = fmax(largest, share[k]);
    for (size_t k = 0; k < components; k++)
        sum += share[k] = exp(share[k] - largest);
    scale(components, 1.0 / sum, share);
    return largest + log(sum);
}

/* R R' of every component. */
static void multiply_roots(struct conditioner *conditioner) {
    size_t d = conditioner->population->attributes;
    for (size_t k = 0; k < population_gaussians(conditioner->population); k++) {
        const double *root = conditioner->root + k * d * d;
        double *covariance = conditioner->covariance + k * d * d;
        memset(covariance, 0, d * d * sizeof(double));
        add_root_square(d, 1.0, root, covariance);
    }
    conditioner->multiplied = true;
}

void population_factorise(size_t d, const double *covariance, double *root) {
    memset(root, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        double *row = root + i * d;
        for (size_t j = 0; j < i; j++) {
            double pivot = root[j * d + j];
            row[j] =
                pivot > 0.0 ? (covariance[i * d + j] - dot(j, row, root + j * d)) / pivot : 0.0;
        }
        double rest = covariance[i * d + i] - dot(i, row, row);
        row[i] = rest > NOTHING * covariance[i * d + i] ? sqrt(rest) : 0.0;
    }
}

void conditioner_merge(struct conditioner *conditioner, const double *share, const double *centres,
                       double *centre, double *root) {
    size_t d = conditioner->population->attributes,
           components = population_gaussians(conditioner->population);
    if (components == 1) {
        memcpy(centre, centres, d * sizeof(double));
        memcpy(root, conditioner->root, d * d * sizeof(double));
        return;
    }
    if (!conditioner->multiplied)
        multiply_roots(conditioner);
    double *covariance = conditioner->work, *distance = covariance + d * d;
    memset(covariance, 0, d * d * sizeof(double));
    memset(centre, 0, d * sizeof(double));
    for (size_t k = 0; k < components; k++)
        add_scaled(d, share[k], centres + k * d, centre);
    for (size_t j = 0; j < d; j++)
        if (conditioner->noise[j] == 0.0)
            centre[j] = centres[j]; /* without rounding, so that the variance is zero */
    for (size_t k = 0; k < components; k++) {
        for (size_t j = 0; j < d; j++)
            distance[j] = centres[k * d + j] - centre[j];
        add_scaled(d * d, share[k], conditioner->covariance + k * d * d, covariance);
        add_square(d, share[k], distance, covariance);
    }
    population_factorise(d, covariance, root);
}

void population_point(size_t d, const double *centre, const double *root, const double *xi,
                      double *x) {
    for (size_t j = 0; j < d; j++)
        x[j] = centre[j] + dot(d, root + j * d, xi);
}
