/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a component should be split. Each row belongs to the component with its largest share, and
 * is at its denoised place c there. n rows of variance s in q dimensions are cut into parts of n_a
 * and n_b rows with variances a and b; the likelihood with known membership then gains
 *
 *     q (n log s - n_a log a - n_b log b) / 2 + n_a log (n_a / n) + n_b log (n_b / n),
 *
 * which is negative for any cut of a Gaussian. Along a direction q = 1, and the average of the
 * rows' own variances R R' there is part of s, a and b. For distances from the centre, a and b are
 * averages of y'(S + V)^-1 y / q, whose average over all rows is s.
 */
#include "population/split.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POWER_ROUNDS = 20, /* for the principal axis */
    LEAST_ROWS = 8,    /* on each side of a cut */
    FAR = SPLITS - 1,  /* the place of the best cut by distance, after those of components */
};

struct cut {
    double gain;
    size_t component;
    double value;         /* rows below are in the first part */
    double first, second; /* relative variances, for cuts by distance */
    double *direction;    /* d */
};

struct sorted {
    double value, weight;
};

struct splitter {
    const struct population *population;
    const struct batch *batch;
    size_t rows, *component;   /* the component of each row */
    double *centre, *distance; /* rows x d: c; rows: y'(S + V)^-1 y and the number of its terms */
    double *cells;
    struct sorted *sorted;
    double *direction, *product; /* d */
    struct cut best[SPLITS];
    size_t place; /* of the best cut by a line */
};

static void layout(struct splitter *splitter, struct arena *arena) {
    size_t n = splitter->rows, d = splitter->population->attributes;
    splitter->component = arena_sizes(arena, n);
    splitter->centre = arena_doubles(arena, n * d);
    splitter->distance = arena_doubles(arena, n);
    splitter->cells = arena_doubles(arena, n);
    splitter->sorted = arena_bytes(arena, n, sizeof *splitter->sorted);
    splitter->direction = arena_doubles(arena, d);
    splitter->product = arena_doubles(arena, d);
    for (size_t s = 0; s < SPLITS; s++)
        splitter->best[s].direction = arena_doubles(arena, d);
}

static int by_value(const void *a, const void *b) {
    double one = ((const struct sorted *)a)->value, other = ((const struct sorted *)b)->value;
    return one < other ? -1 : one > other;
}

/* n log(n / all) */
static double membership(double n, double all) {
    return n * log(n / all);
}

/* The best cut of `count` sorted values into intervals, given the variance that each value has
 * itself. */
static struct cut cut_line(size_t count, const struct sorted *sorted, double own) {
    double n = (double)count, sum = 0.0, squares = 0.0, left = 0.0, left_squares = 0.0;
    struct cut best = {.gain = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i].value;
        squares += sorted[i].value * sorted[i].value;
    }
    double whole = own + fmax(squares / n - (sum / n) * (sum / n), 0.0);
    for (size_t i = 0; i + 1 < count; i++) {
        left += sorted[i].value;
        left_squares += sorted[i].value * sorted[i].value;
        double a = (double)(i + 1), b = n - a, right = sum - left;
        if (a < LEAST_ROWS || b < LEAST_ROWS || sorted[i].value == sorted[i + 1].value)
            continue;
        double low = own + fmax(left_squares / a - (left / a) * (left / a), 0.0);
        double high = own + fmax((squares - left_squares) / b - (right / b) * (right / b), 0.0);
        double gain = 0.5 * (n * log(whole) - a * log(low) - b * log(high)) + membership(a, n) +
                      membership(b, n);
        if (gain > best.gain)
            best =
                (struct cut){.gain = gain, .value = 0.5 * (sorted[i].value + sorted[i + 1].value)};
    }
    return best;
}

/* The best cut by distance; a weight is the number of cells of a row. */
static struct cut cut_distance(size_t count, const struct sorted *sorted) {
    double n = (double)count, sum = 0.0, cells = 0.0, left = 0.0, left_cells = 0.0;
    struct cut best = {.gain = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i].value * sorted[i].weight;
        cells += sorted[i].weight;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        left += sorted[i].value * sorted[i].weight;
        left_cells += sorted[i].weight;
        double a = (double)(i + 1), b = n - a;
        if (a < LEAST_ROWS || b < LEAST_ROWS || !(left > 0.0) || !(cells > left_cells))
            continue;
        double low = left / left_cells, high = (sum - left) / (cells - left_cells);
        double gain = 0.5 * (cells * log(sum / cells) - left_cells * log(low) -
                             (cells - left_cells) * log(high)) +
                      membership(a, n) + membership(b, n);
        if (gain > best.gain)
            best = (struct cut){.gain = gain,
                                .value = 0.5 * (sorted[i].value + sorted[i + 1].value),
                                .first = low,
                                .second = high};
    }
    return best;
}

