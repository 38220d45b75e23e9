/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/held_out.h"

#include "base/collectives.h"
#include "math/row_sample.h"
#include "model/start.h"
#include "model/targets.h"
#include "train/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 100,        /* of a copy's further training; smaller in the last quarter */
    NUMBER_STEPS = 200, /* the same where numbers or counts are predicted */
    MOST_JUDGED = 2000, /* most rows held out in total */
    LEAST_ROWS = 40,
    MANY_ROWS = 5 * MOST_JUDGED, /* from which exact ones are held out in one part */
    PATIENCE = 10,               /* steps between two calls of the progress function */
    MOST_CONSIDERED =
        1 << 18, /* most rows for training and judging copies; their few steps use fewer */
    MOST_COPIES = 2,
    FIRST_COPY = 16, /* the first draw for training copies; those for judging are below */
};

/* Learning rate of a copy, in units of the model's initial rate. For classes it is large at first,
 * because q(w) starts from the prior, while the kernels have converged. */
#define FIRST_RATE 3.0
#define LAST_RATE 1.0

bool held_out_serves(const nim_model *model, const nim_data *data) {
    bool panel = model->options.views == VIEWS_PANEL && joint_serves(model);
    size_t groups = conformal_groups(model);
    return (panel || model->options.calibrate == CALIBRATE_AUTO) && groups &&
           data->rows >= LEAST_ROWS && data->rows >= FOLDS * groups;
}

size_t held_out_width(const nim_model *model) {
    return model->classes ? model->classes : HELD_OUT_NUMBERS;
}

static size_t steps_of(const nim_model *model) {
    return model->classes ? STEPS : NUMBER_STEPS;
}

static size_t folds_of(const nim_model *model, size_t rows) {
    bool exact = !model->options.input->uses_errors;
    return model->classes && exact && rows >= MANY_ROWS ? 1 : FOLDS;
}

size_t held_out_steps(const nim_model *model, size_t rows) {
    return folds_of(model, rows) * steps_of(model);
}

/* ---------------------------------------------------------------- folds ----------------------- */

/* Assigns the rows of each class to the folds in turn. */
static bool deal_folds(const nim_model *model, struct held_out *held) {
    const nim_data *data = held->data;
    const struct row_sample sample = row_sample(
        (struct random_key){model->options.seed, STREAM_SAMPLE}, 2, data->rows, MOST_CONSIDERED);
    held->folds = folds_of(model, data->rows);
    held->count = sample.count;
    held->weight = (double)data->rows / (double)sample.count;
    held->row = malloc(sample.count * sizeof *held->row);
    held->part_of = calloc(sample.count, sizeof *held->part_of);
    size_t *order = malloc(sample.count * sizeof *order);
    size_t *next = calloc(model->classes + 1, sizeof *next);
    bool good = held->row && held->part_of && order && next;
    if (good)
        random_permutation((struct random_key){model->options.seed, STREAM_FOLD}, 0, sample.count,
                           order);
    for (size_t k = 0; good && k < sample.count; k++)
        held->row[k] = row_sample_at(&sample, k);
    for (size_t k = 0; good && k < sample.count; k++) {
        size_t at = order[k], label = model->classes ? (size_t)data->labels[held->row[at]] : 0;
        held->part_of[at] = k < MOST_JUDGED ? next[label]++ % MOST_FOLDS : MOST_FOLDS;
    }
    free(order);
    free(next);
    return good;
}

/* Labels and weights of the held-out rows. */
static bool note_judged(struct held_out *held) {
    held->labels = malloc((held->count + 1) * sizeof *held->labels);
    held->weights = malloc((held->count + 1) * sizeof *held->weights);
    for (size_t k = 0; held->labels && held->weights && k < held->count; k++)
        if (held->part_of[k] < MOST_FOLDS) {
            size_t i = held->row[k];
            held->labels[held->judged] = held->data->labels ? held->data->labels[i] : 0;
            held->weights[held->judged++] = held->data->weights ? held->data->weights[i] : 1.0;
        }
    return held->labels && held->weights;
}

nim_status held_out_create(struct held_out *held, const nim_model *model, const nim_data *data,
                           struct listener *listener, nim_error *error) {
    *held = (struct held_out){.data = data, .listener = listener};
    return deal_folds(model, held) && note_judged(held)
               ? NIM_OK
               : failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
}

void held_out_free(struct held_out *held) {
    free(held->row);
    free(held->part_of);
    free(held->labels);
    free(held->weights);
}

static bool is_in_fold(const struct held_out *held, size_t k, size_t fold, size_t folds) {
    return held->part_of[k] < MOST_FOLDS && held->part_of[k] % folds == fold;
}

