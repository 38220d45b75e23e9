/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns a population from noisy rows. Expectation: p(x | x~) of each row under the present
 * population (condition.c). Maximisation: their shares, means and covariances,
 *
 *     n_k = sum_i r_ik,   m_k = sum_i r_ik c_ik / n_k,
 *     S_k = sum_i r_ik ((c_ik - m_k)(c_ik - m_k)' + R_ik R_ik') / n_k,
 *
 * where r_ik is row i's share of component k. The likelihood never decreases.
 */
#include "math/linalg.h"
#include "math/vector.h"
#include "population/population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNITS = 16, /* parts of the rows, whatever the number of threads */
    MOST_ROUNDS = 200,
    FEW_SWEEPS = 2,     /* over a row's asymmetric cells and limits; few, as rounds are repeated */
    STARTS = 2,         /* of a mixture; the best is kept. One while its size is chosen */
    KEPT_ASIDE = 4,     /* every fourth row is held out to choose the number of components */
    MOST_ROWS = 4000,   /* used: more rows are not necessary */
    MOST_JUDGED = 1000, /* used to choose the number of components, which takes many trials */
};

#define SETTLED 3e-5     /* a round that gains less than this, in nats per row, is the last */
#define ROUGHLY 1e-4     /* as SETTLED, while the number of components is chosen */
#define WORTH_IT 0.01    /* nats per held-out row that one more component must gain */
#define LEAST_PULL 2.0   /* weight in rows of the average in a component's covariance */
#define SIZE_PULL 2.0    /* weight in rows of the value one in a component's size */
#define LITTLE_LEFT 1e-3 /* of an attribute's variance, within components */
#define LEAST_VARIANCE 1e-8
#define LOG_TWO_PI 1.8378770664093454836

/* The sums over one unit of rows. */
struct tally {
    struct conditioner conditioner;
    double likelihood;
    double *count;          /* K */
    double *first, *second; /* K x d, K x d x d: of c - m and its square */
    double *pending;        /* K: sum of the shares of rows with the conditioner's present R R' */
    double *share, *centre, *distance; /* K, K x d, d */
};

struct round {
    struct population *population;
    const struct population_rows *rows;
    struct tally *tally; /* UNITS */
    bool counts;         /* sums for the maximisation; otherwise only the likelihood */
};

static void tally_layout(struct tally *tally, const struct population *population,
                         struct arena *arena) {
    size_t d = population->attributes, k = population->components;
    conditioner_layout(&tally->conditioner, population, arena);
    tally->conditioner.shapes.sweeps = FEW_SWEEPS;
    tally->likelihood = 0.0;
    tally->count = arena_doubles(arena, k);
    tally->first = arena_doubles(arena, k * d);
    tally->second = arena_doubles(arena, k * d * d);
    tally->pending = arena_doubles(arena, k);
    tally->share = arena_doubles(arena, k);
    tally->centre = arena_doubles(arena, k * d);
    tally->distance = arena_doubles(arena, d);
}

/* Adds R R' of the pending rows, which takes d^3, before the conditioner gets another noise. */
static void settle_pending(struct tally *tally) {
    size_t d = tally->conditioner.population->attributes;
    for (size_t k = 0; k < tally->conditioner.population->components; k++) {
        if (tally->pending[k] > 0.0)
            add_root_square(d, tally->pending[k], tally->conditioner.root + k * d * d,
                            tally->second + k * d * d);
        tally->pending[k] = 0.0;
    }
}

static void count_row(struct tally *tally) {
    const struct population *population = tally->conditioner.population;
    size_t d = population->attributes;
    for (size_t k = 0; k < population->components; k++) {
        double share = tally->share[k];
        for (size_t j = 0; j < d; j++)
            tally->distance[j] = tally->centre[k * d + j] - population->mean[k * d + j];
        tally->count[k] += share;
        tally->pending[k] += share;
        add_scaled(d, share, tally->distance, tally->first + k * d);
        add_square(d, share, tally->distance, tally->second + k * d * d);
    }
}

static void tally_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct round *round = context;
    const struct population_rows *rows = round->rows;
    struct tally *tally = &round->tally[unit];
    size_t d = rows->attributes, end = rows->rows * (unit + 1) / UNITS;
    for (size_t i = rows->rows * unit / UNITS; i < end; i++) {
        struct measurement row = population_row(rows, i);
        bool same = tally->conditioner.filled && !row.shape &&
                    memcmp(tally->conditioner.noise, row.noise, d * sizeof(double)) == 0;
        if (round->counts && !same)
            settle_pending(tally);
        tally->likelihood +=
            conditioner_take(&tally->conditioner, &row, tally->share, tally->centre);
        if (round->counts)
            count_row(tally);
    }
    if (round->counts)
        settle_pending(tally);
}

