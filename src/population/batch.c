/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expectation step of population learning for many rows at once. For a row with surprise
 * y = x~ - m, and S = G G' with G lower triangular,
 *
 *     L L' = S + V,  u = L^-1 y,  H = L^-1 G,  e = H'u:   c - m = G e,  R R' = G (I - H'H) G',
 *     log N(x~; m, S + V) = -(u'u + log |L L'| + n log 2 pi) / 2,
 *
 * so the sums over rows of r (c - m) and r ((c - m)(c - m)' + R R') are G sum r e and
 * G (sum r I + sum r (e e' - H'H)) G'. H'H is computed without the inverse of S + V: where V is
 * small, I - H'H is too, and its error is that of the condition of G instead of S. A missing cell
 * has an infinite pivot, whose inverse is zero: the cell drops out of L, u and H.
 *
 * Two passes: the densities of all rows under all components, then the sums of a component over
 * those rows only that may belong to it. Rows with equal noise share L and H.
 */
#include "population/batch.h"
#include "math/special.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836
#define NOTHING 1e-13 /* as in condition.c */
#define BARELY 1e-9   /* a row with a smaller share of a component is not counted in it */

/* ---------------------------------------------------------------- memory ---------------------- */

void expectation_layout(struct expectation *expectation, const struct population *population,
                        struct arena *arena) {
    size_t d = population->attributes, k = population->components;
    expectation->population = population;
    expectation->covariance = arena_doubles(arena, k * packed_at(d, 0));
    expectation->root = arena_doubles(arena, k * d * d);
    expectation->least = arena_doubles(arena, k * d);
    expectation->log_share = arena_doubles(arena, k);
    expectation->full = arena_doubles(arena, d * d);
}

static bool is_lower(size_t d, const double *root) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = i + 1; j < d; j++)
            if (root[i * d + j] != 0.0)
                return false;
    return true;
}

/* S of component k, and a lower triangular root of it. */
static void fill_component(struct expectation *expectation, size_t k) {
    const struct population *population = expectation->population;
    size_t d = population->attributes;
    const double *root = population->root + k * d * d;
    double *covariance = expectation->covariance + k * packed_at(d, 0);
    double *lower = expectation->root + k * d * d, *least = expectation->least + k * d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            covariance[packed_at(i, j)] = expectation->full[i * d + j] =
                dot(d, root + i * d, root + j * d);
        least[i] = NOTHING * covariance[packed_at(i, i)];
    }
    if (is_lower(d, root))
        memcpy(lower, root, d * d * sizeof(double));
    else
        population_factorise(d, expectation->full, lower);
    expectation->log_share[k] = log(population->share[k]);
}

void expectation_fill(struct expectation *expectation) {
    for (size_t k = 0; k < expectation->population->components; k++)
        fill_component(expectation, k);
}

void expectation_work_layout(struct expectation_work *work, const struct batch *batch, size_t most,
                             size_t components, struct arena *arena) {
    size_t d = batch->attributes, packed = packed_at(d, 0);
    work->t = arena_doubles(arena, packed * LANES);
    work->inverse = arena_doubles(arena, d * LANES);
    work->h = arena_doubles(arena, d * d * LANES);
    work->x = arena_doubles(arena, d * LANES);
    work->noise = arena_doubles(arena, batch->width * LANES);
    work->e = arena_doubles(arena, d * LANES);
    work->first = arena_doubles(arena, d * LANES);
    work->second = arena_doubles(arena, packed * LANES);
    work->gram = arena_doubles(arena, d * d);
    work->product = arena_doubles(arena, d * d);
    work->log_density = arena_doubles(arena, components * most * LANES);
    work->member = arena_sizes(arena, most * LANES);
}

/* ---------------------------------------------------------------- densities ------------------- */

/* t = S + V for one block. */
static void add_noise(size_t d, const double *covariance, size_t width, const double *noise,
                      double *t) {
    if (width > d)
        lanes_add(width, covariance, noise, t);
    else
        lanes_add_diagonal(d, covariance, noise, t);
}

