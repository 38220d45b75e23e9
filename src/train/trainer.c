/* SPDX-License-Identifier: Apache-2.0 */
/* Minibatches, steps and epochs. */
#include "train/trainer.h"

#include "base/collectives.h"
#include "base/sized.h"
#include "rows/cells.h"
#include "model/targets.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* During the warm-up, the largest weight of a row of a rare class. */
#define MOST_RARITY 10.0

static void measure_rarity(struct nim_trainer *trainer) {
    size_t classes = trainer->model->classes;
    if (!trainer->weighs)
        return;
    double average = (double)trainer->data.rows / (double)classes;
    for (size_t i = 0; i < trainer->data.rows; i++)
        trainer->rarity[trainer->data.labels[i]]++;
    for (size_t c = 0; c < classes; c++)
        trainer->rarity[c] = fmin(average / fmax(trainer->rarity[c], 1.0), MOST_RARITY);
}

static nim_status create_trainer(nim_model *model, const nim_data *data, nim_trainer **result,
                                 nim_error *error) {
    nim_status status = model_check_data(model, data, true, error);
    if (status == NIM_OK)
        status = weights_check_total(data, error);
    if (status != NIM_OK)
        return status;
    assert(model); /* checked with the data */
    if (data->rows < model->table.rows)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the table has %zu rows, but the model was trained on %zu before",
                       data->rows, model->table.rows);
    struct nim_trainer *trainer = calloc(1, sizeof *trainer);
    if (!trainer)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a trainer");
    trainer->model = model;
    trainer->data = *data;
    trainer->total = data->rows * model->options.input->copies;
    size_t batch = model->options.batch < trainer->total ? model->options.batch : trainer->total;
    trainer->batches = (trainer->total + batch - 1) / batch;
    trainer->rate = model->options.rate;
    trainer->width = 1.0;
    trainer->batch_rule = batch_rule_list[model->options.last_batch];
    trainer->row_rule = row_rule_list[model->options.row_steps];
    trainer->target_width = likelihood_target_width(model->options.likelihood, model->classes);
    trainer->weighs = targets_are_classes(model);
    trainer->rarity = calloc(model->classes + 1, sizeof *trainer->rarity);
    trainer->bound = bound_create(model, data, batch, model_threads(model));
    if (trainer->bound)
        trainer->order =
            order_create(trainer->total, bound_shards(trainer->bound), batch, model->options.seed);
    if (!trainer->order || !trainer->rarity || !trainer->bound ||
        !row_table_grow(&model->table, data->rows)) {
        nim_trainer_free(trainer);
        return failure(
            error, NIM_OUT_OF_MEMORY,
            "no memory or threads to train %zu latent functions of %zu inducing inputs on "
            "%zu rows of %zu",
            model->functions, model->inducing, data->rows, data->attributes);
    }
    measure_rarity(trainer);
    *result = trainer;
    return NIM_OK;
}

nim_status nim_trainer_create(nim_model *model, const nim_data *data, nim_trainer **result,
                              nim_error *error) {
    if (!result)
        return failure(error, NIM_INVALID_ARGUMENT, "trainer is NULL");
    *result = NULL;
    nim_data ours;
    nim_status status = model ? model_complete(model, error) : NIM_OK;
    if (status != NIM_OK)
        return status;
    status = take_data(&ours, data, error);
    if (status == NIM_OK)
        status = create_trainer(model, &ours, result, error);
    if (model) /* without a model there are no other processes */
        status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        return succeed(error);
    nim_trainer_free(*result);
    *result = NULL;
    return status;
}

void nim_trainer_free(nim_trainer *trainer) {
    if (!trainer)
        return;
    bound_free(trainer->bound);
    order_free(trainer->order);
    free(trainer->rarity);
    free(trainer);
}

/* The row and the copy of it that the order calls `drawn`. The copies of a row follow one another
 * if the table is divided, so that its parts are consecutive rows. */
static void take_drawn(const struct nim_trainer *trainer, size_t drawn, size_t *row, size_t *copy) {
    size_t rows = trainer->data.rows, copies = trainer->model->options.input->copies;
    bool divided = bound_shards(trainer->bound).count > 1;
    *row = divided ? drawn / copies : drawn % rows;
    *copy = divided ? drawn % copies : drawn / rows;
}

