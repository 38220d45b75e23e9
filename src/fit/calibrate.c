/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/calibrate.h"

#include "base/collectives.h"
#include "fit/temperature.h"
#include "rows/cells.h"
#include "math/row_sample.h"
#include "fit/panel.h"
#include "model/start.h"
#include "model/targets.h"
#include "train/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FOLDS = 4,
    STEPS = 100,        /* of a copy's further training; smaller in the last quarter */
    MOST_JUDGED = 2000, /* most rows held out in total */
    LEAST_ROWS = 40,
    PATIENCE = 10, /* steps between two calls of the progress function */
    MOST_CONSIDERED =
        1 << 18, /* most rows for training and judging copies; their few steps use fewer */
};

/* Learning rate of a copy, in units of the model's initial rate. It is large because q(w) starts
 * from the prior, while the kernels have converged. */
#define FIRST_RATE 3.0
#define LAST_RATE 1.0

/* Rows on which a copy is trained, or which it predicts: a separate table. */
struct subset {
    nim_data data;
    double *x, *sigma, *weights, *upper, *correlation;
    int8_t *limit;
    int32_t *labels;
    size_t *row;
};

static void subset_free(struct subset *subset) {
    free(subset->x);
    free(subset->sigma);
    free(subset->weights);
    free(subset->upper);
    free(subset->correlation);
    free(subset->limit);
    free(subset->labels);
    free(subset->row);
}

/* The rows used, a sample if there are very many, and the fold of each; FOLDS for a row that is
 * never held out. */
struct considered {
    size_t count, *row, *fold_of;
    double weight; /* rows of the table that each of them represents */
};

static void considered_free(struct considered *rows) {
    free(rows->row);
    free(rows->fold_of);
}

/* Copies limits, upper errors and correlations; see nim_data. */
static bool subset_shapes(struct subset *subset, const nim_data *data) {
    size_t d = data->attributes, count = subset->data.rows, pairs = d * (d - 1) / 2;
    bool upper = data->sigma_upper && data->sigma_rows != 1;
    bool correlated = data->correlation && data->correlation_rows != 1;
    subset->upper = upper ? malloc((count * d + 1) * sizeof *subset->upper) : NULL;
    subset->limit = data->limit ? malloc(count * d + 1) : NULL;
    subset->correlation =
        correlated ? malloc((count * pairs + 1) * sizeof *subset->correlation) : NULL;
    if ((upper && !subset->upper) || (data->limit && !subset->limit) ||
        (correlated && !subset->correlation))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t i = subset->row[k];
        if (upper)
            memcpy(subset->upper + k * d, data->sigma_upper + i * d, d * sizeof(double));
        if (data->limit)
            memcpy(subset->limit + k * d, data->limit + i * d, d);
        if (correlated)
            memcpy(subset->correlation + k * pairs, data->correlation + i * pairs,
                   pairs * sizeof(double));
    }
    subset->data.sigma_upper = upper ? subset->upper : data->sigma_upper;
    subset->data.limit = subset->limit;
    subset->data.correlation = correlated ? subset->correlation : data->correlation;
    subset->data.correlation_rows = correlated ? count : data->correlation_rows;
    return true;
}

/* The rows of fold `fold`, or all others. The others have larger weights to represent the omitted
 * rows. */
static bool subset_create(struct subset *subset, const nim_data *data,
                          const struct considered *rows, size_t fold, bool own) {
    size_t d = data->attributes, count = 0;
    bool each = data->sigma && data->sigma_rows != 1;
    double weight = own ? 1.0 : rows->weight;
    bool weighs = data->weights || weight != 1.0;
    *subset = (struct subset){.row = malloc(rows->count * sizeof *subset->row)};
    for (size_t k = 0; subset->row && k < rows->count; k++)
        if ((rows->fold_of[k] == fold) == own)
            subset->row[count++] = rows->row[k];
    subset->x = malloc((count * d + 1) * sizeof *subset->x);
    subset->labels = malloc((count + 1) * sizeof *subset->labels);
    subset->sigma = each ? malloc((count * d + 1) * sizeof *subset->sigma) : NULL;
    subset->weights = weighs ? malloc((count + 1) * sizeof *subset->weights) : NULL;
    if (!subset->row || !subset->x || !subset->labels || (each && !subset->sigma) ||
        (weighs && !subset->weights))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t i = subset->row[k];
        copy_values(data, i, subset->x + k * d);
        if (each)
            copy_errors(data, i, subset->sigma + k * d);
        if (weighs)
            subset->weights[k] = weight * (data->weights ? data->weights[i] : 1.0);
        subset->labels[k] = data->labels[i];
    }
    subset->data =
        NIM_DATA(.rows = count, .attributes = d, .x = subset->x,
                 .sigma = each ? subset->sigma : data->sigma,
                 .sigma_rows = each ? count : data->sigma_rows, .labels = subset->labels,
                 .weights = subset->weights, .sigma_column = each ? NULL : data->sigma_column);
    return subset_shapes(subset, data);
}

