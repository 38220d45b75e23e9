/* SPDX-License-Identifier: Apache-2.0 */
/* When a model learns the population of true inputs, and from which rows. */
#include "base/sized.h"
#include "rows/shape_checks.h"
#include "math/row_sample.h"
#include "model/shapes.h"

#include <stdlib.h>

/* At most this many rows of each table are used to learn a population. More would not improve it
 * but would need memory. */
enum { MOST_ROWS = 1 << 18 };

static struct row_sample sample_of(const struct nim_model *model, const nim_data *data,
                                   uint64_t step) {
    struct random_key key = {model->options.seed, STREAM_SAMPLE};
    return row_sample(key, step, data ? data->rows : 0, MOST_ROWS);
}

/* Appends rows in standard units, without flags. one: memory for one row of the model's width. */
static void gather_sample(const struct nim_model *model, const nim_data *data,
                          const struct row_sample *sample, const struct population_rows *one,
                          struct population_rows *rows) {
    size_t d = model->columns;
    for (size_t k = 0; k < sample->count; k++) {
        size_t i = row_sample_at(sample, k), at = rows->rows++;
        measurement_of_columns(model, data, i, 0, one, rows->x + at * d, rows->noise + at * d,
                               rows->shape ? rows->shape + at * shape_size(d) : NULL);
    }
}

/* Gathers the rows of the table, and of `others` if not NULL. False if memory runs out; the caller
 * frees the rows in both cases. */
static bool gather(const struct nim_model *model, const nim_data *data, const nim_data *others,
                   struct population_rows *rows) {
    const struct row_sample own = sample_of(model, data, 0), more = sample_of(model, others, 1);
    size_t d = model->columns;
    bool shaped = d <= POPULATION_MOST_ATTRIBUTES &&
                  (data_has_shapes(data) || (others && data_has_shapes(others)));
    struct population_rows one;
    bool good = population_rows_create(rows, d, shaped, own.count + more.count) &&
                population_rows_create(&one, model->attributes, shaped, 1);
    if (!good)
        return false;
    gather_sample(model, data, &own, &one, rows);
    if (others)
        gather_sample(model, others, &more, &one, rows);
    population_rows_free(&one);
    return true;
}

/*
 * The population is learned from values, without the flags of missing cells. Otherwise the
 * components would follow the flags, which separate the rows better than any value does. The flags
 * are appended as exact, independent attributes.
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
    struct population_rows rows;
    bool good = gather(model, data, others, &rows) && learn(model, &rows, kind, population);
    population_rows_free(&rows);
    return good;
}

/* What is learned, in messages; by enum population_kind. */
static const char *const kind_name[] = {"learning from other rows", "flat", "gaussian", "mixture",
                                        "wide"};

/* What a learned population needs and this model does not have, or NULL. */
static const char *lacks(const struct nim_model *model) {
    const struct input_model *input = model->options.input;
    return (!input->averages && !input->shrinks) || input->flat
               ? "an input model that uses a population"
           : model_learns_noise(model) ? "given errors (noise=given)"
                                       : NULL;
}

nim_status model_learn_population(struct nim_model *model, const nim_data *data,
                                  const nim_data *others, nim_error *error) {
    enum population_kind asked = (enum population_kind)model->plan.request.population;
    enum population_kind kind = (enum population_kind)model->options.population;
    if ((asked > POPULATION_FLAT || others) && lacks(model))
        return option_failure(error, "population", "%s needs %s", kind_name[asked], lacks(model));
    bool flat = kind == POPULATION_FLAT;
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

static nim_status learn_anew(nim_model *model, const nim_data *data, const nim_data *others,
                             nim_error *error) {
    nim_status status = model_check_data(model, data, false, error);
    if (status == NIM_OK)
        status = model_check_data(model, others, false, error);
    if (status != NIM_OK)
        return status;
    if (model->epoch || model->step)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model has been trained: its population cannot change any more");
    if (model->plan.request.population == POPULATION_FLAT)
        return option_failure(error, "population",
                              "flat, so nothing can be learned from other rows");
    struct facts facts = plan_facts(data);
    facts.others = others != NULL;
    plan_decide(&model->plan, "population", &facts);
    status = model_learn_population(model, data, others, error);
    return status == NIM_OK ? succeed(error) : status;
}

nim_status nim_model_learn_population(nim_model *model, const nim_data *data,
                                      const nim_data *others, nim_error *error) {
    nim_data rows, more;
    nim_status status = take_data(&rows, data, error);
    if (status == NIM_OK)
        status = take_data(&more, others, error);
    return status == NIM_OK ? learn_anew(model, &rows, &more, error) : status;
}
