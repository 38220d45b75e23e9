/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of expectation maximisation over noisy rows. Expectation: p(x | x~) of each row under the
 * present population (batch.c; condition_shaped.c for rows with asymmetric cells and limits).
 * Maximisation: their shares, means and covariances,
 *
 *     n_k = sum_i r_ik,   m_k = sum_i r_ik c_ik / n_k,
 *     S_k = sum_i r_ik ((c_ik - m_k)(c_ik - m_k)' + R_ik R_ik') / n_k,
 *
 * where r_ik is row i's share of component k. The likelihood never decreases.
 */
#include "population/em.h"
#include "math/linalg.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_UNITS = 16,  /* parts of the rows, whatever the number of threads */
    UNIT_BLOCKS = 16, /* of one unit, at least, as each unit factorises equal noise once more */
    FEW_SWEEPS = 2,   /* over a row's asymmetric cells and limits; few, as rounds are repeated */
};

#define SIZE_PULL 2.0    /* weight in rows of the value one in a component's size */
#define LITTLE_LEFT 1e-3 /* of an attribute's variance, within components */
#define LOG_TWO_PI 1.8378770664093454836

/* For rows with asymmetric cells and limits. */
struct odd_work {
    struct conditioner conditioner;
    double *share, *centre, *distance; /* K, K x d, d */
};

struct round {
    const struct population *population;
    const struct batch *batch;
    struct expectation expectation;
    size_t units;
    struct tally *tally;           /* units */
    struct expectation_work *work; /* workers */
    struct odd_work *odd;          /* workers; NULL if there are no such rows */
    bool counts;                   /* sums for the maximisation; otherwise only the likelihood */
};

static void odd_layout(struct odd_work *odd, const struct population *population,
                       struct arena *arena) {
    size_t d = population->attributes, k = population->components;
    conditioner_layout(&odd->conditioner, population, arena);
    odd->conditioner.shapes.sweeps = FEW_SWEEPS;
    odd->share = arena_doubles(arena, k);
    odd->centre = arena_doubles(arena, k * d);
    odd->distance = arena_doubles(arena, d);
}

static void round_layout(struct round *round, size_t workers, struct arena *arena) {
    const struct population *population = round->population;
    size_t d = population->attributes, k = population->components;
    size_t most = (round->batch->blocks + round->units - 1) / round->units;
    struct tally *tally = arena_bytes(arena, round->units, sizeof *tally), no_tally;
    struct expectation_work *work = arena_bytes(arena, workers, sizeof *work), no_work;
    size_t odd_rows = round->batch->odd.rows;
    struct odd_work *odd = arena_bytes(arena, odd_rows ? workers : 0, sizeof *odd), no_odd;
    expectation_layout(&round->expectation, population, arena);
    for (size_t u = 0; u < round->units; u++) {
        struct tally *one = tally ? &tally[u] : &no_tally;
        one->count = arena_doubles(arena, k);
        one->first = arena_doubles(arena, k * d);
        one->second = arena_doubles(arena, k * d * d);
    }
    for (size_t w = 0; w < workers; w++) {
        expectation_work_layout(work ? &work[w] : &no_work, round->batch, most, k, arena);
        if (odd_rows)
            odd_layout(odd ? &odd[w] : &no_odd, population, arena);
    }
    round->tally = tally;
    round->work = work;
    round->odd = odd;
}

static void count_odd(const struct population *population, const struct odd_work *odd,
                      double weight, struct tally *tally) {
    size_t d = population->attributes;
    for (size_t k = 0; k < population->components; k++) {
        double share = weight * odd->share[k];
        for (size_t j = 0; j < d; j++)
            odd->distance[j] = odd->centre[k * d + j] - population->mean[k * d + j];
        tally->count[k] += share;
        add_scaled(d, share, odd->distance, tally->first + k * d);
        add_square(d, share, odd->distance, tally->second + k * d * d);
        add_root_square(d, share, odd->conditioner.root + k * d * d, tally->second + k * d * d);
    }
}