static void keep(struct splitter *splitter, size_t place, size_t k, struct cut cut) {
    struct cut *best = &splitter->best[place];
    if (!(cut.gain > best->gain))
        return;
    double *direction = best->direction;
    *best = cut;
    best->component = k;
    best->direction = direction;
    if (place != FAR)
        memcpy(direction, splitter->direction, splitter->population->attributes * sizeof(double));
}

/* Cuts the members of component k along splitter->direction. */
static void try_direction(struct splitter *splitter, size_t k) {
    const struct population *population = splitter->population;
    size_t d = population->attributes, count = 0;
    const double *root = population->root + k * d * d;
    double sum_of = 0.0, squares = 0.0, variance = 0.0;
    memset(splitter->product, 0, d * sizeof(double));
    for (size_t i = 0; i < d; i++)
        add_scaled(d, splitter->direction[i], root + i * d, splitter->product);
    variance = dot(d, splitter->product, splitter->product);
    for (size_t i = 0; i < splitter->rows; i++)
        if (splitter->component[i] == k) {
            double value = dot(d, splitter->centre + i * d, splitter->direction);
            splitter->sorted[count++] = (struct sorted){value, 1.0};
            sum_of += value;
            squares += value * value;
        }
    double n = (double)count, between = fmax(squares / n - (sum_of / n) * (sum_of / n), 0.0);
    qsort(splitter->sorted, count, sizeof *splitter->sorted, by_value);
    double own = fmax(variance - between, 1e-6 * variance);
    keep(splitter, splitter->place, k, cut_line(count, splitter->sorted, own));
}

static void try_distances(struct splitter *splitter, size_t k) {
    size_t count = 0;
    for (size_t i = 0; i < splitter->rows; i++)
        if (splitter->component[i] == k && splitter->cells[i] > 0.0)
            splitter->sorted[count++] =
                (struct sorted){splitter->distance[i] / splitter->cells[i], splitter->cells[i]};
    qsort(splitter->sorted, count, sizeof *splitter->sorted, by_value);
    if (count > 2 * LEAST_ROWS)
        keep(splitter, FAR, k, cut_distance(count, splitter->sorted));
}

/* The principal axis of component k in units of the attributes, by power iteration. */
static void principal_axis(struct splitter *splitter, size_t k) {
    size_t d = splitter->population->attributes;
    const double *root = splitter->population->root + k * d * d;
    double *axis = splitter->direction, *product = splitter->product;
    for (size_t j = 0; j < d;
         j++) /* the longest attribute's column of S has its share of the axis */
        axis[j] = 1.0 + 0.1 * (double)(j % 3);
    for (size_t round = 0; round < POWER_ROUNDS; round++) {
        memset(product, 0, d * sizeof(double));
        for (size_t i = 0; i < d; i++)
            add_scaled(d, axis[i], root + i * d, product);
        for (size_t i = 0; i < d; i++)
            axis[i] = dot(d, root + i * d, product);
        double length = sqrt(dot(d, axis, axis));
        scale(d, length > 0.0 ? 1.0 / length : 0.0, axis);
    }
}

static void forget_cuts(struct splitter *splitter) {
    for (size_t s = 0; s < SPLITS; s++)
        splitter->best[s].gain = -INFINITY;
}

/* Cuts of component k, which replace those that are worse. */
static void find_cuts(struct splitter *splitter, size_t k) {
    size_t d = splitter->population->attributes, members = 0;
    for (size_t i = 0; i < splitter->rows; i++)
        members += splitter->component[i] == k;
    if (members <= 2 * LEAST_ROWS)
        return;
    for (size_t j = 0; j < d; j++) {
        memset(splitter->direction, 0, d * sizeof(double));
        splitter->direction[j] = 1.0;
        try_direction(splitter, k);
    }
    principal_axis(splitter, k);
    try_direction(splitter, k);
    try_distances(splitter, k);
}

/* Moves the two parts to the averages of their rows; both have the covariance within parts. */
static bool part_line(const struct splitter *splitter, const struct cut *cut,
                      struct population *split) {
    size_t d = split->attributes, k = cut->component, last = split->components - 1;
    double count[2] = {0}, *mean[2] = {split->mean + k * d, split->mean + last * d};
    double *covariance = calloc(d * d + d, sizeof *covariance);
    if (!covariance)
        return false;
    add_root_square(d, 1.0, split->root + k * d * d, covariance);
    memset(mean[0], 0, d * sizeof(double));
    memset(mean[1], 0, d * sizeof(double));
    for (size_t i = 0; i < splitter->rows; i++)
        if (splitter->component[i] == k) {
            const double *centre = splitter->centre + i * d;
            size_t part = dot(d, centre, cut->direction) > cut->value;
            count[part]++;
            add(d, centre, mean[part]);
        }
    double *distance = covariance + d * d, all = count[0] + count[1];
    for (size_t part = 0; part < 2; part++)
        scale(d, 1.0 / count[part], mean[part]);
    for (size_t j = 0; j < d; j++)
        distance[j] = mean[1][j] - mean[0][j];
    for (size_t j = 0; j < d; j++) /* rounding and neighbours must not make it singular */
        covariance[j * d + j] *= 1.05;
    add_square(d, -count[0] * count[1] / (all * all), distance, covariance);
    for (size_t j = 0; j < d; j++)
        covariance[j * d + j] += LEAST_VARIANCE;
    population_factorise(d, covariance, split->root + k * d * d);
    for (size_t j = 0; j < d; j++) {
        double *pivot = split->root + k * d * d + j * d + j;
        *pivot = fmax(*pivot, sqrt(LEAST_VARIANCE));
    }
    memcpy(split->root + last * d * d, split->root + k * d * d, d * d * sizeof(double));
    split->share[last] = split->share[k] * count[1] / all;
    split->share[k] *= count[0] / all;
    free(covariance);
    return true;
}

