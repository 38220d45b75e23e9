/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns a population from noisy rows by rounds of expectation maximisation (em.c). A mixture grows
 * by splitting components (split.c), as long as that raises the likelihood of rows held out.
 */
#include "math/row_sample.h"
#include "math/vector.h"
#include "population/settle.h"
#include "population/split.h"
#include "population/surprise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROUNDS = 200,
    FIRST_ROUNDS = 6,   /* of each way to split, before the most promising ones are tried */
    MOST_TRIED = 3,     /* ways to split, before the mixture is thought to be complete */
    KEPT_ASIDE = 4,     /* one row of four is held out to choose the number of components */
    MOST_ROWS = 4000,   /* used: more rows are not necessary */
    MOST_JUDGED = 2000, /* used to choose the number of components, which takes many trials */
};

#define SETTLED 3e-5   /* learning ends when a round gains less than this, in nats per row */
#define WORTH_IT 0.01  /* nats per held-out row that one more component must gain */
#define LEAST_PULL 2.0 /* weight in rows of the average in a component's covariance */

double population_pull(size_t d) {
    return LEAST_PULL + 0.5 * (double)d;
}

/* ---------------------------------------------------------------- rounds ---------------------- */

/* All parameters of populations of one size are one vector. */
static size_t parameter_count(const struct population *population) {
    size_t d = population->attributes, k = population->components;
    return k + k * d + k * d * d;
}

/* With logarithms of shares and of the roots' diagonals, any vector is a population. */
static void read_parameters(const struct population *population, double *theta) {
    size_t d = population->attributes, k = population->components;
    memcpy(theta + k, population->mean, k * d * sizeof(double));
    memcpy(theta + k + k * d, population->root, k * d * d * sizeof(double));
    for (size_t c = 0; c < k; c++) {
        theta[c] = log(population->share[c]);
        for (size_t j = 0; j < d; j++) {
            double *pivot = theta + k + k * d + (c * d + j) * d + j;
            *pivot = log(*pivot);
        }
    }
}

static void write_parameters(const double *theta, struct population *population) {
    size_t d = population->attributes, k = population->components;
    double total = 0.0;
    memcpy(population->mean, theta + k, k * d * sizeof(double));
    memcpy(population->root, theta + k + k * d, k * d * d * sizeof(double));
    for (size_t c = 0; c < k; c++) {
        total += population->share[c] = exp(theta[c]);
        for (size_t j = 0; j < d; j++) {
            double *pivot = population->root + (c * d + j) * d + j;
            *pivot = exp(*pivot);
        }
    }
    scale(k, 1.0 / total, population->share);
}

/*
 * Every two rounds, from theta0 to theta1 and theta2, extrapolate
 * (Varadhan and Roland, 2008): with r = theta1 - theta0 and v = theta2 - 2 theta1 + theta0,
 *
 *     theta0 + 2 a r + a^2 v,   a = |r| / |v|,
 *
 * from which the next round starts unless the likelihood has become less than that of theta1.
 */
double population_settle(struct population *population, const struct batch *batch, double pull,
                         double enough, size_t most, struct pool *pool) {
    size_t n = parameter_count(population);
    double *memory = malloc(4 * n * sizeof *memory), value = NAN;
    double *theta0 = memory, *theta1 = memory + n, *theta2 = memory + 2 * n, *next = memory + 3 * n;
    double first = -INFINITY, second = -INFINITY;
    bool leapt = false;
    for (size_t round = 0; memory && round < most; round += 2) {
        read_parameters(population, theta0);
        first = em_improve(population, batch, pull, pool);
        if (leapt && first < second) { /* back to before the leap */
            write_parameters(theta2, population);
            read_parameters(population, theta0);
            first = em_improve(population, batch, pull, pool);
        }
        read_parameters(population, theta1);
        second = em_improve(population, batch, pull, pool);
        value = isnan(first) ? first : second;
        if (isnan(first) || !(second - first > enough))
            break;
        read_parameters(population, theta2);
        double step = 0.0, bend = 0.0;
        for (size_t i = 0; i < n; i++) {
            double r = theta1[i] - theta0[i], v = theta2[i] - 2.0 * theta1[i] + theta0[i];
            step += r * r;
            bend += v * v;
        }
        double a = bend > 0.0 ? sqrt(step / bend) : 1.0;
        a = fmin(a, 16.0);
        leapt = a > 1.0;
        if (!leapt)
            continue;
        for (size_t i = 0; i < n; i++)
            next[i] = theta0[i] + 2.0 * a * (theta1[i] - theta0[i]) +
                      a * a * (theta2[i] - 2.0 * theta1[i] + theta0[i]);
        write_parameters(next, population);
    }
    free(memory);
    return value;
}