/* The pattern of all lanes, or 0 if they differ. */
static size_t one_pattern(const size_t *pattern) {
    for (size_t l = 1; l < LANES; l++)
        if (pattern[l] != pattern[0])
            return 0;
    return pattern[0];
}

/* log share_k N(x~; m_k, S_k + V) of blocks [from, to). */
static void densities(const struct batch *batch, const struct expectation *expectation, size_t k,
                      size_t from, size_t to, struct expectation_work *work, double *out) {
    size_t d = batch->attributes, width = batch->width, last = 0;
    double square[LANES] __attribute__((aligned(64))), count[LANES] __attribute__((aligned(64)));
    double log_det[LANES];
    for (size_t b = from; b < to; b++) {
        size_t pattern = one_pattern(batch->pattern + b * LANES);
        if (!pattern || pattern != last) {
            add_noise(d, expectation->covariance + k * packed_at(d, 0), width,
                      batch->noise + b * width * LANES, work->t);
            lanes_factor(d, expectation->least + k * d, work->t, work->inverse, log_det, count);
        }
        last = pattern;
        lanes_subtract(d, expectation->population->mean + k * d, batch->x + b * d * LANES, work->x);
        lanes_solve(d, work->t, work->inverse, work->x, square);
        for (size_t l = 0; l < LANES; l++)
            out[(b - from) * LANES + l] =
                expectation->log_share[k] - 0.5 * (square[l] + log_det[l] + count[l] * LOG_TWO_PI);
    }
}

/* From logarithms to shares of rows, components x stride, times the rows' weights unless these are
 * NULL. Returns the weighted sum over rows of the logarithms' total; row: these totals, unless
 * NULL. */
static double share_rows(size_t components, size_t stride, size_t rows, const double *weight,
                         double *value, double *row) {
    double total = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double largest = -INFINITY;
        for (size_t k = 0; k < components; k++)
            largest = fmax(largest, value[k * stride + i]);
        for (size_t k = 0; k < components; k++)
            value[k * stride + i] -= largest;
        total += weight ? weight[i] * largest : largest;
        if (row)
            row[i] = largest;
    }
    exp_array(components * stride, value, value);
    double product = 1.0;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < components; k++)
            sum += value[k * stride + i];
        for (size_t k = 0; k < components; k++)
            value[k * stride + i] /= weight ? sum / weight[i] : sum;
        if (row)
            row[i] += log(sum);
        if (weight) {
            total += weight[i] * log(sum);
            continue;
        }
        product *= sum;
        if (product > 1e100) {
            total += log(product);
            product = 1.0;
        }
    }
    return total + log(product);
}

/* ---------------------------------------------------------------- sums ------------------------ */

/* Copies up to LANES rows of the batch next to each other, the last one again where there are
 * fewer, which then have weight 0. Returns their one pattern, or 0. */
static size_t gather_lanes(const struct batch *batch, size_t count, const size_t *member,
                           struct expectation_work *work) {
    size_t d = batch->attributes, width = batch->width, pattern[LANES];
    for (size_t l = 0; l < LANES; l++) {
        size_t i = member[l < count ? l : count - 1], block = i / LANES, lane = i % LANES;
        const double *x = batch->x + block * d * LANES + lane;
        const double *noise = batch->noise + block * width * LANES + lane;
        for (size_t j = 0; j < d; j++)
            work->x[j * LANES + l] = x[j * LANES];
        for (size_t e = 0; e < width; e++)
            work->noise[e * LANES + l] = noise[e * LANES];
        pattern[l] = batch->pattern[i];
    }
    return one_pattern(pattern);
}

/* Sums over lanes: total (d x d, lower) = sum of packed lanes. */
static void sum_lanes(size_t elements, const double *lanes, double *total) {
    for (size_t e = 0; e < elements; e++) {
        const double *v = lanes + e * LANES;
        total[e] = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    }
}