bool held_out_fold(const struct held_out *held, size_t fold, size_t folds, bool own,
                   struct own_rows *rows) {
    size_t count = 0, *row = malloc((held->count + 1) * sizeof *row);
    for (size_t k = 0; row && k < held->count; k++)
        if (is_in_fold(held, k, fold, folds) == own)
            row[count++] = held->row[k];
    bool good = row && own_rows_pick(rows, held->data, count, row, own ? 1.0 : held->weight);
    free(row);
    return good;
}

/* ---------------------------------------------------------------- copies ---------------------- */

/* A copy that has the rows' own parameters of these rows. */
static nim_status copy_for(const nim_model *model, const struct own_rows *learn, nim_model **result,
                           nim_error *error) {
    nim_model *copy = NULL;
    nim_status status = model_copy(model, &copy, error);
    if (status != NIM_OK)
        return status;
    size_t each = model->table.each, bytes = each * sizeof(double);
    /* With the posterior at the prior the held-out rows affect the copy only through kernels and
     * inducing inputs. Where numbers are predicted, that would need many more steps: a posterior
     * that is too wide makes intervals too narrow. It goes on from where it is, which held-out rows
     * have helped to find, and forgets them. */
    if ((model->classes && !model_start_posterior(copy)) ||
        !row_table_grow(&copy->table, learn->data.rows)) {
        nim_model_free(copy);
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    }
    for (size_t k = 0; each && k < learn->data.rows; k++)
        memcpy(copy->table.theta + k * each, model->table.theta + learn->row[k] * each, bytes);
    *result = copy;
    return NIM_OK;
}

nim_status listener_hears(struct listener *listener, const nim_collectives *all, nim_error *error) {
    bool stop = listener->progress && listener->progress(&listener->report, listener->context) != 0;
    nim_status status = collective_any(all, &stop, error);
    if (status == NIM_OK && stop)
        status = failure(error, NIM_CANCELLED, "the progress callback stopped the calibration");
    return status;
}

static nim_status go_on_training(nim_model *copy, const nim_data *data, struct listener *listener,
                                 nim_error *error) {
    nim_trainer *trainer = NULL;
    nim_status status = nim_trainer_create(copy, data, &trainer, error);
    assert(status != NIM_OK || copy);
    size_t steps = steps_of(copy);
    for (size_t step = 0; status == NIM_OK && step < steps; step++) {
        double rate = copy->options.rate;
        bool fast = copy->classes && step < steps * 3 / 4;
        trainer_set_rate(trainer, fast ? FIRST_RATE * rate : LAST_RATE * rate);
        status = nim_trainer_step(trainer, NULL, error);
        listener->report.batch++;
        if (status == NIM_OK && step % PATIENCE == 0)
            status = listener_hears(listener, &copy->collectives, error);
    }
    nim_trainer_free(trainer);
    return status;
}

bool outlook_rows(const struct outlook *outlook, const nim_data *data, const size_t *row,
                  struct own_rows *own) {
    static const enum degrading kind[1 + MOST_COPIES] = {DEGRADE_NOT, DEGRADE_ALL, DEGRADE_ALL};
    bool good = !outlook->copies || own_rows_degrade(own, data, row, 1 + outlook->copies, kind,
                                                     outlook->worse, FIRST_COPY);
    return good && (!outlook->view ||
                    own_rows_see(own, outlook->copies ? &own->data : data, outlook->view));
}

/* The rows to be judged, in all ways. */
static bool judged_rows(const struct outlook *outlook, const struct own_rows *fold,
                        struct own_rows *judge) {
    enum degrading way[DEGRADE_KINDS] = {DEGRADE_NOT};
    for (size_t k = 0; k < outlook->ways; k++)
        way[k + 1] = outlook->way[k];
    bool worse = outlook->ways && own_rows_degrade(judge, &fold->data, fold->row, 1 + outlook->ways,
                                                   way, outlook->worse, 0);
    if (outlook->ways && !worse)
        return false;
    return !outlook->view || own_rows_see(judge, worse ? &judge->data : &fold->data, outlook->view);
}

bool held_out_rows(const struct held_out *held, const struct outlook *outlook,
                   struct own_rows *own) {
    struct own_rows rows = {0};
    size_t count = 0, *row = malloc((held->count + 1) * sizeof *row);
    for (size_t k = 0; row && k < held->count; k++)
        if (held->part_of[k] < MOST_FOLDS)
            row[count++] = held->row[k];
    bool good = row && own_rows_pick(&rows, held->data, count, row, 1.0) &&
                judged_rows(outlook, &rows, own);
    free(row);
    if (good && !own->x) /* they are judged as they are */
        *own = rows;
    else
        own_rows_free(&rows);
    return good;
}