static void expect_unit(void *context, size_t unit, size_t worker) {
    const struct round *round = context;
    const struct batch *batch = round->batch;
    struct tally *tally = &round->tally[unit];
    size_t units = round->units, odd_end = batch->odd.rows * (unit + 1) / units;
    batch_expect(batch, &round->expectation, batch->blocks * unit / units,
                 batch->blocks * (unit + 1) / units, round->counts, &round->work[worker], tally);
    for (size_t i = batch->odd.rows * unit / units; i < odd_end; i++) {
        struct odd_work *odd = &round->odd[worker];
        struct measurement row = population_row(&batch->odd, i);
        double weight = batch->odd.weight[i];
        tally->likelihood +=
            weight * conditioner_take(&odd->conditioner, &row, odd->share, odd->centre);
        if (round->counts)
            count_odd(round->population, odd, weight, tally);
    }
}

/* Computes the sums over all rows in tally[0]. NULL if memory runs out. The arena owns them. */
static struct tally *tally_rows(const struct population *population, const struct batch *batch,
                                bool counts, struct pool *pool, struct arena *arena) {
    size_t parts = (batch->blocks + batch->odd.rows) / UNIT_BLOCKS;
    struct round round = {.population = population, .batch = batch, .counts = counts};
    round.units = parts < 1 ? 1 : parts < MOST_UNITS ? parts : MOST_UNITS;
    for (int pass = 0; pass < 2; pass++) {
        round_layout(&round, pool_threads(pool), arena);
        if (pass == 0 && !arena_allocate(arena))
            return NULL;
    }
    expectation_fill(&round.expectation);
    pool_run(pool, round.units, expect_unit, &round);
    size_t d = population->attributes, k = population->components;
    struct tally *tally = round.tally;
    for (size_t u = 1; u < round.units; u++) {
        tally[0].likelihood += tally[u].likelihood;
        add(k, tally[u].count, tally[0].count);
        add(k * d, tally[u].first, tally[0].first);
        add(k * d * d, tally[u].second, tally[0].second);
    }
    return tally;
}

/* ---------------------------------------------------------------- independent attributes ------ */

static double independent_likelihood(const struct population *population,
                                     const struct population_rows *rows) {
    size_t d = rows->attributes;
    double total = 0.0;
    for (size_t i = 0; i < rows->rows * d; i++)
        if (isfinite(rows->noise[i])) {
            double all = population->variance[i % d] + rows->noise[i];
            double distance = rows->x[i] - population->mean[i % d];
            total -= 0.5 * (LOG_TWO_PI + log(all) + distance * distance / all);
        }
    return total / (double)rows->rows;
}

static void improve_attribute(struct population *population, const struct population_rows *rows,
                              size_t j) {
    size_t d = rows->attributes;
    double m = population->mean[j], s = population->variance[j], first = 0.0, second = 0.0;
    for (size_t i = j; i < rows->rows * d; i += d) {
        double noise = rows->noise[i], gain = isfinite(noise) ? s / (s + noise) : 0.0;
        double shift = gain > 0.0 ? gain * (rows->x[i] - m) : 0.0;
        first += shift;
        second += shift * shift + s * (1.0 - gain);
    }
    first /= (double)rows->rows;
    population->mean[j] += first;
    population->variance[j] = fmax(second / (double)rows->rows - first * first, LEAST_VARIANCE);
}

/* ---------------------------------------------------------------- one round ------------------- */

size_t batch_all_rows(const struct batch *batch) {
    return batch->rows + batch->odd.rows;
}

struct tally *em_tally(const struct population *population, const struct batch *batch,
                       struct pool *pool, struct arena *arena) {
    return tally_rows(population, batch, true, pool, arena);
}

double em_likelihood(const struct population *population, const struct batch *batch,
                     struct pool *pool) {
    struct arena arena = {0};
    struct tally *tally = tally_rows(population, batch, false, pool, &arena);
    double value = tally ? tally->likelihood / batch->total : NAN;
    arena_free(&arena);
    return value;
}

