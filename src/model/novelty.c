/* SPDX-License-Identifier: Apache-2.0 */
#include "model/novelty.h"

#include "base/status.h"
#include "math/sorted.h"
#include "rows/cells.h"
#include "rows/shape_checks.h"
#include "model/shapes.h"

#include <math.h>
#include <stdlib.h>

enum {
    FOLDS = 4,
    ROUNDS = 10,        /* of further learning without a fold */
    MOST_ROWS = 2000,   /* used at most */
    TENTH_OF_KEPT = 10, /* the tail is what lies above the 90 % quantile */
};

/* Under a wide population unusual rows would seem usual. */
static bool is_wide(const struct nim_model *model) {
    return model->options.population == POPULATION_WIDE;
}

const struct population *novelty_population(const struct nim_model *model) {
    return model->novelty.own.learned                     ? &model->novelty.own
           : model->population.learned && !is_wide(model) ? &model->population
                                                          : NULL;
}

void novelty_layout(struct novelty_work *work, const struct population *population,
                    struct arena *arena) {
    size_t d = population->attributes, k = population_gaussians(population);
    work->shape = NULL;
    if (population->components) {
        conditioner_layout(&work->conditioner, population, arena);
        work->shape = arena_doubles(arena, shape_size(d));
    }
    work->x = arena_doubles(arena, d);
    work->noise = arena_doubles(arena, d);
    work->share = arena_doubles(arena, k);
    work->centre = arena_doubles(arena, k * d);
}

/* A row in standard units with all its noise. The noise is infinite for missing cells and flags. */
static void gather_row(const struct nim_model *model, const nim_data *data, size_t i,
                       bool components, double *x, double *noise, double *shape) {
    measurements_take(model, data, components, 1, &i, x, noise, shape, NULL);
    for (size_t j = model->columns; j < model->attributes; j++)
        noise[j] = INFINITY;
}

struct surprise novelty_look(const struct nim_model *model, struct novelty_work *work,
                             const nim_data *data, size_t i) {
    const struct population *population = novelty_population(model);
    size_t d = model->attributes;
    bool shaped = work->shape && data_has_shapes(data);
    struct measurement row = {work->x, work->noise, shaped ? work->shape : NULL};
    gather_row(model, data, i, shaped, work->x, work->noise, shaped ? work->shape : NULL);
    struct surprise surprise =
        population_surprise(population, &work->conditioner, &row, work->share, work->centre);
    for (size_t j = 0; j < model->columns; j++) {
        bool limit = shaped && shape_side(work->shape, d, j) != 0.0; /* its term is a probability */
        if (!isinf(work->noise[j]) && !limit)
            surprise.log_density -= log(scaling_unit(&model->scaling, j, value_at(data, i, j)));
    }
    return surprise;
}

/* ---------------------------------------------------------------- what is usual --------------- */

/* log10 of the share of training rows above quantile k, counted from 0. */
static double log_share(const struct novelty *novelty, size_t k) {
    return log10((double)(novelty->kept - k) / (double)(novelty->kept + 1));
}

/* Mean excess over the 90 % quantile; never zero. */
static double tail_scale(const struct novelty *novelty) {
    size_t first = novelty->kept - 1 - (novelty->kept - 1) / TENTH_OF_KEPT;
    double total = 0.0;
    for (size_t k = first + 1; k < novelty->kept; k++)
        total += novelty->quantile[k] - novelty->quantile[first];
    double mean = total / fmax(1.0, (double)(novelty->kept - 1 - first));
    return mean > 0.0 ? mean : 1.0;
}

double novelty_of(const struct novelty *novelty, double surprise) {
    const double log10_e = 0.43429448190325182765;
    size_t low = count_up_to(novelty->kept, novelty->quantile, surprise);
    if (low == 0)
        return 0.0;
    double before = novelty->quantile[low - 1], share = log_share(novelty, low - 1);
    if (low == novelty->kept)
        return -share + log10_e * (surprise - before) / tail_scale(novelty);
    double part = (surprise - before) / (novelty->quantile[low] - before);
    return -share - part * (log_share(novelty, low) - share);
}

/* Stores quantiles of the surprises z (rows). Sorts z. */
static void keep_quantiles(struct novelty *novelty, size_t rows, double *z) {
    sort_numbers(rows, z);
    novelty->kept = rows < NOVELTY_KEPT ? rows : NOVELTY_KEPT;
    for (size_t k = 0; k < novelty->kept; k++) /* the rank nearest to (k + 1) (n + 1) / (K + 1) */
        novelty->quantile[k] = z[(2 * (k + 1) * (rows + 1) / (novelty->kept + 1) + 1) / 2 - 1];
}