/* A core and tails of the same shape. */
static bool part_distance(const struct splitter *splitter, const struct cut *cut,
                          struct population *split) {
    size_t d = split->attributes, k = cut->component, last = split->components - 1;
    double near = 0.0, all = 0.0;
    for (size_t i = 0; i < splitter->rows; i++)
        if (splitter->component[i] == k && splitter->cells[i] > 0.0) {
            near += splitter->distance[i] / splitter->cells[i] <= cut->value;
            all++;
        }
    memcpy(split->mean + last * d, split->mean + k * d, d * sizeof(double));
    memcpy(split->root + last * d * d, split->root + k * d * d, d * d * sizeof(double));
    scale(d * d, sqrt(cut->first), split->root + k * d * d);
    scale(d * d, sqrt(cut->second), split->root + last * d * d);
    split->share[last] = split->share[k] * (1.0 - near / all);
    split->share[k] *= near / all;
    return true;
}

static bool copy_wider(const struct population *from, size_t more, struct population *to) {
    size_t d = from->attributes, k = from->components;
    if (!population_allocate(to, d, k + more))
        return false;
    to->components = k;
    memcpy(to->share, from->share, k * sizeof(double));
    memcpy(to->mean, from->mean, k * d * sizeof(double));
    memcpy(to->root, from->root, k * d * d * sizeof(double));
    return true;
}

/* Parts a component of a mixture that has room for one more. */
static bool part(const struct splitter *splitter, size_t place, struct population *split) {
    split->components++;
    return (place == FAR ? part_distance : part_line)(splitter, &splitter->best[place], split);
}

/* Where the rows of a batch are; the arena owns the splitter's memory. False if memory runs out. */
static bool place_rows(struct splitter *splitter, struct arena *arena) {
    layout(splitter, arena);
    if (!arena_allocate(arena))
        return false;
    layout(splitter, arena);
    forget_cuts(splitter);
    return em_assign(splitter->population, splitter->batch, splitter->component, splitter->centre,
                     splitter->distance, splitter->cells);
}

size_t population_splits(const struct population *population, const struct batch *batch,
                         struct population split[SPLITS]) {
    struct splitter splitter = {
        .population = population, .batch = batch, .rows = batch_all_rows(batch)};
    struct arena arena = {0};
    bool good = place_rows(&splitter, &arena);
    for (size_t k = 0; good && k < population->components; k++) {
        splitter.place = k;
        find_cuts(&splitter, k);
    }
    size_t count = 0;
    for (size_t place = 0; good && place < SPLITS; place++) {
        if (!(splitter.best[place].gain > -INFINITY))
            continue;
        good = copy_wider(population, 1, &split[count]);
        if (good)
            good = part(&splitter, place, &split[count++]);
    }
    arena_free(&arena);
    for (size_t s = 0; !good && s < count; s++)
        population_free(&split[s]);
    return good ? count : SIZE_MAX;
}

/* The place of the better cut of component k. */
static size_t better_cut(struct splitter *splitter, size_t k) {
    forget_cuts(splitter);
    find_cuts(splitter, k);
    return splitter->best[FAR].gain > splitter->best[0].gain ? FAR : 0;
}

static int by_falling_value(const void *a, const void *b) {
    return by_value(b, a);
}

bool population_split_many(const struct population *population, const struct batch *batch,
                           size_t most, struct population *split) {
    struct splitter splitter = {
        .population = population, .batch = batch, .rows = batch_all_rows(batch)};
    struct arena arena = {0};
    size_t components = population->components;
    double *gain = malloc(2 * components * sizeof *gain), *sorted = gain + components;
    bool good = gain && copy_wider(population, most, split) && place_rows(&splitter, &arena);
    for (size_t k = 0; good && k < components; k++)
        gain[k] = sorted[k] = splitter.best[better_cut(&splitter, k)].gain;
    if (good)
        qsort(sorted, components, sizeof *sorted, by_falling_value);
    double least = good && most < components ? sorted[most] : -INFINITY;
    for (size_t k = 0; good && k < components; k++)
        if (gain[k] > least)
            good = part(&splitter, better_cut(&splitter, k), split);
    arena_free(&arena);
    free(gain);
    if (!good)
        population_free(split);
    return good;
}
