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
#define NOTHING 1e-13           /* as in condition.c */
#define BARELY 1e-9             /* a row with a smaller share of a component is not counted in it */
#define AS_GOOD_AS_MISSING 1e30 /* a variance, in standard units */

/* ---------------------------------------------------------------- rows ------------------------ */

/* Whether a row needs condition_shaped.c: it has an asymmetric cell or a limit that is not one of
 * several correlated cells, which are taken as normal. cell: d. */
static bool is_odd(const struct measurement *row, size_t d, size_t correlated, const size_t *cell) {
    for (size_t j = 0, a = 0; j < d; j++) {
        bool among = a < correlated && cell[a] == j;
        a += among;
        if (!among && shape_is_tilted(row, d, j))
            return true;
    }
    return false;
}

/* Writes x and the noise of width d or packed. whitened: what conditioner_whiten gives. */
struct whitened {
    size_t count, *cell;
    double *factor, *h, *y;
};

static void write_row(const struct measurement *row, size_t d, bool packed,
                      const struct whitened *whitened, double *x, double *noise) {
    memset(noise, 0, (packed ? packed_at(d, 0) : d) * sizeof *noise);
    for (size_t j = 0; j < d; j++) {
        bool missing = !(row->noise[j] < AS_GOOD_AS_MISSING);
        x[j] = missing ? 0.0 : row->x[j];
        noise[packed ? packed_at(j, j) : j] = missing ? HUGE_VAL : row->noise[j];
    }
    for (size_t a = 0; a < whitened->count; a++) {
        const double *line = whitened->factor + a * d;
        x[whitened->cell[a]] = dot(a + 1, line, whitened->y);
        for (size_t b = 0; b <= a; b++)
            noise[packed_at(whitened->cell[a], whitened->cell[b])] =
                dot(b + 1, line, whitened->factor + b * d);
    }
}

struct entry {
    const double *noise;
    size_t width, row, origin; /* row: of the plain ones; origin: of all */
};

static int by_noise(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    int order = memcmp(one->noise, other->noise, one->width * sizeof(double));
    return order ? order : one->row < other->row ? -1 : 1;
}

static void batch_layout(struct batch *batch) {
    size_t lanes = batch->blocks * LANES;
    batch->x = arena_doubles(&batch->arena, lanes * batch->attributes);
    batch->noise = arena_doubles(&batch->arena, lanes * batch->width);
    batch->pattern = arena_sizes(&batch->arena, lanes);
    batch->weight = arena_doubles(&batch->arena, lanes);
    batch->origin = arena_sizes(&batch->arena, batch->rows + batch->odd.rows);
}

/* From rows x (n x d) and noise (n x width), in this order, to blocks. Lanes beyond the last row
 * are missing rows. */
static void fill_blocks(struct batch *batch, const struct entry *entry, const double *x) {
    size_t d = batch->attributes, width = batch->width, pattern = 0;
    for (size_t i = 0; i < batch->blocks * LANES; i++) {
        double *to_x = batch->x + i / LANES * d * LANES + i % LANES;
        double *to_noise = batch->noise + i / LANES * width * LANES + i % LANES;
        bool real = i < batch->rows;
        pattern += i == 0 || !real ||
                   memcmp(entry[i].noise, entry[i - 1].noise, width * sizeof(double)) != 0;
        batch->pattern[i] = pattern;
        for (size_t j = 0; j < d; j++)
            to_x[j * LANES] = real ? x[entry[i].row * d + j] : 0.0;
        for (size_t e = 0; e < width; e++)
            to_noise[e * LANES] = real ? entry[i].noise[e] : HUGE_VAL;
    }
}

/* Where the rows come from, and their weights; odd ones are at the end of `entry`, the last first.
 */
static void note_origins(struct batch *batch, const struct entry *entry,
                         const struct population_rows *rows) {
    bool weighted = false;
    batch->total = 0.0;
    for (size_t i = 0; i < rows->rows; i++) {
        size_t at = i < batch->rows ? i : rows->rows - 1 - (i - batch->rows);
        double weight = population_row_weight(rows, batch->origin[i] = entry[at].origin);
        batch->total += weight;
        weighted = weighted || weight != 1.0;
        if (i < batch->rows)
            batch->weight[i] = weight;
    }
    batch->weight = weighted ? batch->weight : NULL;
}

/* Parts the rows in plain ones (x, noise, entry) and odd ones. */
static void sort_out(struct batch *batch, const struct population_rows *rows,
                     struct whitened *whitened, double *x, double *noise, struct entry *entry) {
    size_t d = batch->attributes, width = batch->width, count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        struct measurement row = population_row(rows, i);
        whitened->count = rows->shape
                              ? conditioner_whiten(&row, d, whitened->cell, whitened->factor,
                                                   whitened->h, whitened->y)
                              : 0;
        if (is_odd(&row, d, whitened->count, whitened->cell)) {
            population_rows_append(&batch->odd, rows, i);
            entry[rows->rows - batch->odd.rows].origin = i;
            continue;
        }
        write_row(&row, d, width > d, whitened, x + count * d, noise + count * width);
        entry[count] = (struct entry){noise + count * width, width, count, i};
        count++;
    }
    qsort(entry, count, sizeof *entry, by_noise);
    batch->rows = count;
    batch->blocks = (count + LANES - 1) / LANES;
}

static bool any_correlated(const struct population_rows *rows) {
    size_t d = rows->attributes, each = shape_size(d);
    for (size_t i = 0; rows->shape && i < rows->rows; i++)
        for (size_t e = 2 * d; e < each; e++)
            if (rows->shape[i * each + e] != 0.0)
                return true;
    return false;
}

bool batch_create(struct batch *batch, const struct population_rows *rows) {
    size_t d = rows->attributes, n = rows->rows;
    *batch = (struct batch){.attributes = d};
    batch->width = d > 1 && any_correlated(rows) ? packed_at(d, 0) : d;
    struct arena arena = {0};
    struct whitened whitened = {0};
    double *x = NULL, *noise = NULL;
    struct entry *entry = NULL;
    for (int pass = 0; pass < 2; pass++) {
        x = arena_doubles(&arena, n * d);
        noise = arena_doubles(&arena, n * batch->width);
        entry = arena_bytes(&arena, n + 1, sizeof *entry);
        whitened.cell = arena_sizes(&arena, d);
        whitened.factor = arena_doubles(&arena, d * d);
        whitened.h = arena_doubles(&arena, d * d);
        whitened.y = arena_doubles(&arena, d);
        if (pass == 0 && !arena_allocate(&arena))
            return false;
    }
    bool good = population_rows_create(&batch->odd, d, rows->shape != NULL, rows->shape ? n : 1);
    if (good) {
        sort_out(batch, rows, &whitened, x, noise, entry);
        batch_layout(batch);
        good = arena_allocate(&batch->arena);
    }
    if (good) {
        batch_layout(batch);
        fill_blocks(batch, entry, x);
        note_origins(batch, entry, rows);
    }
    arena_free(&arena);
    if (!good)
        batch_free(batch);
    return good;
}

void batch_free(struct batch *batch) {
    population_rows_free(&batch->odd);
    arena_free(&batch->arena);
    *batch = (struct batch){0};
}

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