/* Of numbers and counts: own, rows x HELD_OUT_NUMBERS. */
static nim_status predict_numbers(nim_predictor *predictor, const nim_model *model,
                                  const nim_data *rows, double *own, nim_error *error) {
    double *density = malloc((3 * rows->rows + 1) * sizeof *density), *place = density;
    if (!density)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    density += 2 * rows->rows;
    nim_status status = nim_predict(
        predictor, rows, &NIM_PREDICTION(.cumulative = place, .log_density = density), error);
    for (size_t i = 0; status == NIM_OK && i < rows->rows; i++) {
        double target[2];
        targets_take(model, rows, 1, &i, target);
        memcpy(own + HELD_OUT_NUMBERS * i, place + 2 * i, 2 * sizeof *own);
        own[HELD_OUT_NUMBERS * i + HELD_OUT_DENSITY] =
            exp(density[i] - scaling_target_log_slope(&model->scaling, target[0]));
    }
    free(place);
    return status;
}

nim_status held_out_glance(const struct held_out *held, const nim_model *model, double *p,
                           nim_error *error) {
    const struct outlook plain = {0};
    struct own_rows rows = {0};
    nim_predictor *predictor = NULL;
    nim_status status = held_out_rows(held, &plain, &rows)
                            ? NIM_OK
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        status = nim_predictor_create(model, &predictor, error);
    if (status == NIM_OK)
        status = predict_numbers(predictor, model, &rows.data, p, error);
    nim_predictor_free(predictor);
    own_rows_free(&rows);
    return status;
}

/* Predicts rows by a copy that is trained further on others. own: rows x held_out_width. */
static nim_status predict_by_copy(const struct held_out *held, const nim_model *model,
                                  const struct own_rows *learn, const nim_data *rows, double **own,
                                  nim_error *error) {
    nim_model *copy = NULL;
    nim_predictor *predictor = NULL;
    nim_status status = copy_for(model, learn, &copy, error);
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        status = go_on_training(copy, &learn->data, held->listener, error);
    if (status == NIM_OK)
        status = nim_predictor_create(copy, &predictor, error);
    if (status == NIM_OK &&
        !(*own = malloc((rows->rows * held_out_width(model) + 1) * sizeof **own)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    if (status == NIM_OK)
        status = model->classes
                     ? nim_predict(predictor, rows, &NIM_PREDICTION(.probabilities = *own), error)
                     : predict_numbers(predictor, model, rows, *own, error);
    nim_predictor_free(predictor);
    nim_model_free(copy);
    return status;
}

void held_out_place(const struct held_out *held, size_t fold, size_t folds, size_t ways,
                    size_t rows, size_t width, const double *own, double *p) {
    for (size_t k = 0, at = 0, i = 0; k < held->count; k++) {
        if (held->part_of[k] == MOST_FOLDS)
            continue;
        bool in_fold = is_in_fold(held, k, fold, folds);
        for (size_t way = 0; in_fold && way <= ways; way++)
            memcpy(p + (way * held->judged + at) * width, own + (way * rows + i) * width,
                   width * sizeof *p);
        i += in_fold;
        at++;
    }
}

static nim_status judge_fold(const struct held_out *held, const nim_model *model,
                             const struct outlook *outlook, size_t fold, double *p,
                             nim_error *error) {
    struct own_rows learn = {0}, fold_rows = {0}, judge = {0}, seen = {0};
    double *own = NULL;
    nim_status status = NIM_OK;
    if (!held_out_fold(held, fold, held->folds, false, &learn) ||
        !held_out_fold(held, fold, held->folds, true, &fold_rows))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    bool none = status == NIM_OK && (fold_rows.data.rows == 0 || learn.data.rows == 0);
    if (status == NIM_OK && !none &&
        !(outlook_rows(outlook, &learn.data, learn.row, &seen) &&
          judged_rows(outlook, &fold_rows, &judge)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK && !none)
        status = predict_by_copy(held, model, seen.x ? &seen : &learn,
                                 judge.x ? &judge.data : &fold_rows.data, &own, error);
    if (status == NIM_OK && !none)
        held_out_place(held, fold, held->folds, outlook->ways, fold_rows.data.rows,
                       held_out_width(model), own, p);
    free(own);
    own_rows_free(&learn);
    own_rows_free(&fold_rows);
    own_rows_free(&judge);
    own_rows_free(&seen);
    return status;
}

nim_status held_out_judge(const struct held_out *held, const nim_model *model,
                          const struct outlook *outlook, double *p, nim_error *error) {
    nim_status status = NIM_OK;
    for (size_t fold = 0; status == NIM_OK && fold < held->folds; fold++)
        status = judge_fold(held, model, outlook, fold, p, error);
    return status;
}
