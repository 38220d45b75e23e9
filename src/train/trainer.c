/* SPDX-License-Identifier: Apache-2.0 */
/* Minibatches, steps and epochs. */
#define _POSIX_C_SOURCE 200809L
#include "base/collectives.h"
#include "base/sized.h"
#include "rows/cells.h"
#include "file/checksum.h"
#include "math/vector.h"
#include "model/bound.h"
#include "model/targets.h"
#include "train/adam.h"
#include "train/order.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    /* At most DEFAULT_STEPS steps, but at least DEFAULT_EPOCHS epochs. QUICK_STEPS and QUICK_EPOCHS
     * are used if the input model has no parameters that must converge and alpha > 0: predictions
     * are then good before the kernels have converged. */
    DEFAULT_STEPS = 10000,
    DEFAULT_EPOCHS = 100,
    QUICK_STEPS = 1000,
    QUICK_EPOCHS = 15,
    POINT_WARM_UP = 200,
    LAP_STEPS = 10,
    ROWS_PER_UNIT = 16,
    ROWS_PER_SUM = 256,
};

/* Where a row's own parameters are updated once per epoch, the shared ones in every step, the rate
 * of the former may be larger by this factor. */
#define ROW_RATE_FACTOR 3.0

/* Least time between two reports of progress within an epoch. */
#define REPORT_SECONDS 0.1

/* During the warm-up, the largest weight of a row of a rare class. */
#define MOST_RARITY 10.0

struct nim_trainer {
    struct nim_model *model;
    nim_data data;
    struct bound *bound;
    size_t total;         /* rows of an epoch, including copies */
    size_t batches, next; /* of an epoch */
    struct order *order;  /* of the epoch's rows */
    const size_t *drawn;  /* rows of the present step that this process evaluates */
    size_t target_width;  /* numbers in a row's target */
    bool weighs;          /* targets are classes; rows of rare ones have larger weights at first */
    double *rarity;       /* C: rows of an average class / rows of this one */
    double rate, width;   /* of the steps; of the draws of inputs */
    struct adam_step z_step; /* of inducing inputs, in the present step */
    double epoch_sum;        /* of the bounds of this epoch's batches */
};

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
        return failure(error, NIM_OUT_OF_MEMORY, "no memory or threads to train on %zu rows of %zu",
                       data->rows, data->attributes);
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

/* With row_steps=always a row's parameters move in the steps without the row, too. They are brought
 * up to date when the row is taken again; then `visits` is the last step that moved them. */
static void coast(struct nim_trainer *trainer, size_t row) {
    struct nim_model *model = trainer->model;
    struct row_table *table = &model->table;
    size_t each = table->each;
    double *moments = table->moments + row * 2 * each;
    if (model->options.row_steps != ROW_STEPS_ALWAYS)
        return;
    adam_coast(each, trainer->rate, (uint64_t)table->visits[row], model->visits,
               table->theta + row * each, moments, moments + each);
    table->visits[row] = (double)model->visits;
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
            coast(trainer, batch->row[i]);
            memcpy(batch->own + i * each, model->table.theta + batch->row[i] * each,
                   each * sizeof(double));
        }
    }
    model_gather(model, &trainer->data, count, batch->row + first, batch->x + first * d,
                 batch->noise + first * d,
                 batch->shape ? batch->shape + first * shape_size(d) : NULL, batch->weight + first);
    targets_gather(model, &trainer->data, count, batch->row + first,
                   batch->target + first * trainer->target_width);
    /* Rare classes have larger weights at first, so that none is neglected; see schedule.h. */
    for (size_t i = first; trainer->weighs && trainer->width < 1.0 && i < first + count; i++)
        batch->weight[i] *= pow(trainer->rarity[(size_t)batch->target[i]], 1.0 - trainer->width);
}