/* The same rows as a view shows them. */
static bool subset_see(struct subset *subset, const struct view *view) {
    size_t rows = subset->data.rows, width = view_width(view), room = view_scratch(view);
    double *x = malloc((rows * width + 3 * room) * sizeof *x), *row = x ? x + rows * width : NULL;
    double *sigma = malloc((rows * width + 1) * sizeof *sigma);
    if (!x || !sigma) {
        free(x);
        free(sigma);
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        view_row(view, &subset->data, i, row, row + room, row + 2 * room);
        memcpy(x + i * width, row, width * sizeof *x);
        memcpy(sigma + i * width, row + room, width * sizeof *x);
    }
    free(subset->x);
    free(subset->sigma);
    subset->x = x;
    subset->sigma = sigma;
    subset->data =
        NIM_DATA(.rows = rows, .attributes = width, .x = x, .sigma = sigma, .sigma_rows = rows,
                 .labels = subset->labels, .weights = subset->weights);
    return true;
}

/* A copy that has the rows' own parameters of these rows. */
static nim_status copy_for(const nim_model *model, const struct subset *learn, nim_model **result,
                           nim_error *error) {
    nim_model *copy = NULL;
    nim_status status = model_copy(model, &copy, error);
    if (status != NIM_OK)
        return status;
    size_t each = model->table.each, bytes = each * sizeof(double);
    /* With the posterior at the prior the held-out rows affect the copy only through kernels and
     * inducing inputs. */
    if (!model_start_posterior(copy) || !row_table_grow(&copy->table, learn->data.rows)) {
        nim_model_free(copy);
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    }
    for (size_t k = 0; each && k < learn->data.rows; k++)
        memcpy(copy->table.theta + k * each, model->table.theta + learn->row[k] * each, bytes);
    *result = copy;
    return NIM_OK;
}

/* The caller's progress function, which may stop the calibration. */
struct listener {
    nim_progress_function progress;
    void *context;
    nim_progress report;
};

static nim_status go_on_training(nim_model *copy, const nim_data *data, struct listener *listener,
                                 nim_error *error) {
    nim_trainer *trainer = NULL;
    nim_status status = nim_trainer_create(copy, data, &trainer, error);
    assert(status != NIM_OK || copy);
    for (size_t step = 0; status == NIM_OK && step < STEPS; step++) {
        double rate = copy->options.rate;
        trainer_set_rate(trainer, step < STEPS * 3 / 4 ? FIRST_RATE * rate : LAST_RATE * rate);
        status = nim_trainer_step(trainer, NULL, error);
        listener->report.batch++;
        if (status != NIM_OK || step % PATIENCE != 0)
            continue;
        bool stop =
            listener->progress && listener->progress(&listener->report, listener->context) != 0;
        status = collective_any(&copy->collectives, &stop, error);
        if (status == NIM_OK && stop)
            status = failure(error, NIM_CANCELLED, "the progress callback stopped the calibration");
    }
    nim_trainer_free(trainer);
    return status;
}

/* Probabilities p of the rows of one fold, from a copy that was trained further without them. The
 * model sees the rows through a view, if it is not NULL. */
