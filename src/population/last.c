/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns a mixture whose last attribute y is to be predicted from the others, x. Expectation
 * maximisation makes all of a row probable,
 *
 *     sum_i log p(x_i, y_i),
 *
 * and most components are spent on p(x), which nobody asks for. So in the end the mixture is
 * sharpened: it climbs
 *
 *     sum_i log p(x_i, y_i) - kappa log p(x_i) = sum_i kappa log p(y_i | x_i) + (1 - kappa) log
 * p(x_i, y_i).
 *
 * By Fisher's identity the gradient of either term is that of its expected complete likelihood, so
 * the sums of the expectation step over the rows, minus kappa times those over the same rows with y
 * missing, have the direction. To them are added D_k rows that are distributed as the component is
 * now, which changes no gradient and makes the maximum finite (extended Baum-Welch; Gopalakrishnan
 * and others, 1991). With sums n, f and s of r, r (c - m) and r ((c - m)(c - m)' + R R'):
 *
 *     n = n_xy - kappa n_x + D,   m' = m + f / n,   S' = (s + D S) / n - f f' / n^2.
 */
#include "math/linalg.h"
#include "math/vector.h"
#include "population/em.h"
#include "population/settle.h"
#include "population/split.h"
#include "population/surprise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 10,       /* of expectation maximisation, after each growth */
    PATIENCE = 3,      /* growths in vain, before the mixture is thought to be complete */
    LEAST_EACH = 2,    /* rows for each attribute and component */
    SHARPENINGS = 8,   /* rounds */
    MOST_SLOWED = 100, /* doublings of D */
};

#define KAPPA 0.8
#define SLOWNESS 0.3     /* D and the rows added to shares, as a part of those that are there */
#define LEAST_SHRINK 0.3 /* of a component's pivots, in one round */

/* Rows whose last attribute is asked for: as they are, and without it. */
struct quiz {
    size_t rows;
    const struct population_rows *source;
    struct batch whole, blind;
    double *value, *density; /* rows: log p(last | others); densities */
};

static bool quiz_create(struct quiz *quiz, const struct population_rows *source) {
    size_t d = source->attributes, bytes = source->rows * d * sizeof(double);
    struct population_rows blind = *source;
    *quiz = (struct quiz){.rows = source->rows, .source = source};
    blind.noise = malloc(bytes + 1);
    quiz->value = malloc((2 * source->rows + 1) * sizeof(double));
    quiz->density = quiz->value ? quiz->value + source->rows : NULL;
    bool good = blind.noise && quiz->value;
    if (good)
        memcpy(blind.noise, source->noise, bytes);
    for (size_t i = 0; good && i < source->rows; i++)
        blind.noise[i * d + d - 1] = HUGE_VAL;
    good = good && batch_create(&quiz->whole, source) && batch_create(&quiz->blind, &blind);
    free(blind.noise);
    return good;
}

static void quiz_free(struct quiz *quiz) {
    batch_free(&quiz->whole);
    batch_free(&quiz->blind);
    free(quiz->value);
}

/* The weighted sum of log p(last | others) = log p(all) - log p(others). NaN if memory runs out. */
static double quiz_score(struct quiz *quiz, const struct population *mixture) {
    double score = 0.0;
    if (!em_row_likelihoods(mixture, &quiz->whole, quiz->density))
        return NAN;
    for (size_t i = 0; i < quiz->rows; i++)
        quiz->value[quiz->whole.origin[i]] = quiz->density[i];
    if (!em_row_likelihoods(mixture, &quiz->blind, quiz->density))
        return NAN;
    for (size_t i = 0; i < quiz->rows; i++)
        quiz->value[quiz->blind.origin[i]] -= quiz->density[i];
    for (size_t i = 0; i < quiz->rows; i++)
        score += population_row_weight(quiz->source, i) * quiz->value[i];
    return score;
}

/* The best mixture so far, by its score. */
struct search {
    struct quiz judge;
    struct population *best;
    double score;
    size_t failed; /* mixtures since then */
};

/* Judges a mixture, and keeps a copy if it is the best. False if memory runs out. */
static bool consider(struct search *search, const struct population *mixture) {
    double score = quiz_score(&search->judge, mixture);
    search->failed++;
    if (!(score > search->score))
        return !isnan(score);
    search->failed = 0;
    search->score = score;
    population_free(search->best);
    return population_copy(mixture, search->best);
}

/* ---------------------------------------------------------------- growing --------------------- */

/* Splits components and learns again, as long as that helps. `mixture`: the first one, which is
 * changed. */