/* The number of rows in the first `count` batches of an epoch. */
static size_t rows_before(const struct nim_trainer *trainer, size_t count) {
    const struct nim_options *options = &trainer->model->options;
    if (options->last_batch == LAST_BATCH_EVEN || count == trainer->batches)
        return trainer->total * count / trainer->batches;
    return options->batch * count;
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

/* A row's own parameters are updated if it is in the batch, in the process that has the row. Each
 * row has its own count of updates, unless it moves in all steps (coast). */
static void update_rows(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct nim_trainer *trainer = context;
    struct row_table *table = &trainer->model->table;
    const struct bound_batch *batch = bound_batch(trainer->bound);
    const double *gradient = bound_own_gradient(trainer->bound);
    size_t each = table->each, end = (unit + 1) * ROWS_PER_UNIT;
    bool always = trainer->model->options.row_steps == ROW_STEPS_ALWAYS;
    double rate = always ? trainer->rate : ROW_RATE_FACTOR * trainer->rate;
    for (size_t i = unit * ROWS_PER_UNIT; i < end && i < batch->rows; i++) {
        size_t row = batch->row[i];
        double *moments = table->moments + row * 2 * each;
        struct adam_step step = adam_step(rate, (uint64_t)++table->visits[row], false);
        adam_update(each, step, gradient + i * each, table->theta + row * each,
                    (union gp_matrix){moments}, (union gp_matrix){moments + each});
    }
}

/* The constants of an update of shared parameters. rate: in units of the trainer's rate. */
static struct adam_step shared_step(const struct nim_trainer *trainer, double rate) {
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
    update_shared(trainer->model, shared_step(trainer, rate), first, end - first,
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

/* With many attributes nearly all parameters are inducing inputs. Each is updated as soon as its
 * gradient is complete, while it is in cache. */
static void update_z_row(void *context, size_t c, size_t row, const double *gradient) {
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
                       shared_step(trainer, model->options.input->shared_rate),
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
    const struct bound_listener listener = {update_z_row, trainer};
    model->visits++; /* including the present update */
    trainer->z_step = shared_step(trainer, 1.0);
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
    status = update_functions(trainer, error);
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

static double largest_jitter(const struct nim_model *model) {
    double largest = 0.0;
    for (size_t c = 0; c < model->functions; c++)
        largest = fmax(largest, model->jitter[c]);
    return largest;
}

static struct schedule_plan plan_training(const struct nim_trainer *trainer) {
    const struct nim_options *options = &trainer->model->options;
    bool points = !options->input->moves; /* no parameters per row, and no network */
    bool quick = points && options->alpha > 0.0;
    size_t epochs = (quick ? QUICK_STEPS : DEFAULT_STEPS) / trainer->batches;
    size_t least = quick ? QUICK_EPOCHS : DEFAULT_EPOCHS;
    epochs = epochs > least ? epochs : least;
    epochs = options->epochs ? options->epochs : epochs;
    size_t warm_up = points && options->warm_up > POINT_WARM_UP ? POINT_WARM_UP : options->warm_up;
    /* If rows have parameters of their own, a lap includes every row at least once. */
    bool whole = trainer->model->table.each && trainer->batches > LAP_STEPS;
    return (struct schedule_plan){
        .fixed = options->stop == STOP_FIXED,
        .rate = options->rate,
        .most_steps = epochs * trainer->batches,
        .lap_steps = whole ? trainer->batches : LAP_STEPS,
        .warm_steps = options->input->samples && trainer->model->step == 0 ? warm_up : 0,
    };
}

/* ---------------------------------------------------------------- a whole training ------------ */

/* The state of nim_model_train. */
struct training {
    nim_trainer *trainer;
    struct schedule schedule;
    uint32_t fingerprint; /* of the data */
    nim_progress_function progress;
    void *context;
    struct timespec reported; /* time of the last call of the progress function */
};

static uint32_t add_array(uint32_t sum, const void *array, size_t bytes) {
    return array ? checksum(sum, array, bytes) : sum;
}

/* Adds the values (or errors) of rows to the checksum, as if they were contiguous. */
static uint32_t add_rows(uint32_t sum, const nim_data *data, size_t rows, bool errors,
                         double *scratch) {
    size_t d = data->attributes;
    for (size_t first = 0; first < rows; first += ROWS_PER_SUM) {
        size_t count = rows - first < ROWS_PER_SUM ? rows - first : ROWS_PER_SUM;
        for (size_t k = 0; k < count; k++)
            (errors ? copy_errors : copy_values)(data, first + k, scratch + k * d);
        sum = checksum(sum, scratch, count * d * sizeof *scratch);
    }
    return sum;
}

/* A checksum of the data that does not depend on their layout in memory. False if memory runs
 * out. */
static bool fingerprint(const nim_data *data, uint32_t *result) {
    size_t sizes[] = {data->rows, data->attributes, data->sigma ? data->sigma_rows : 0};
    size_t row = data->attributes * sizeof(double);
    uint32_t sum = checksum(0, sizes, sizeof sizes);
    double *scratch = malloc(ROWS_PER_SUM * row);
    if (!scratch)
        return false;
    sum = add_rows(sum, data, data->rows, false, scratch);
    sum = add_rows(sum, data, sizes[2], true, scratch);
    free(scratch);
    sum = add_array(sum, data->labels, data->rows * sizeof *data->labels);
    sum = add_array(sum, data->targets, data->rows * data->outputs * sizeof *data->targets);
    sum = add_array(sum, data->exposure, data->rows * sizeof *data->exposure);
    sum = add_array(sum, data->weights, data->rows * sizeof *data->weights);
    size_t pairs = data->attributes * (data->attributes - 1) / 2;
    sum = add_array(sum, data->correlation,
                    data->correlation_rows * pairs * sizeof *data->correlation);
    sum = add_array(sum, data->sigma_upper, sizes[2] * row);
    *result = add_array(sum, data->limit, data->rows * data->attributes * sizeof *data->limit);
    return true;
}

/* Stores the state of the training in the model, so that it can continue from it. */
static void note_checkpoint(struct training *training) {
    struct nim_model *model = training->trainer->model;
    model->under_way = true;
    model->checkpoint = (struct checkpoint_state){.next_batch = (double)training->trainer->next,
                                                  .epoch_sum = training->trainer->epoch_sum,
                                                  .data_digest = training->fingerprint};
    schedule_write(&training->schedule, &model->checkpoint);
}

static nim_status refuse_other_data(nim_error *error) {
    return failure(
        error, NIM_INVALID_ARGUMENT,
        "this training was stopped and can only continue with the same data; these data differ");
}

/* Starts a training, or continues one that was stopped. */
static nim_status begin(struct training *training, nim_error *error) {
    nim_trainer *trainer = training->trainer;
    const struct nim_model *model = trainer->model;
    if ((model->under_way || training->progress) && /* otherwise it is not needed */
        !fingerprint(&trainer->data, &training->fingerprint))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a checksum of the rows");
    if (!model->under_way) {
        training->schedule = schedule_start(plan_training(trainer));
        return NIM_OK;
    }
    double next = model->checkpoint.next_batch;
    if (model->checkpoint.data_digest != training->fingerprint ||
        !(next >= 0.0 && next < (double)trainer->batches))
        return refuse_other_data(error);
    training->schedule = schedule_read(&model->checkpoint);
    trainer->next = (size_t)next;
    trainer->epoch_sum = model->checkpoint.epoch_sum;
    order_start(trainer->order, model->epoch);
    return NIM_OK;
}

/* Progress is reported at the end of an epoch and, in long epochs, a few times a second. */
static bool is_time_to_report(const struct training *training) {
    struct timespec now;
    if (!training->progress)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double waited = (double)(now.tv_sec - training->reported.tv_sec) +
                    1e-9 * (double)(now.tv_nsec - training->reported.tv_nsec);
    return training->trainer->next == 0 || waited >= REPORT_SECONDS;
}

static bool report_progress(struct training *training) {
    const struct nim_trainer *trainer = training->trainer;
    note_checkpoint(training);
    if (!training->progress)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &training->reported);
    nim_progress report = {.epoch = training->schedule.steps / trainer->batches,
                           .epochs = training->schedule.plan.most_steps / trainer->batches,
                           .batch = trainer->next,
                           .batches = trainer->batches,
                           .step = trainer->model->step,
                           .bound = trainer->model->bound,
                           .rate = trainer->rate,
                           .jitter = largest_jitter(trainer->model)};
    return training->progress(&report, training->context);
}

/* All processes report after the same steps, so that their progress functions can communicate, and
 * all stop if one of them wants to. */
static nim_status report_together(struct training *training, bool *stop, nim_error *error) {
    const nim_collectives *all = &training->trainer->model->collectives;
    bool due = is_time_to_report(training);
    *stop = false;
    nim_status status = collective_any(all, &due, error);
    if (status != NIM_OK || !due)
        return status;
    *stop = report_progress(training);
    return collective_any(all, stop, error);
}

/* Steps until the schedule ends, and then to the end of the epoch, so that the bound is that of a
 * whole epoch. */
static nim_status run_training(struct training *training, nim_error *error) {
    nim_trainer *trainer = training->trainer;
    bool more = !training->schedule.ended;
    while (more || trainer->next != 0) {
        double bound;
        trainer->rate = training->schedule.rate;
        trainer->width = training->schedule.width;
        nim_status status = nim_trainer_step(trainer, &bound, error);
        if (status != NIM_OK)
            return status;
        more = schedule_continue(&training->schedule, bound);
        bool stop;
        status = report_together(training, &stop, error);
        if (status != NIM_OK)
            return status;
        if (stop && (more || trainer->next != 0))
            return failure(error, NIM_CANCELLED,
                           "the progress callback stopped the training after step %llu",
                           (unsigned long long)trainer->model->step);
    }
    return NIM_OK;
}

/* The status of the steps. All processes have the same, unless they cannot communicate. */
static nim_status gather_after(nim_status steps, struct nim_model *model, nim_error *error) {
    if (steps == NIM_COMMUNICATION)
        return steps;
    nim_status gathered = model_complete(model, error);
    return gathered == NIM_OK ? steps : gathered;
}

nim_status training_run(nim_model *model, const nim_data *data, nim_progress_function progress,
                        void *context, nim_error *error) {
    struct training training = {.progress = progress, .context = context};
    if (model && data && model->under_way && data->rows != model->table.rows)
        return refuse_other_data(error); /* before memory for more rows is allocated */
    nim_status status = nim_trainer_create(model, data, &training.trainer, error);
    if (status != NIM_OK)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &training.reported);
    status = begin(&training, error);
    if (status == NIM_OK) {
        status = gather_after(run_training(&training, error), model, error);
        if (status == NIM_OK && progress)
            note_checkpoint(&training);
        model->under_way = status == NIM_CANCELLED || (status == NIM_OK && progress);
        if (!model->under_way)
            model_forget_optimiser(model);
    }
    nim_trainer_free(training.trainer);
    return status;
}

void training_end(nim_model *model) {
    model->under_way = false;
    model_forget_optimiser(model);
}

void trainer_set_rate(nim_trainer *trainer, double rate) {
    trainer->rate = rate;
}