/* Factorises S (lower triangle), with the least power of ten times LEAST_VARIANCE on the diagonal
 * for which this succeeds. If none does because of an overflow, the factor is the identity. */
static void factorise(size_t d, double *covariance, double *root, double *scratch) {
    for (double more = LEAST_VARIANCE; more < HUGE_VAL; more *= 10.0) {
        memcpy(root, covariance, d * d * sizeof(double));
        for (size_t j = 0; j < d; j++)
            root[j * d + j] += more;
        if (cholesky(d, root, d, scratch) == 0)
            return;
    }
    memset(root, 0, d * d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        root[j * d + j] = 1.0;
}

/* Computes shares and means from the sums over rows. Replaces the second sums by n_k S_k (lower
 * triangles), and adds their average within components to `within` (d x d). */
static void move_means(struct population *population, const struct tally *sums, double rows,
                       double *within) {
    size_t d = population->attributes;
    for (size_t k = 0; k < population->components; k++) {
        double count = fmax(sums->count[k], 1e-6), *second = sums->second + k * d * d;
        const double *first = sums->first + k * d;
        population->share[k] = count / rows;
        add_scaled(d, 1.0 / count, first, population->mean + k * d);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                second[i * d + j] -= first[i] * first[j] / count;
        add_scaled(d * d, 1.0 / rows, second, within);
    }
}

/*
 * An attribute that alone separates the components, such as a flag, has almost no variance within
 * them. New rows with other values would then have a density of almost zero. So its variance in
 * `within` is replaced by that of all rows.
 */
static void widen_separating(const struct population *population, double *within) {
    size_t d = population->attributes;
    for (size_t j = 0; j < d; j++) {
        double mean = 0.0, whole = within[j * d + j];
        for (size_t k = 0; k < population->components; k++)
            mean += population->share[k] * population->mean[k * d + j];
        for (size_t k = 0; k < population->components; k++) {
            double distance = population->mean[k * d + j] - mean;
            whole += population->share[k] * distance * distance;
        }
        if (within[j * d + j] >= LITTLE_LEFT * whole)
            continue;
        for (size_t i = 0; i < d; i++)
            within[i * d + j] = within[j * d + i] = 0.0;
        within[j * d + j] = whole;
    }
}

/* The size of n S (count: n rows) relative to `within`: the average ratio of the variances that are
 * not negligible, shrunk towards one, so that a component of few rows cannot collapse. */
static double relative_size(size_t d, double count, const double *covariance,
                            const double *within) {
    double sum_of_ratios = 0.0, ratios = 0.0;
    for (size_t j = 0; j < d; j++) {
        double ratio = covariance[j * d + j] / fmax(within[j * d + j], LEAST_VARIANCE);
        bool some = ratio > LITTLE_LEFT * count;
        sum_of_ratios += some ? ratio : 0.0;
        ratios += some;
    }
    return (sum_of_ratios / fmax(ratios, 1.0) + SIZE_PULL) / (count + SIZE_PULL);
}

/* Covariances are shrunk towards `within`, scaled to the component's own size. So the positions of
 * the components have no effect, and a wide component among narrow ones stays wide. within: d x d,
 * all zero; scratch: for factorisations. */
static void maximise(struct population *population, const struct tally *sums, double rows,
                     double pull, double *within, double *scratch) {
    size_t d = population->attributes;
    move_means(population, sums, rows, within);
    widen_separating(population, within);
    for (size_t k = 0; k < population->components; k++) {
        double count = fmax(sums->count[k], 1e-6), *second = sums->second + k * d * d;
        if (pull > 0.0)
            add_scaled(d * d, pull * relative_size(d, count, second, within), within, second);
        for (size_t i = 0; i < d * d; i++)
            second[i] /= count + pull;
        factorise(d, second, population->root + k * d * d, scratch);
    }
}

double em_improve(struct population *population, const struct batch *batch, double pull,
                  struct pool *pool) {
    size_t d = population->attributes;
    struct arena arena = {0};
    struct tally *tally = tally_rows(population, batch, true, pool, &arena);
    double *scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof *scratch), value = NAN;
    double *within = calloc(d * d, sizeof *within), rows = batch->total;
    if (tally && scratch && within) {
        value = isnan(tally->likelihood) ? -INFINITY : tally->likelihood / rows;
        maximise(population, tally, rows, pull, within, scratch);
    }
    free(within);
    free(scratch);
    arena_free(&arena);
    return value;
}