/* ---------------------------------------------------------------- one Gaussian ---------------- */

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
    double value = -INFINITY, now = value;
    for (size_t round = 0; round < MOST_ROUNDS; round++, value = now) {
        now = population_improve(population, rows, 0.0, pool);
        if (!(now - value > SETTLED))
            break;
    }
    return !isnan(now);
}

bool population_gaussian(struct population *population, const struct population_rows *rows,
                         const struct batch *batch, struct pool *pool) {
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
    return !isnan(population_settle(population, batch, 0.0, SETTLED, MOST_ROUNDS, pool));
}

/* ---------------------------------------------------------------- how many components --------- */

/* Rows for learning and for judging, and log p(x~) of the latter under the best mixture so far. */
struct trial {
    struct population_rows learn, judge;
    struct batch learning, judging;
    double *before, *after, *kept; /* kept: of the best split tried */
};

/* A random quarter of the rows is for judging: an order in the table must not matter. */
static bool take_parts(struct trial *trial, const struct population_rows *rows,
                       struct random_key key) {
    bool shaped = rows->shape != NULL;
    size_t *place = malloc((rows->rows + 1) * sizeof *place);
    bool good = place &&
                population_rows_create(&trial->learn, rows->attributes, shaped, rows->rows) &&
                population_rows_create(&trial->judge, rows->attributes, shaped, rows->rows);
    if (good)
        random_permutation(key, 0, rows->rows, place);
    for (size_t i = 0; good && i < rows->rows; i++)
        population_rows_append(place[i] % KEPT_ASIDE == 0 ? &trial->judge : &trial->learn, rows, i);
    free(place);
    return good && batch_create(&trial->learning, &trial->learn) &&
           batch_create(&trial->judging, &trial->judge);
}

static void trial_free(struct trial *trial) {
    population_rows_free(&trial->learn);
    population_rows_free(&trial->judge);
    batch_free(&trial->learning);
    batch_free(&trial->judging);
    free(trial->before);
}

/* The mean gain, or 0 if it is too small or not significant: not more than two standard errors. */
static double gain_of(size_t rows, const double *before, const double *after) {
    double n = (double)rows, total = 0.0, squares = 0.0;
    for (size_t i = 0; i < rows; i++) {
        total += after[i] - before[i];
        squares += (after[i] - before[i]) * (after[i] - before[i]);
    }
    double mean = total / n, variance = (squares / n - mean * mean) / n;
    return mean > WORTH_IT && mean > 2.0 * sqrt(fmax(variance, 0.0)) ? mean : 0.0;
}

/* Replaces `best` by that of the likeliest splits of it which makes the held-out rows most
 * probable, if one does. Splits that follow a few rows are likelier at first than those of
 * components that errors hide, which need more rounds to come apart. */
static bool choose_split(struct trial *trial, struct population *split, size_t count,
                         struct population *best, bool *found, struct pool *pool) {
    double pull = population_pull(best->attributes), value[SPLITS], most = 0.0;
    size_t judged = trial->judge.rows, chosen = SIZE_MAX;
    bool good = true;
    for (size_t s = 0; s < count; s++) {
        value[s] =
            population_settle(&split[s], &trial->learning, pull, -INFINITY, FIRST_ROUNDS, pool);
        good = good && !isnan(value[s]);
    }
    for (size_t tried = 0; good && tried < MOST_TRIED && tried < count; tried++) {
        size_t next = 0;
        for (size_t s = 1; s < count; s++)
            next = value[s] > value[next] ? s : next;
        value[next] = -INFINITY;
        good = !isnan(population_settle(&split[next], &trial->learning, pull, ROUGHLY, MOST_ROUNDS,
                                        pool)) &&
               em_row_likelihoods(&split[next], &trial->judging, trial->after);
        double gain = good ? gain_of(judged, trial->before, trial->after) : 0.0;
        if (gain > most) {
            memcpy(trial->kept, trial->after, judged * sizeof(double));
            most = gain;
            chosen = next;
        }
    }
    *found = good && chosen != SIZE_MAX;
    if (*found) {
        struct population worse = *best;
        memcpy(trial->before, trial->kept, judged * sizeof(double));
        *best = split[chosen];
        split[chosen] = worse;
    }
    return good;
}

