/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a measurement leaves of a population. Cells are taken in one after the other in square-root
 * form (Potter's update of Kalman filters): a cell of variance V_j, seen against a Gaussian with
 * mean c and factor R, whose row j is r, is a surprise x~_j - c_j of variance a = r r' + V_j, and
 *
 *     c += k (x~_j - c_j),   R -= k r / (1 + sqrt(V_j / a)),   k = R r' / a.
 *
 * No inverse, no factorisation that could fail; V_j = 0 leaves row j of R zero, and a missing cell
 * is passed over. The surprises' densities multiply to p(x~).
 */
#include "math/vector.h"
#include "population/population.h"

#include <math.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836

/* A surprise of less than this share of the attribute's own variance is rounding. */
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
    size_t d = population->attributes, k = population->components;
    *conditioner = (struct conditioner){.population = population};
    conditioner->noise = arena_doubles(arena, d);
    conditioner->gain = arena_doubles(arena, k * d * d);
    conditioner->total = arena_doubles(arena, k * d);
    conditioner->root = arena_doubles(arena, k * d * d);
    conditioner->covariance = arena_doubles(arena, k * d * d);
    conditioner->work = arena_doubles(arena, d * d + d);
}

/* Takes in cell j: row j of `gain`, and the new root (d x d). row: d of scratch. Returns a. */
static double take_cell(size_t d, size_t j, double noise, double prior, double *root, double *gain,
                        double *row) {
    memcpy(row, root + j * d, d * sizeof(double));
    double own = dot(d, row, row), a = own + noise;
    bool tells = a > NOTHING * prior;
    double shrink = tells ? 1.0 / (1.0 + sqrt(noise / a)) : 0.0;
    for (size_t i = 0; tells && i < d; i++) {
        gain[i] = dot(d, root + i * d, row) / a;
        add_scaled(d, -shrink * gain[i], row, root + i * d);
    }
    if (noise == 0.0)
        memset(root + j * d, 0, d * sizeof(double));
    return tells ? a : 0.0;
}

/* Gain, total and root of every component for this noise. */
static void prepare(struct conditioner *conditioner, const double *noise) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes;
    for (size_t k = 0; k < population->components; k++) {
        double *root = conditioner->root + k * d * d, *gain = conditioner->gain + k * d * d;
        const double *prior = population->root + k * d * d;
        memcpy(root, prior, d * d * sizeof(double));
        for (size_t j = 0; j < d; j++)
            conditioner->total[k * d + j] =
                isinf(noise[j]) ? 0.0
                                : take_cell(d, j, noise[j], dot(d, prior + j * d, prior + j * d),
                                            root, gain + j * d, conditioner->work);
    }
    memcpy(conditioner->noise, noise, d * sizeof(double));
    conditioner->filled = true;
    conditioner->multiplied = false;
}

/* Centre of component k and log N(x~; m_k, S_k + V). */
static double take_row(const struct conditioner *conditioner, size_t k, const double *x,
                       double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes;
    const double *total = conditioner->total + k * d, *gain = conditioner->gain + k * d * d;
    double value = 0.0;
    memcpy(centre, population->mean + k * d, d * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        double surprise = x[j] - centre[j];
        if (total[j] > 0.0) {
            add_scaled(d, surprise, gain + j * d, centre);
            value -= 0.5 * (LOG_TWO_PI + log(total[j]) + surprise * surprise / total[j]);
        }
        if (conditioner->noise[j] == 0.0)
            centre[j] = x[j]; /* to the bit */
    }
    return value;
}

double conditioner_take(struct conditioner *conditioner, const double *x, const double *noise,
                        double *share, double *centre) {
    const struct population *population = conditioner->population;
    size_t d = population->attributes, components = population->components;
    if (!conditioner->filled || memcmp(conditioner->noise, noise, d * sizeof(double)) != 0)
        prepare(conditioner, noise);
    double largest = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < components; k++) {
        share[k] = log(population->share[k]) + take_row(conditioner, k, x, centre + k * d);
        largest = fmax(largest, share[k]);
    }
    for (size_t k = 0; k < components; k++)
        sum += share[k] = exp(share[k] - largest);
    scale(components, 1.0 / sum, share);
    return largest + log(sum);
}

/* R R' of every component. */
static void multiply_roots(struct conditioner *conditioner) {
    size_t d = conditioner->population->attributes;
    for (size_t k = 0; k < conditioner->population->components; k++) {
        const double *root = conditioner->root + k * d * d;
        double *covariance = conditioner->covariance + k * d * d;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                covariance[i * d + j] = dot(d, root + i * d, root + j * d);
    }
    conditioner->multiplied = true;
}

/* Lower factor of a covariance (lower triangle given) that may be singular: what has no variance
 * left of its own has a row of zeros from there on. */
static void factorise(size_t d, const double *covariance, double *root) {
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
           components = conditioner->population->components;
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
            centre[j] = centres[j]; /* to the bit, and so without any spread */
    for (size_t k = 0; k < components; k++) {
        for (size_t j = 0; j < d; j++)
            distance[j] = centres[k * d + j] - centre[j];
        add_scaled(d * d, share[k], conditioner->covariance + k * d * d, covariance);
        for (size_t i = 0; i < d; i++)
            add_scaled(i + 1, share[k] * distance[i], distance, covariance + i * d);
    }
    factorise(d, covariance, root);
}

void population_point(size_t d, const double *centre, const double *root, const double *xi,
                      double *x) {
    for (size_t j = 0; j < d; j++)
        x[j] = centre[j] + dot(d, root + j * d, xi);
}