static bool grow(struct search *search, struct population *mixture, const struct batch *batch,
                 double pull, struct pool *pool) {
    while (consider(search, mixture)) {
        size_t k = mixture->components, room = POPULATION_MOST_JOINT - k;
        double rows = (double)LEAST_EACH * (double)((k + 1) * batch->attributes);
        struct population split;
        if (search->failed == PATIENCE || !room || batch->total < rows)
            return true;
        if (!population_split_many(mixture, batch, k < room ? k : room, &split))
            return false;
        population_free(mixture);
        *mixture = split;
        if (mixture->components == k)
            return true;
        if (isnan(population_settle(mixture, batch, pull, ROUGHLY, ROUNDS, pool)))
            return false;
    }
    return false;
}

/* ---------------------------------------------------------------- sharpening ------------------ */

/* One component: n, f (d) and s (d x d, lower) without D. Tries D, twice that, ... until S' is a
 * covariance whose root (d x d) has not shrunk too much. work: d x d. */
static void move_component(size_t d, double n, double slowness, const double *f, const double *s,
                           double *mean, double *root, double *work, double *scratch) {
    double least = fmax(1.0, -n) + slowness;
    for (size_t doubled = 0; doubled < MOST_SLOWED; doubled++, least *= 2.0) {
        double all = n + least;
        bool good = all >= 0.1 * least;
        memcpy(work, s, d * d * sizeof(double));
        add_root_square(d, least, root, work);
        for (size_t i = 0; i < d; i++)
            add_scaled(i + 1, -f[i] / all, f, work + i * d);
        scale(d * d, 1.0 / all, work);
        good = good && cholesky(d, work, d, scratch) == 0;
        for (size_t j = 0; good && j < d; j++)
            good = work[j * d + j] > LEAST_SHRINK * root[j * d + j];
        if (!good)
            continue;
        add_scaled(d, 1.0 / all, f, mean);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                root[i * d + j] = j <= i ? work[i * d + j] : 0.0;
        return;
    }
}

/* xy := xy - KAPPA x, for arrays of n numbers. */
static void subtract_blind(size_t n, const double *x, double *xy) {
    add_scaled(n, -KAPPA, x, xy);
}

/* One round, from the sums over rows with and without y. work: d x d. */
static void sharpen_all(struct population *mixture, double rows, struct tally *xy,
                        const struct tally *x, double *work, double *scratch) {
    size_t d = mixture->attributes, components = mixture->components;
    double total = 0.0;
    subtract_blind(components, x->count, xy->count);
    subtract_blind(components * d, x->first, xy->first);
    subtract_blind(components * d * d, x->second, xy->second);
    for (size_t k = 0; k < components; k++) {
        move_component(d, xy->count[k], SLOWNESS * x->count[k], xy->first + k * d,
                       xy->second + k * d * d, mixture->mean + k * d, mixture->root + k * d * d,
                       work, scratch);
        double share = SLOWNESS * rows * mixture->share[k] + xy->count[k];
        total += mixture->share[k] = fmax(share, LEAST_VARIANCE * rows);
    }
    scale(components, 1.0 / total, mixture->share);
}

static bool sharpen(struct population *mixture, const struct quiz *lesson, struct pool *pool) {
    size_t d = mixture->attributes;
    struct arena one = {0}, other = {0};
    struct tally *xy = em_tally(mixture, &lesson->whole, pool, &one);
    struct tally *x = em_tally(mixture, &lesson->blind, pool, &other);
    double *scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof *scratch);
    double *work = calloc(d * d, sizeof *work);
    bool good = xy && x && scratch && work;
    if (good)
        sharpen_all(mixture, lesson->whole.total, xy, x, work, scratch);
    free(work);
    free(scratch);
    arena_free(&one);
    arena_free(&other);
    return good;
}

bool population_learn_last(struct population *population, const struct population_rows *rows,
                           const struct population_rows *judge, double pull, struct pool *pool) {
    struct search search = {.best = population, .score = -INFINITY};
    struct population mixture = {0};
    struct quiz lesson;
    *population = (struct population){0};
    bool good = quiz_create(&search.judge, judge);
    good = quiz_create(&lesson, rows) && good &&
           population_gaussian(&mixture, rows, &lesson.whole, pool) &&
           grow(&search, &mixture, &lesson.whole, pull, pool);
    population_free(&mixture);
    good = good && population_copy(population, &mixture);
    for (size_t round = 0; good && round < SHARPENINGS; round++)
        good = sharpen(&mixture, &lesson, pool) && consider(&search, &mixture);
    population_free(&mixture);
    quiz_free(&search.judge);
    quiz_free(&lesson);
    if (!good)
        population_free(population);
    population->learned = good;
    return good;
}