/* first += G sum r e, second (lower) += G (count I + sum r (e e' - H'H)) G'. */
static void add_sums(const struct expectation *expectation, size_t k, double count,
                     struct expectation_work *work, struct tally *tally) {
    size_t d = expectation->population->attributes;
    const double *root = expectation->root + k * d * d;
    double *gram = work->gram, *product = work->product, *second = tally->second + k * d * d;
    sum_lanes(d, work->first, work->e);
    sum_lanes(packed_at(d, 0), work->second, product);
    for (size_t i = 0; i < d; i++) {
        tally->first[k * d + i] += dot(i + 1, root + i * d, work->e);
        for (size_t j = 0; j <= i; j++)
            gram[i * d + j] = gram[j * d + i] = product[packed_at(i, j)] + (i == j ? count : 0.0);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            product[i * d + j] = dot(i + 1, root + i * d, gram + j * d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            second[i * d + j] += dot(j + 1, product + i * d, root + j * d);
}

/* A weight for rows whose H is still that of the lanes; what was gathered is subtracted before H
 * changes. */
static void settle_gram(size_t d, double *pending, struct expectation_work *work) {
    lanes_subtract_gram(d, pending, work->h, work->second);
    memset(pending, 0, LANES * sizeof *pending);
}

struct component_sums {
    size_t k, last; /* pattern of the present H, or 0 */
    size_t first;   /* row to which share[0] belongs */
    const double *share;
    double count, *pending;
};

/* Adds the rows of the list, which are LANES at most. */
static void add_lanes(const struct batch *batch, const struct expectation *expectation,
                      struct component_sums *sums, size_t count, const size_t *member,
                      struct expectation_work *work) {
    size_t d = batch->attributes, k = sums->k;
    double weight[LANES] __attribute__((aligned(64))), square[LANES] __attribute__((aligned(64)));
    double log_det[LANES], cells[LANES] __attribute__((aligned(64)));
    size_t pattern = gather_lanes(batch, count, member, work);
    if (!pattern || pattern != sums->last) {
        if (sums->last)
            settle_gram(d, sums->pending, work);
        add_noise(d, expectation->covariance + k * packed_at(d, 0), batch->width, work->noise,
                  work->t);
        lanes_factor(d, expectation->least + k * d, work->t, work->inverse, log_det, cells);
        lanes_solve_root(d, work->t, work->inverse, expectation->root + k * d * d, work->h);
    }
    for (size_t l = 0; l < LANES; l++) {
        weight[l] = l < count ? sums->share[member[l] - sums->first] : 0.0;
        sums->count += weight[l];
        sums->pending[l] += weight[l];
    }
    lanes_subtract(d, expectation->population->mean + k * d, work->x, work->x);
    lanes_solve(d, work->t, work->inverse, work->x, square);
    lanes_add_mean(d, weight, work->h, work->x, work->e, work->first, work->second);
    if (!pattern)
        settle_gram(d, sums->pending, work);
    sums->last = pattern;
}

/* The sums of component k over those rows of [from, to) that have a share in it. share: of the
 * rows, from the first on. */
static void add_component(const struct batch *batch, const struct expectation *expectation,
                          size_t k, size_t from, size_t rows, const double *share,
                          struct expectation_work *work, struct tally *tally) {
    size_t d = batch->attributes, members = 0;
    double pending[LANES] __attribute__((aligned(64))) = {0};
    struct component_sums sums = {
        .k = k, .first = from * LANES, .share = share, .pending = pending};
    memset(work->first, 0, d * LANES * sizeof(double));
    memset(work->second, 0, packed_at(d, 0) * LANES * sizeof(double));
    for (size_t i = 0; i < rows; i++)
        if (share[i] > BARELY)
            work->member[members++] = from * LANES + i;
    for (size_t at = 0; at < members; at += LANES)
        add_lanes(batch, expectation, &sums, members - at < LANES ? members - at : LANES,
                  work->member + at, work);
    if (sums.last)
        settle_gram(d, pending, work);
    tally->count[k] += sums.count;
    add_sums(expectation, k, sums.count, work, tally);
}

void batch_expect(const struct batch *batch, const struct expectation *expectation, size_t from,
                  size_t to, bool counts, struct expectation_work *work, struct tally *tally) {
    size_t components = expectation->population->components, stride = (to - from) * LANES;
    if (from == to)
        return;
    size_t end = to * LANES < batch->rows ? to * LANES : batch->rows, rows = end - from * LANES;
    for (size_t k = 0; k < components; k++)
        densities(batch, expectation, k, from, to, work, work->log_density + k * stride);
    tally->likelihood +=
        share_rows(components, stride, rows, batch->weight ? batch->weight + from * LANES : NULL,
                   work->log_density, NULL);
    for (size_t k = 0; counts && k < components; k++)
        add_component(batch, expectation, k, from, rows, work->log_density + k * stride, work,
                      tally);
}

/* ---------------------------------------------------------------- row by row ------------------ */

void batch_log_densities(const struct batch *batch, const struct expectation *expectation,
                         size_t from, size_t to, struct expectation_work *work, double *value) {
    size_t components = expectation->population->components, stride = (to - from) * LANES;
    size_t end = to * LANES < batch->rows ? to * LANES : batch->rows;
    for (size_t k = 0; k < components; k++)
        densities(batch, expectation, k, from, to, work, work->log_density + k * stride);
    share_rows(components, stride, end - from * LANES, NULL, work->log_density, value);
}

/* c = m + G e of the rows whose e is in the lanes. */
static void write_lanes(const struct batch *batch, const struct expectation *expectation, size_t k,
                        size_t count, const struct expectation_work *work, double *centre) {
    size_t d = batch->attributes;
    const double *root = expectation->root + k * d * d;
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < d; i++) {
            double sum = expectation->population->mean[k * d + i];
            for (size_t j = 0; j <= i; j++)
                sum += root[i * d + j] * work->e[j * LANES + l];
            centre[work->member[l] * d + i] = sum;
        }
}

void batch_assign(const struct batch *batch, const struct expectation *expectation, size_t k,
                  struct expectation_work *work, size_t *component, double *centre,
                  double *distance, double *cells) {
    size_t d = batch->attributes, components = expectation->population->components;
    size_t stride = batch->blocks * LANES, members = 0;
    const double none[LANES] __attribute__((aligned(64))) = {0};
    double square[LANES] __attribute__((aligned(64))), count[LANES] __attribute__((aligned(64)));
    double log_det[LANES];
    for (size_t i = 0; i < batch->rows; i++) {
        size_t largest = 0;
        for (size_t c = 1; c < components; c++)
            if (work->log_density[c * stride + i] > work->log_density[largest * stride + i])
                largest = c;
        component[i] = largest == k ? k : component[i];
        if (largest == k)
            work->member[members++] = i;
        bool full = members == LANES || (members && i + 1 == batch->rows);
        if (!full)
            continue;
        gather_lanes(batch, members, work->member, work);
        add_noise(d, expectation->covariance + k * packed_at(d, 0), batch->width, work->noise,
                  work->t);
        lanes_factor(d, expectation->least + k * d, work->t, work->inverse, log_det, count);
        lanes_solve_root(d, work->t, work->inverse, expectation->root + k * d * d, work->h);
        lanes_subtract(d, expectation->population->mean + k * d, work->x, work->x);
        lanes_solve(d, work->t, work->inverse, work->x, square);
        lanes_add_mean(d, none, work->h, work->x, work->e, work->first, work->second);
        write_lanes(batch, expectation, k, members, work, centre);
        for (size_t l = 0; l < members; l++) {
            distance[work->member[l]] = square[l];
            cells[work->member[l]] = count[l];
        }
        members = 0;
    }
}