/* ---------------------------------------------------------------- training rows --------------- */

/* Training rows in standard units, at most MOST_ROWS of them, and their surprises. */
struct usual_rows {
    struct population_rows all;
    double *z; /* rows */
};

static void usual_rows_free(struct usual_rows *usual) {
    population_rows_free(&usual->all);
    free(usual->z);
}

static bool usual_rows_create(struct usual_rows *usual, const struct nim_model *model,
                              const struct population *population, const nim_data *data) {
    size_t d = model->attributes, rows = data->rows < MOST_ROWS ? data->rows : MOST_ROWS;
    bool shaped = population->components && data_has_shapes(data);
    struct population_rows *all = &usual->all;
    usual->z = malloc((rows + 1) * sizeof(double));
    bool good = population_rows_create(all, d, shaped, rows) && usual->z;
    for (size_t i = 0; good && i < rows; i++)
        gather_row(model, data, data->rows * i / rows, shaped, all->x + i * d, all->noise + i * d,
                   shaped ? all->shape + i * shape_size(d) : NULL);
    all->rows = rows;
    return good;
}

/* Surprises of the rows i of one fold, i % FOLDS == fold. */
static bool look_at_fold(const struct population *population, struct usual_rows *usual,
                         size_t fold) {
    struct arena arena = {0};
    struct novelty_work work = {0};
    novelty_layout(&work, population, &arena);
    if (!arena_allocate(&arena))
        return false;
    novelty_layout(&work, population, &arena);
    for (size_t i = fold; i < usual->all.rows; i += FOLDS) {
        struct measurement row = population_row(&usual->all, i);
        usual->z[i] =
            population_surprise(population, &work.conditioner, &row, work.share, work.centre).value;
    }
    arena_free(&arena);
    return true;
}

/* As look_at_fold, with a copy of the population that was learned further without these rows. */
static bool judge_fold(const struct population *population, struct usual_rows *usual, size_t fold,
                       struct pool *pool) {
    const struct population_rows *all = &usual->all;
    struct population_rows others = {0};
    struct population copy = {0};
    bool good = population_copy(population, &copy) &&
                population_rows_create(&others, all->attributes, all->shape != NULL, all->rows);
    for (size_t i = 0; good && i < all->rows; i++)
        if (i % FOLDS != fold)
            population_rows_append(&others, all, i);
    double pull = population_pull(all->attributes);
    for (size_t round = 0; good && round < ROUNDS; round++)
        good = !isnan(population_improve(&copy, &others, pull, pool));
    good = good && look_at_fold(&copy, usual, fold);
    population_free(&copy);
    population_rows_free(&others);
    return good;
}

/* The population for novelty, if the model's own is not suitable: learned, or that from which a
 * wide one was made. Otherwise `own` is left as it is. */
static bool make_own(const struct nim_model *model, const nim_data *data, struct population *own) {
    if (!model->population.learned)
        return model_population_of(model, data, NULL, POPULATION_MIXTURE, own);
    if (!is_wide(model))
        return true;
    bool good = population_copy(&model->population, own);
    if (good)
        population_scale(own, 1.0 / POPULATION_WIDENING);
    return good;
}

nim_status novelty_learn(struct nim_model *model, const nim_data *data, nim_error *error) {
    struct usual_rows usual = {0};
    struct population own = {0};
    struct pool *pool = NULL;
    bool always = model->options.novelty == NOVELTY_ALWAYS;
    if ((!model->population.learned && !always) || data->rows < NOVELTY_LEAST_ROWS)
        return NIM_OK;
    bool good = make_own(model, data, &own);
    const struct population *population = own.learned ? &own : &model->population;
    good = good && usual_rows_create(&usual, model, population, data) &&
           (pool = pool_create(model_threads(model)));
    for (size_t fold = 0; good && fold < FOLDS; fold++)
        good = judge_fold(population, &usual, fold, pool);
    /* If anything failed, population and quantiles are still those of before. */
    if (good) {
        population_free(&model->novelty.own);
        model->novelty.own = own;
        keep_quantiles(&model->novelty, usual.all.rows, usual.z);
    } else {
        population_free(&own);
    }
    pool_free(pool);
    usual_rows_free(&usual);
    return good ? NIM_OK : failure(error, NIM_OUT_OF_MEMORY, "no memory to learn novelty");
}

void novelty_free(struct novelty *novelty) {
    population_free(&novelty->own);
    novelty->kept = 0;
}