/* ---------------------------------------------------------------- row by row ------------------ */

/* Memory for all rows as one unit. */
static bool whole_unit(struct round *round, struct arena *arena) {
    round->units = 1;
    round_layout(round, 1, arena);
    if (!arena_allocate(arena))
        return false;
    round_layout(round, 1, arena);
    expectation_fill(&round->expectation);
    return true;
}

bool em_row_likelihoods(const struct population *population, const struct batch *batch,
                        double *value) {
    struct round round = {.population = population, .batch = batch};
    struct arena arena = {0};
    if (!whole_unit(&round, &arena))
        return false;
    batch_log_densities(batch, &round.expectation, 0, batch->blocks, round.work, value);
    for (size_t i = 0; i < batch->odd.rows; i++) {
        struct measurement row = population_row(&batch->odd, i);
        value[batch->rows + i] =
            conditioner_take(&round.odd->conditioner, &row, round.odd->share, round.odd->centre);
    }
    arena_free(&arena);
    return true;
}

/* A row whose cells are not all normal: its distance is taken as usual. */
static void assign_odd(const struct population *population, const struct measurement *row,
                       struct odd_work *odd, size_t *component, double *centre, double *distance,
                       double *cells) {
    size_t d = population->attributes;
    conditioner_take(&odd->conditioner, row, odd->share, odd->centre);
    *component = 0;
    for (size_t k = 1; k < population->components; k++)
        *component = odd->share[k] > odd->share[*component] ? k : *component;
    memcpy(centre, odd->centre + *component * d, d * sizeof(double));
    *distance = *cells = 0.0;
}

bool em_assign(const struct population *population, const struct batch *batch, size_t *component,
               double *centre, double *distance, double *cells) {
    struct round round = {.population = population, .batch = batch};
    struct arena arena = {0};
    size_t d = population->attributes;
    if (!whole_unit(&round, &arena))
        return false;
    /* distance holds the rows' densities for a while */
    batch_log_densities(batch, &round.expectation, 0, batch->blocks, round.work, distance);
    for (size_t k = 0; k < population->components; k++)
        batch_assign(batch, &round.expectation, k, round.work, component, centre, distance, cells);
    for (size_t i = 0, at = batch->rows; i < batch->odd.rows; i++, at++) {
        struct measurement row = population_row(&batch->odd, i);
        assign_odd(population, &row, round.odd, &component[at], centre + at * d, &distance[at],
                   &cells[at]);
    }
    arena_free(&arena);
    return true;
}

/* ---------------------------------------------------------------- for others ------------------ */

double population_likelihood(const struct population *population,
                             const struct population_rows *rows, struct pool *pool) {
    if (population->components == 0)
        return independent_likelihood(population, rows);
    struct batch batch;
    if (!batch_create(&batch, rows))
        return NAN;
    double value = em_likelihood(population, &batch, pool);
    batch_free(&batch);
    return value;
}

double population_improve(struct population *population, const struct population_rows *rows,
                          double pull, struct pool *pool) {
    if (population->components == 0) {
        double before = independent_likelihood(population, rows);
        for (size_t j = 0; j < rows->attributes; j++)
            improve_attribute(population, rows, j);
        return before;
    }
    struct batch batch;
    if (!batch_create(&batch, rows))
        return NAN;
    double before = em_improve(population, &batch, pull, pool);
    batch_free(&batch);
    return before;
}