/* Computes the sums over all rows in tally[0]. NULL if memory runs out. The arena owns them. */
static struct tally *tally_rows(struct population *population, const struct population_rows *rows,
                                bool counts, struct pool *pool, struct arena *arena) {
    struct tally *tally = NULL, counting;
    for (int pass = 0; pass < 2; pass++) {
        tally = arena_bytes(arena, UNITS, sizeof *tally);
        for (size_t u = 0; u < UNITS; u++)
            tally_layout(tally ? &tally[u] : &counting, population, arena);
        if (pass == 0 && !arena_allocate(arena))
            return NULL;
    }
    struct round round = {population, rows, tally, counts};
    pool_run(pool, UNITS, tally_unit, &round);
    size_t d = population->attributes, k = population->components;
    for (size_t u = 1; u < UNITS; u++) {
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

double population_likelihood(const struct population *population,
                             const struct population_rows *rows, struct pool *pool) {
    if (population->components == 0)
        return independent_likelihood(population, rows);
    struct arena arena = {0};
    /* The population is not modified if only the likelihood is computed. */
    struct tally *tally =
        tally_rows((struct population *)(uintptr_t)population, rows, false, pool, &arena);
    double value = tally ? tally->likelihood / (double)rows->rows : NAN;
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

double population_improve(struct population *population, const struct population_rows *rows,
                          double pull, struct pool *pool) {
    if (population->components == 0) {
        double before = independent_likelihood(population, rows);
        for (size_t j = 0; j < rows->attributes; j++)
            improve_attribute(population, rows, j);
        return before;
    }
    struct arena arena = {0};
    struct tally *tally = tally_rows(population, rows, true, pool, &arena);
    double *scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof *scratch), value = NAN;
    double *within = calloc(rows->attributes * rows->attributes, sizeof *within);
    if (tally && scratch && within) {
        value = tally->likelihood / (double)rows->rows;
        maximise(population, tally, (double)rows->rows, pull, within, scratch);
    }
    free(within);
    free(scratch);
    arena_free(&arena);
    return value;
}

/* Runs rounds until one gains no more than `enough`. Returns the likelihood before the last round,
 * or NaN if memory runs out. */
static double settle(struct population *population, const struct population_rows *rows, double pull,
                     double enough, struct pool *pool) {
    double value = -INFINITY;
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        double now = population_improve(population, rows, pull, pool);
        if (!(now - value > enough))
            return now;
        value = now;
    }
    return value;
}

/* ---------------------------------------------------------------- starts ---------------------- */

/* Mean of each attribute's measured cells, and their variance minus their average noise. */
static void start_independent(const struct population_rows *rows, double *mean, double *variance) {
    size_t d = rows->attributes;
    for (size_t j = 0; j < d; j++) {
        double count = 0.0, first = 0.0, second = 0.0;
        for (size_t i = j; i < rows->rows * d; i += d)
            if (isfinite(rows->noise[i])) {
                count++;
                first += rows->x[i];
                second += rows->x[i] * rows->x[i];
            }
        mean[j] = count > 0.0 ? first / count : 0.0;
        variance[j] = count > 0.0 ? fmax(second / count - mean[j] * mean[j], LEAST_VARIANCE) : 1.0;
    }
}

static bool learn_independent(struct population *population, const struct population_rows *rows,
                              struct pool *pool) {
    if (!population_allocate(population, rows->attributes, 0))
        return false;
    start_independent(rows, population->mean, population->variance);
    return !isnan(settle(population, rows, 0.0, SETTLED, pool));
}

static bool learn_gaussian(struct population *population, const struct population_rows *rows,
                           struct pool *pool) {
    size_t d = rows->attributes;
    if (!population_allocate(population, d, 1))
        return false;
    double *variance = population->root; /* the first row, temporarily */
    start_independent(rows, population->mean, variance);
    for (size_t j = d; j-- > 0;) {
        double own = sqrt(variance[j]);
        variance[j] = 0.0;
        population->root[j * d + j] = own;
    }
    population->share[0] = 1.0;
    return !isnan(settle(population, rows, 0.0, SETTLED, pool));
}

/* Components start at rows that are far from each other, each with half the covariance of all
 * rows. */
static void start_mixture(struct population *population, const struct population *whole,
                          const struct population_rows *rows, struct random_key key, uint64_t start,
                          double *centre, double *far) {
    size_t d = rows->attributes;
    for (size_t i = 0; i < rows->rows; i++)
        far[i] = 1.0;
    for (size_t k = 0; k < population->components; k++) {
        double at, total = sum(rows->rows, far);
        random_uniform(key, start, k, 1, &at);
        size_t chosen = 0;
        for (at *= total; chosen + 1 < rows->rows && (at -= far[chosen]) > 0.0; chosen++)
            ;
        const double *from = centre + chosen * d;
        memcpy(population->mean + k * d, from, d * sizeof(double));
        for (size_t i = 0; i < rows->rows; i++) {
            double square = 0.0;
            for (size_t j = 0; j < d; j++)
                square += (centre[i * d + j] - from[j]) * (centre[i * d + j] - from[j]);
            far[i] = k == 0 ? square : fmin(far[i], square);
        }
        memcpy(population->root + k * d * d, whole->root, d * d * sizeof(double));
        scale(d * d, sqrt(0.5), population->root + k * d * d);
        population->share[k] = 1.0 / (double)population->components;
    }
}

double population_pull(size_t d) {
    return LEAST_PULL + 0.5 * (double)d;
}

/* How accurately a mixture is learned. */
struct effort {
    uint64_t starts;
    double enough; /* see settle */
};

/* Learns a mixture from several starts and keeps the best. */
static bool learn_mixture(struct population *population, size_t components,
                          const struct population *whole, const struct population_rows *rows,
                          struct effort effort, struct random_key key, struct pool *pool) {
    size_t d = rows->attributes;
    double best = -INFINITY, *far = malloc(rows->rows * sizeof *far);
    double *centre = malloc(rows->rows * d * sizeof *centre), share;
    struct arena arena = {0};
    struct conditioner conditioner;
    bool good = far && centre;
    *population = (struct population){0};
    conditioner_layout(&conditioner, whole, &arena);
    good = good && arena_allocate(&arena);
    if (good)
        conditioner_layout(&conditioner, whole, &arena);
    for (size_t i = 0; good && i < rows->rows; i++) {
        struct measurement row = population_row(rows, i);
        conditioner_take(&conditioner, &row, &share, centre + i * d);
    }
    for (uint64_t start = 0; good && start < effort.starts; start++) {
        struct population tried;
        good = population_allocate(&tried, d, components);
        if (good)
            start_mixture(&tried, whole, rows, key, start, centre, far);
        double value = good ? settle(&tried, rows, population_pull(d), effort.enough, pool) : NAN;
        good = good && !isnan(value);
        if (value > best) {
            population_free(population);
            *population = tried;
            best = value;
        } else {
            population_free(&tried);
        }
    }
    arena_free(&arena);
    free(far);
    free(centre);
    return good && population->components;
}

/* ---------------------------------------------------------------- how many components --------- */

static bool rows_like(struct population_rows *copies, const struct population_rows *like,
                      size_t most) {
    return population_rows_create(copies, like->attributes, like->shape != NULL, most);
}

/* Every KEPT_ASIDE-th row is for judging, all others are for learning. */
static void take_parts(const struct population_rows *rows, struct population_rows *learn,
                       struct population_rows *judge) {
    for (size_t i = 0; i < rows->rows; i++)
        population_rows_append(i % KEPT_ASIDE == KEPT_ASIDE - 1 ? judge : learn, rows, i);
}

/* log p(x~) of each row. False if memory runs out. */
static bool row_likelihoods(const struct population *population, const struct population_rows *rows,
                            double *value) {
    size_t d = rows->attributes, k = population->components;
    struct arena arena = {0};
    struct conditioner conditioner;
    double *share = NULL, *centre = NULL;
    for (int pass = 0; pass < 2; pass++) {
        conditioner_layout(&conditioner, population, &arena);
        share = arena_doubles(&arena, k);
        centre = arena_doubles(&arena, k * d);
        if (pass == 0 && !arena_allocate(&arena))
            return false;
    }
    for (size_t i = 0; i < rows->rows; i++) {
        struct measurement row = population_row(rows, i);
        value[i] = conditioner_take(&conditioner, &row, share, centre);
    }
    arena_free(&arena);
    return true;
}

/* Whether the gain is large enough and significant: the mean gain is more than two standard
 * errors. */
static bool is_gain(size_t rows, const double *before, const double *after) {
    double n = (double)rows, total = 0.0, squares = 0.0;
    for (size_t i = 0; i < rows; i++) {
        total += after[i] - before[i];
        squares += (after[i] - before[i]) * (after[i] - before[i]);
    }
    double mean = total / n, variance = (squares / n - mean * mean) / n;
    return mean > WORTH_IT && mean > 2.0 * sqrt(fmax(variance, 0.0));
}

/* Rows for learning and for judging, and the log density of the latter under the best mixture so
 * far. */
struct trial {
    struct population_rows learn, judge;
    double *best, *tried; /* log p(x~) of the judged rows */
};

/* Adds components as long as the likelihood of the held-out rows increases. 0 if memory runs
 * out. */
static size_t try_components(struct trial *trial, struct random_key key, struct pool *pool) {
    size_t d = trial->learn.attributes, best = 1;
    struct population whole = {0}, mixture = {0};
    bool good = learn_gaussian(&whole, &trial->learn, pool) &&
                row_likelihoods(&whole, &trial->judge, trial->best);
    for (size_t k = 2; good && k <= POPULATION_MOST_COMPONENTS && k < best + 3; k++) {
        if (trial->learn.rows < 4 * k * (d + 1))
            break;
        good = learn_mixture(&mixture, k, &whole, &trial->learn, (struct effort){1, ROUGHLY}, key,
                             pool) &&
               row_likelihoods(&mixture, &trial->judge, trial->tried);
        population_free(&mixture);
        if (good && is_gain(trial->judge.rows, trial->best, trial->tried)) {
            memcpy(trial->best, trial->tried, trial->judge.rows * sizeof(double));
            best = k;
        }
    }
    population_free(&whole);
    return good ? best : 0;
}

static size_t choose_components(const struct population_rows *rows, struct random_key key,
                                struct pool *pool) {
    struct trial trial = {.best = malloc((2 * rows->rows + 1) * sizeof *trial.best)};
    trial.tried = trial.best ? trial.best + rows->rows : NULL;
    bool good = trial.best && rows_like(&trial.learn, rows, rows->rows) &&
                rows_like(&trial.judge, rows, rows->rows);
    if (good)
        take_parts(rows, &trial.learn, &trial.judge);
    size_t components = !good ? 0 : trial.judge.rows ? try_components(&trial, key, pool) : 1;
    population_rows_free(&trial.learn);
    population_rows_free(&trial.judge);
    free(trial.best);
    return components;
}

/* Copies at most `most` rows, equally spaced. The caller frees the copies. */
static bool thin(const struct population_rows *rows, size_t most, struct population_rows *few) {
    size_t count = rows->rows < most ? rows->rows : most;
    if (!rows_like(few, rows, count))
        return false;
    for (size_t i = 0; i < count; i++)
        population_rows_append(few, rows, rows->rows * i / count);
    return true;
}

void population_scale(struct population *population, double factor) {
    size_t d = population->attributes;
    if (population->components)
        scale(population->components * d * d, sqrt(factor), population->root);
    else
        scale(d, factor, population->variance);
}

bool population_learn(struct population *population, const struct population_rows *rows,
                      enum population_kind kind, struct random_key key, size_t threads) {
    struct population_rows few;
    struct population whole = {0};
    struct pool *pool = pool_create(threads);
    *population = (struct population){0};
    bool good = pool && thin(rows, MOST_ROWS, &few);
    if (!good) {
        pool_free(pool);
        return false;
    }
    if (few.attributes > POPULATION_MOST_ATTRIBUTES) {
        good = learn_independent(population, &few, pool);
    } else if (kind == POPULATION_GAUSSIAN) {
        good = learn_gaussian(population, &few, pool);
    } else {
        struct population_rows fewer;
        size_t components =
            thin(&few, MOST_JUDGED, &fewer) ? choose_components(&fewer, key, pool) : 0;
        population_rows_free(&fewer);
        good = components && learn_gaussian(&whole, &few, pool);
        if (good && components == 1) {
            *population = whole;
        } else {
            good = good && learn_mixture(population, components, &whole, &few,
                                         (struct effort){STARTS, SETTLED}, key, pool);
            population_free(&whole);
        }
    }
    population_rows_free(&few);
    pool_free(pool);
    if (!good)
        population_free(population);
    else if (kind == POPULATION_WIDE)
        population_scale(population, POPULATION_WIDENING);
    population->learned = good;
    return good;
}