/* Adds components as long as the likelihood of the held-out rows increases. */
static bool try_components(struct trial *trial, struct population *best, struct pool *pool) {
    size_t d = trial->learn.attributes;
    bool good = population_gaussian(best, &trial->learn, &trial->learning, pool) &&
                em_row_likelihoods(best, &trial->judging, trial->before);
    bool found = trial->judge.rows > 0;
    while (good && found && best->components < POPULATION_MOST_COMPONENTS &&
           trial->learn.rows >= 4 * (best->components + 1) * (d + 1)) {
        struct population split[SPLITS];
        size_t count = population_splits(best, &trial->learning, split);
        found = false;
        good = count != SIZE_MAX && choose_split(trial, split, count, best, &found, pool);
        for (size_t s = 0; count != SIZE_MAX && s < count; s++)
            population_free(&split[s]);
    }
    return good;
}

/* The best mixture for some of the rows. */
static bool choose_mixture(const struct population_rows *rows, struct random_key key,
                           struct population *best, struct pool *pool) {
    struct trial trial = {.before = malloc((3 * rows->rows + 1) * sizeof(double))};
    trial.after = trial.before ? trial.before + rows->rows : NULL;
    trial.kept = trial.before ? trial.after + rows->rows : NULL;
    bool good = trial.before && take_parts(&trial, rows, key) && try_components(&trial, best, pool);
    trial_free(&trial);
    return good;
}

/* Copies at most `most` rows, a random sample. The caller frees the copies. */
static bool thin(const struct population_rows *rows, size_t most, struct random_key key,
                 uint64_t step, struct population_rows *few) {
    struct row_sample sample = row_sample(key, step, rows->rows, most);
    if (!population_rows_create(few, rows->attributes, rows->shape != NULL, sample.count))
        return false;
    for (size_t i = 0; i < sample.count; i++)
        population_rows_append(few, rows, row_sample_at(&sample, i));
    return true;
}

void population_scale(struct population *population, double factor) {
    size_t d = population->attributes;
    if (population->components)
        scale(population->components * d * d, sqrt(factor), population->root);
    else
        scale(d, factor, population->variance);
}

static bool learn_mixture(struct population *population, const struct population_rows *rows,
                          const struct batch *batch, struct random_key key, struct pool *pool) {
    struct population_rows few;
    bool good =
        thin(rows, MOST_JUDGED, key, 2, &few) && choose_mixture(&few, key, population, pool);
    population_rows_free(&few);
    double pull = population->components > 1 ? population_pull(rows->attributes) : 0.0;
    return good && !isnan(population_settle(population, batch, pull, SETTLED, MOST_ROUNDS, pool));
}

bool population_learn(struct population *population, const struct population_rows *rows,
                      enum population_kind kind, struct random_key key, size_t threads) {
    struct population_rows few = {0};
    struct batch batch = {0};
    struct pool *pool = pool_create(threads);
    *population = (struct population){0};
    bool good = pool && thin(rows, MOST_ROWS, key, 1, &few);
    if (good && few.attributes > POPULATION_MOST_ATTRIBUTES)
        good = learn_independent(population, &few, pool);
    else if (good)
        good = batch_create(&batch, &few) &&
               (kind == POPULATION_GAUSSIAN ? population_gaussian(population, &few, &batch, pool)
                                            : learn_mixture(population, &few, &batch, key, pool));
    batch_free(&batch);
    population_rows_free(&few);
    pool_free(pool);
    if (!good)
        population_free(population);
    else if (kind == POPULATION_WIDE)
        population_scale(population, POPULATION_WIDENING);
    population->learned = good;
    return good;
}