static void fill_rows(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct nim_trainer *trainer = context;
    struct nim_model *model = trainer->model;
    struct bound_batch *batch = bound_batch(trainer->bound);
    size_t first = unit * ROWS_PER_UNIT, count = batch->rows - first;
    size_t each = model->table.each, d = model->attributes;
    count = count < ROWS_PER_UNIT ? count : ROWS_PER_UNIT;
    for (size_t i = first; i < first + count; i++) {
        take_drawn(trainer, trainer->drawn[i], &batch->row[i], &batch->copy[i]);
        if (each) {
            trainer->row_rule->resume(&model->table, batch->row[i], trainer->rate, model->visits);
            memcpy(batch->own + i * each, model->table.theta + batch->row[i] * each,
                   each * sizeof(double));
        }
    }
    model_take_rows(model, &trainer->data, count, batch->row + first, batch->x + first * d,
                    batch->noise + first * d,
                    batch->shape ? batch->shape + first * shape_size(d) : NULL,
                    batch->weight + first);
    targets_take(model, &trainer->data, count, batch->row + first,
                 batch->target + first * trainer->target_width);
    /* Rare classes have larger weights at first, so that none is neglected; see schedule.h. */
    for (size_t i = first; trainer->weighs && trainer->width < 1.0 && i < first + count; i++)
        batch->weight[i] *= pow(trainer->rarity[(size_t)batch->target[i]], 1.0 - trainer->width);
}

static size_t rows_before(const struct nim_trainer *trainer, size_t count) {
    return trainer->batch_rule->rows_before(trainer->total, trainer->batches,
                                            trainer->model->options.batch, count);
}

/* Batch number `next` of the epoch, or this process's share of it. */
static void fill_batch(struct nim_trainer *trainer) {
    struct bound_batch *batch = bound_batch(trainer->bound);
    size_t start = rows_before(trainer, trainer->next);
    size_t end = rows_before(trainer, trainer->next + 1);
    batch->step_start = start;
    batch->step_rows = end - start;
    trainer->drawn = order_rows(trainer->order, start, end - start, &batch->rows);
    batch->total = (double)trainer->total;
    batch->step = trainer->model->step;
    batch->width = trainer->width;
    pool_run(bound_pool(trainer->bound), (batch->rows + ROWS_PER_UNIT - 1) / ROWS_PER_UNIT,
             fill_rows, trainer);
}

nim_status nim_trainer_step(nim_trainer *trainer, double *bound, nim_error *error) {
    if (!trainer)
        return failure(error, NIM_INVALID_ARGUMENT, "trainer is NULL");
    struct nim_model *model = trainer->model;
    if (trainer->next == 0) {
        order_start(trainer->order, model->epoch);
        trainer->epoch_sum = 0.0;
    }
    fill_batch(trainer);
    double value;
    const struct bound_listener listener = {update_inducing_input, trainer};
    model->visits++; /* including the present update */
    trainer->z_step = update_step(trainer, 1.0);
    nim_status status = bound_evaluate(trainer->bound, &listener, &value, error);
    if (status != NIM_OK) {
        model->visits--;
        return status;
    }
    /* Narrow draws would make the learned noise too large. So it is learned only at full width. */
    if (trainer->width < 1.0 && model->noise_count)
        memset(bound_gradient(trainer->bound) + model->noise_at, 0,
               model->noise_count * sizeof(double));
    model->step++;
    status = update_parameters(trainer, error);
    if (status != NIM_OK)
        return status;
    trainer->epoch_sum += value;
    if (++trainer->next == trainer->batches) {
        trainer->next = 0;
        model->epoch++;
        model->bound = trainer->epoch_sum / (double)trainer->batches;
        bound_trace_add(&model->trace, model->epoch, model->bound);
    }
    if (bound)
        *bound = value;
    return succeed(error);
}

void trainer_set_rate(nim_trainer *trainer, double rate) {
    trainer->rate = rate;
}
