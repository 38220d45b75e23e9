/* SPDX-License-Identifier: Apache-2.0 */
/* When a model learns the population of true inputs, and from which rows. */
#include "data/noisy_cells.h"
#include "math/row_sample.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* Rows that a population is learned from at most, of either table: more would tell nothing new, and
 * take memory. */
enum { MOST_ROWS = 1 << 18 };

static struct row_sample sample_of(const struct nim_model *model, const nim_data *data,
                                   uint64_t step) {
    struct random_key key = {model->options.seed, STREAM_SAMPLE};
    return row_sample(key, step, data ? data->rows : 0, MOST_ROWS);
}

/* Rows in standard units, x and noise, without flags. one: a whole row of both, 2 width. */
static void gather_all(const struct nim_model *model, const nim_data *data,
                       const struct row_sample *sample, double *one, double *x, double *noise) {
    size_t d = model->columns, width = model->attributes;
    for (size_t k = 0; k < sample->count; k++) {
        size_t i = row_sample_at(sample, k);
        scaling_gather(&model->scaling, data, model_uses_errors(model), 1, &i, one, one + width,
                       NULL);
        memcpy(x + k * d, one, d * sizeof(double));
        memcpy(noise + k * d, one + width, d * sizeof(double));
    }
}

/* The rows of the table and the others, if any. x is NULL when there is no memory; the caller frees
 * it. */
static struct population_rows gather(const struct nim_model *model, const nim_data *data,
                                     const nim_data *others) {
    const struct row_sample own = sample_of(model, data, 0), more = sample_of(model, others, 1);
    size_t d = model->columns, rows = own.count + more.count, bytes;
    if (__builtin_mul_overflow(rows, 2 * d * sizeof(double), &bytes))
        return (struct population_rows){0};
    double *one = malloc(2 * model->attributes * sizeof *one);
    double *x = one ? malloc(bytes) : NULL, *noise = x ? x + rows * d : NULL;
    if (x)
        gather_all(model, data, &own, one, x, noise);
    if (x && others)
        gather_all(model, others, &more, one, x + own.count * d, noise + own.count * d);
    free(one);
    return (struct population_rows){rows, d, x, noise};
}

/*
 * The population describes measured values, not which cells are missing: components would follow
 * the gaps, which split the rows better than any value does. Flags are exact and independent in it.
 */
static bool learn(const struct nim_model *model, const struct population_rows *rows,
                  enum population_kind kind, struct population *population) {
    struct random_key key = {model->options.seed, STREAM_POPULATION};
    if (!population_learn(population, rows, kind, key, model_threads(model)))
        return false;
    if (!model->scaling.flags || population_append(population, model->scaling.flags))
        return true;
    population_free(population);
    return false;
}

bool model_population_of(const struct nim_model *model, const nim_data *data,
                         const nim_data *others, enum population_kind kind,
                         struct population *population) {
    struct population_rows rows = gather(model, data, others);
    bool good = rows.x && learn(model, &rows, kind, population);
    free((void *)(uintptr_t)rows.x);
    return good;
}

/* NULL, or what a learned population needs and this model has not. */
static const char *lacks(const struct nim_model *model) {
    const struct input_model *input = model->options.input;
    return (!input->averages && !input->shrinks) || input->flat
               ? "an input model that infers inputs or looks at their mean"
           : model_learns_noise(model) ? "error bars that are given (noise=given)"
                                       : NULL;
}

/*
 * Measurements tell the spread of the population and the noise together, never apart: where noise
 * is learned the population stays flat. Left to itself it also does for models that do not infer
 * inputs, and where all rows are equally noisy: the functions then learn from inputs that are as
 * noisy as those they will be asked about.
 */
nim_status model_learn_population(struct nim_model *model, const nim_data *data,
                                  const nim_data *others, nim_error *error) {
    enum population_kind kind = (enum population_kind)model->options.population;
    const struct input_model *input = model->options.input;
    bool asked = kind == POPULATION_GAUSSIAN || kind == POPULATION_MIXTURE || others;
    if (asked && kind != POPULATION_FLAT && lacks(model))
        return failure(error, NIM_INVALID_ARGUMENT, "option population: %s needs %s",
                       kind == POPULATION_GAUSSIAN  ? "gaussian"
                       : kind == POPULATION_MIXTURE ? "mixture"
                                                    : "learning from other rows",
                       lacks(model));
    bool flat = kind == POPULATION_FLAT || model_learns_noise(model) || input->flat ||
                (!asked && ((!input->averages && !input->widens) || equally_noisy(data)));
    struct population population = {0};
    bool good = flat
                    ? population_flat(&population, model->attributes, model->options.prior_variance)
                    : model_population_of(model, data, others, kind, &population);
    if (!good)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory or threads to learn the population");
    population_free(&model->population);
    model->population = population;
    return NIM_OK;
}

nim_status nim_model_learn_population(nim_model *model, const nim_data *data,
                                      const nim_data *others, nim_error *error) {
    nim_status status = model_check_data(model, data, false, error);
    if (status == NIM_OK)
        status = model_check_data(model, others, false, error);
    if (status != NIM_OK)
        return status;
    if (model->epoch || model->step)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model has been trained: its population can no longer change");
    if (model->options.population == POPULATION_FLAT)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "option population: flat, so nothing can be learned from other rows");
    status = model_learn_population(model, data, others, error);
    return status == NIM_OK ? succeed(error) : status;
}