static nim_status judge_fold(const nim_model *model, const struct view *view, const nim_data *data,
                             const struct considered *rows, size_t fold, struct listener *listener,
                             double *p, nim_error *error) {
    struct subset learn = {0}, judge = {0};
    nim_model *copy = NULL;
    nim_predictor *predictor = NULL;
    nim_status status = NIM_OUT_OF_MEMORY;
    if (!subset_create(&learn, data, rows, fold, false) ||
        !subset_create(&judge, data, rows, fold, true) ||
        (view && !(subset_see(&learn, view) && subset_see(&judge, view))))
        failure(error, status, "no memory to calibrate");
    else if (judge.data.rows == 0 || learn.data.rows == 0) {
        subset_free(&learn);
        subset_free(&judge);
        return NIM_OK;
    } else
        status = copy_for(model, &learn, &copy, error);
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        status = go_on_training(copy, &learn.data, listener, error);
    if (status == NIM_OK)
        status = nim_predictor_create(copy, &predictor, error);
    double *own = NULL;
    if (status == NIM_OK && !(own = malloc((judge.data.rows * model->classes + 1) * sizeof *own)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    if (status == NIM_OK)
        status = nim_predict(predictor, &judge.data, &NIM_PREDICTION(.probabilities = own), error);
    for (size_t k = 0, at = 0; status == NIM_OK && k < rows->count; k++)
        if (rows->fold_of[k] == fold)
            memcpy(p + k * model->classes, own + at++ * model->classes, model->classes * sizeof *p);
    free(own);
    nim_predictor_free(predictor);
    nim_model_free(copy);
    subset_free(&learn);
    subset_free(&judge);
    return status;
}

/* Assigns the rows of each class to the folds in turn. */
static bool deal_folds(const nim_model *model, const nim_data *data, struct considered *rows) {
    const struct row_sample sample = row_sample(
        (struct random_key){model->options.seed, STREAM_SAMPLE}, 2, data->rows, MOST_CONSIDERED);
    rows->count = sample.count;
    rows->weight = (double)data->rows / (double)sample.count;
    rows->row = malloc(sample.count * sizeof *rows->row);
    rows->fold_of = calloc(sample.count, sizeof *rows->fold_of);
    size_t *order = malloc(sample.count * sizeof *order);
    size_t *next = calloc(model->classes + 1, sizeof *next);
    bool good = rows->row && rows->fold_of && order && next;
    if (good)
        random_permutation((struct random_key){model->options.seed, STREAM_FOLD}, 0, sample.count,
                           order);
    for (size_t k = 0; good && k < sample.count; k++)
        rows->row[k] = row_sample_at(&sample, k);
    for (size_t k = 0; good && k < sample.count; k++) {
        size_t at = order[k], label = (size_t)data->labels[rows->row[at]];
        rows->fold_of[at] = k < MOST_JUDGED ? next[label]++ % FOLDS : FOLDS;
    }
    free(order);
    free(next);
    return good;
}

/* Moves the held-out rows to the front of p, labels and weights; returns how many. */
static size_t gather_judged(const nim_data *data, const struct considered *rows, size_t classes,
                            double *p, int32_t *labels, double *weights) {
    size_t count = 0;
    for (size_t k = 0; k < rows->count; k++)
        if (rows->fold_of[k] < FOLDS) {
            size_t i = rows->row[k];
            memmove(p + count * classes, p + k * classes, classes * sizeof *p);
            labels[count] = data->labels[i];
            weights[count++] = data->weights ? data->weights[i] : 1.0;
        }
    return count;
}

/* Held-out probabilities of the plain fit (part 0) or of a part of the panel, for all rows. */
static nim_status judge(const nim_model *model, size_t part, const nim_data *data,
                        const struct considered *rows, struct listener *listener, double *p,
                        nim_error *error) {
    const struct panelist *seen = part ? &model->panel->part[part - 1] : NULL;
    nim_status status = NIM_OK;
    for (size_t fold = 0; status == NIM_OK && fold < FOLDS; fold++)
        status = judge_fold(seen ? seen->model : model, seen ? &seen->view : NULL, data, rows, fold,
                            listener, p, error);
    return status;
}

/* Learns from held-out rows: the weights of a panel, then the temperature and the plausibility of
 * the combined probabilities. p: those of each part (parts x considered rows x classes), which are
 * overwritten. */
static nim_status learn_from_held_out(nim_model *model, const nim_data *data,
                                      const struct considered *rows, double *p, int32_t *labels,
                                      double *weights, nim_error *error) {
    size_t classes = model->classes, judged = 0, all = rows->count * classes;
    size_t parts = model->panel ? model->panel->parts + 1 : 1;
    for (size_t k = 0; k < parts; k++)
        judged = gather_judged(data, rows, classes, p + k * all, labels, weights);
    if (model->panel)
        panel_weigh(model->panel, judged, classes, p, all, labels, weights);
    model->calibrated = model->shifted = true;
    nim_status status = temperature_learn(judged, classes, p, labels, weights, &model->temperature,
                                          model->offset, error);
    return status == NIM_OK ? conformal_learn(model, judged, p, labels, error) : status;
}

nim_status calibrate(nim_model *model, const nim_data *data, nim_progress_function progress,
                     void *context, nim_error *error) {
    size_t classes = model->classes;
    size_t parts = model->panel ? model->panel->parts + 1 : 1;
    if (!calibration_serves(model, data))
        return NIM_OK;
    struct listener listener = {progress,
                                context,
                                {.epoch = (size_t)model->epoch,
                                 .epochs = (size_t)model->epoch,
                                 .batches = parts * FOLDS * STEPS + 1,
                                 .step = (size_t)model->step,
                                 .bound = model->bound}};
    struct considered considered = {0};
    double *p = NULL, *weights = NULL;
    int32_t *labels = NULL;
    nim_status status = NIM_OK;
    if (!deal_folds(model, data, &considered) ||
        !(p = malloc(parts * considered.count * classes * sizeof *p)) ||
        !(weights = malloc(considered.count * sizeof *weights)) ||
        !(labels = malloc(considered.count * sizeof *labels)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    status = collective_agree(&model->collectives, status, error);
    assert(status != NIM_OK || p); /* processes agree on success only if this one has it */
    for (size_t k = 0; status == NIM_OK && k < parts; k++)
        status = judge(model, k, data, &considered, &listener, p + k * considered.count * classes,
                       error);
    if (status == NIM_OK)
        status = learn_from_held_out(model, data, &considered, p, labels, weights, error);
    considered_free(&considered);
    free(p);
    free(weights);
    free(labels);
    return status;
}

bool calibration_serves(const nim_model *model, const nim_data *data) {
    return model->options.calibrate == CALIBRATE_AUTO && targets_are_classes(model) &&
           data->rows >= LEAST_ROWS && data->rows >= FOLDS * model->classes;
}
