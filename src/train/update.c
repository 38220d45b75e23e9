/* SPDX-License-Identifier: Apache-2.0 */
/* How a step moves the parameters, from the gradient of the bound. */
#include "train/trainer.h"

/* A row's own parameters are updated if it is in the batch, in the process that has the row. Each
 * row has its own count of updates, which may include steps without it (row_rule). */
static void update_rows(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct nim_trainer *trainer = context;
    struct row_table *table = &trainer->model->table;
    const struct bound_batch *batch = bound_batch(trainer->bound);
    const double *gradient = bound_own_gradient(trainer->bound);
    size_t each = table->each, end = (unit + 1) * ROWS_PER_UNIT;
    double rate = trainer->row_rule->rate * trainer->rate;
    for (size_t i = unit * ROWS_PER_UNIT; i < end && i < batch->rows; i++) {
        size_t row = batch->row[i];
        double *moments = table->moments + row * 2 * each;
        struct adam_step step = adam_step(rate, (uint64_t)++table->visits[row], false);
        adam_update(each, step, gradient + i * each, table->theta + row * each,
                    (union gp_matrix){moments}, (union gp_matrix){moments + each});
    }
}

struct adam_step update_step(const struct nim_trainer *trainer, double rate) {
    const struct nim_model *model = trainer->model;
    return adam_step(rate * trainer->rate, model->visits, model_is_single(model));
}

/* Updates `count` shared parameters from `first` on in one thread. */
static void update_shared(struct nim_model *model, struct adam_step step, size_t first,
                          size_t count, const double *gradient) {
    adam_update(count, step, gradient, model->theta + first,
                gp_matrix_from(step.single, model->moment1, first),
                gp_matrix_from(step.single, model->moment2, first));
}

static void update_stretch(struct nim_trainer *trainer, double rate, size_t first, size_t end) {
    update_shared(trainer->model, update_step(trainer, rate), first, end - first,
                  bound_gradient(trainer->bound) + first);
}

/* A function's inducing inputs are the shared parameters from z_from up to z_to. */
static size_t z_from(const struct nim_model *model, size_t c) {
    return (size_t)(model_gp(model, model->theta, c).z - model->theta);
}

static size_t z_to(const struct nim_model *model, size_t c) {
    return (size_t)(model_gp(model, model->theta, c).m - model->theta);
}

/* The first of a function's lengthscales, which end at z_from. */
static size_t lengthscales_from(const struct nim_model *model, size_t c) {
    return (size_t)(model_gp(model, model->theta, c).log_lengthscale - model->theta);
}

void update_inducing_input(void *context, size_t c, size_t row, const double *gradient) {
    struct nim_trainer *trainer = context;
    struct nim_model *model = trainer->model;
    update_shared(model, trainer->z_step, z_from(model, c) + row * model->attributes,
                  model->attributes, gradient);
}

/* Updates the parameters of one of this process's functions, except inducing inputs; the last unit
 * those of noise and likelihood. */
static void update_function(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct nim_trainer *trainer = context;
    const struct nim_model *model = trainer->model;
    size_t first, end, each = gp_parameter_count(&model->gp);
    bound_functions(trainer->bound, &first, &end);
    size_t c = first + unit;
    if (c == end) {
        update_stretch(trainer, 1.0, model->noise_at, model->input_at);
        return;
    }
    size_t lengthscales = lengthscales_from(model, c);
    update_stretch(trainer, 1.0, c * each, lengthscales);
    update_stretch(trainer, model->options.lengthscale_rate, lengthscales, z_from(model, c));
    update_stretch(trainer, 1.0, z_to(model, c), (c + 1) * each);
}

static nim_status update_functions(struct nim_trainer *trainer, nim_error *error) {
    struct nim_model *model = trainer->model;
    size_t first, end;
    bound_functions(trainer->bound, &first, &end);
    pool_run(bound_pool(trainer->bound), end - first + 1, update_function, trainer);
    model->moments_scattered = model->collectives.processes > 1;
    return bound_share_functions(trainer->bound, error);
}

/* Updates the networks of input models. */
static void update_network(struct nim_trainer *trainer) {
    struct nim_model *model = trainer->model;
    size_t at = model->input_at;
    adam_update_pooled(bound_pool(trainer->bound), model->input_count,
                       update_step(trainer, model->options.input->shared_rate),
                       bound_gradient(trainer->bound) + at, model->theta + at,
                       gp_matrix_from(model_is_single(model), model->moment1, at),
                       gp_matrix_from(model_is_single(model), model->moment2, at));
}

static double between(double value, double least, double most) {
    return value < least ? least : value > most ? most : value;
}

/* Keeps hyper-parameters in a range. Values outside are never useful and would overflow. */
static void keep_in_range(struct nim_model *model) {
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        size_t terms = model->gp.kernel->terms;
        for (size_t t = 0; t < terms; t++)
            theta.log_variance[t] = between(theta.log_variance[t], -15.0, 15.0);
        *theta.log_white = between(*theta.log_white, -30.0, 10.0);
        for (size_t j = 0; j < terms * model->attributes; j++)
            theta.log_lengthscale[j] = between(theta.log_lengthscale[j], -7.0, 9.0);
    }
    for (size_t j = 0; j < model->noise_count; j++)
        model->theta[model->noise_at + j] = between(model->theta[model->noise_at + j], -20.0, 7.0);
    if (model->options.likelihood->keep_in_range)
        model->options.likelihood->keep_in_range(&model->likelihood,
                                                 model->theta + model->likelihood_at);
}

nim_status update_parameters(struct nim_trainer *trainer, nim_error *error) {
    struct nim_model *model = trainer->model;
    nim_status status = update_functions(trainer, error);
    if (status != NIM_OK)
        return status;
    update_network(trainer);
    if (model->table.each) {
        size_t rows = bound_batch(trainer->bound)->rows;
        pool_run(bound_pool(trainer->bound), (rows + ROWS_PER_UNIT - 1) / ROWS_PER_UNIT,
                 update_rows, trainer);
        if (model->collectives.processes > 1)
            model->table.scattered = bound_shards(trainer->bound).count;
    }
    keep_in_range(model);
    return NIM_OK;
}
