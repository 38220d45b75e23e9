/* SPDX-License-Identifier: Apache-2.0 */
/* A complete training: steps until the bound no longer improves, then what held-out rows teach: the
 * panel and the calibration. */
#include "base/collectives.h"
#include "base/sized.h"
#include "fit/joint.h"
#include "fit/panel.h"
#include "fit/temperature.h"
#include "model/targets.h"
#include "train/training.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* p (judged x held_out_width): predictions of held-out rows, which are overwritten. What makes
 * their labels most probable is applied to all predictions. With few rows, the divergence of the
 * functions from their prior makes predictions too cautious, and nothing in it leads back to the
 * shares of the classes where there is nothing to learn; with many rows there is little to correct.
 */
static nim_status calibrate(nim_model *model, const struct held_out *held, double *p,
                            nim_error *error) {
    for (size_t i = 0; model->classes == 0 && i < held->judged; i++) /* without densities */
        memmove(p + 2 * i, p + HELD_OUT_NUMBERS * i, 2 * sizeof *p);
    if (model->classes == 0)
        return conformal_learn(model, held->judged, p, held->labels, error);
    model->calibrated = model->shifted = true;
    nim_status status = temperature_learn(held->judged, model->classes, p, held->labels,
                                          held->weights, &model->temperature, model->offset, error);
    return status == NIM_OK ? conformal_learn(model, held->judged, p, held->labels, error) : status;
}

/* What is done beside the steps, with the rows that are held out. */
struct late {
    struct listener listener;
    struct held_out held;
    struct joint_fit *joint; /* of numbers */
    double *p;               /* (1 + ways) x judged x held_out_width */
    struct outlook outlook;  /* of the plain fit, with which it is judged */
    bool suffices;           /* the mixtures, so that the plain fit need not be trained any more */
};

static bool views(const nim_model *model) {
    return model->options.views == VIEWS_PANEL;
}

static nim_status late_start(struct late *late, nim_model *model, const nim_data *data,
                             nim_error *error) {
    size_t fits = !views(model) ? 1 : model->classes ? 2 * (PANEL_MOST_PARTS + 1) : 2;
    late->listener.steps = held_out_steps(model, data->rows);
    late->listener.report.batches = fits * held_out_steps(model, data->rows) + 1;
    late->outlook =
        (struct outlook){.ways = views(model) && model->classes ? PANEL_WAYS : 0, .way = panel_way};
    nim_status status = held_out_create(&late->held, model, data, &late->listener, error);
    if (status == NIM_OK) {
        size_t rows = (1 + late->outlook.ways) * late->held.judged;
        late->p = malloc((rows * held_out_width(model) + 1) * sizeof *late->p);
        status = late->p ? NIM_OK : failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    }
    return collective_agree(&model->collectives, status, error);
}

static void late_end(struct late *late) {
    joint_fit_free(late->joint);
    held_out_free(&late->held);
    free(late->p);
}

/* What the listener hears of the training. */
static void note_progress(struct late *late, const nim_model *model) {
    nim_progress *report = &late->listener.report;
    report->epoch = report->epochs = (size_t)model->epoch;
    report->step = (size_t)model->step;
    report->bound = model->bound;
}

/* A panel of classes, from p of the plain fit. */
static nim_status judge_classes(struct late *late, nim_model *model, nim_error *error) {
    const nim_data *data = late->held.data;
    bool panel = views(model);
    double *usual = panel ? malloc((data->attributes + data->rows) * sizeof *usual) : NULL;
    nim_status status =
        usual || !panel ? NIM_OK : failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    status = collective_agree(&model->collectives, status, error);
    assert(status != NIM_OK || !panel || usual);
    const struct worse worse =
        status == NIM_OK && panel ? panel_worse(model, data, usual) : (struct worse){0};
    late->outlook.worse = &worse;
    if (status == NIM_OK)
        status = held_out_judge(&late->held, model, &late->outlook, late->p, error);
    if (status == NIM_OK && panel)
        status = panel_learn(model, &late->held, &worse, late->p, error);
    free(usual);
    return status;
}

/* A panel of numbers; without one, also of counts. */
static nim_status judge_numbers(struct late *late, nim_model *model, nim_error *error) {
    nim_status status = NIM_OK;
    if (views(model) && !late->joint)
        status = joint_learn(model, &late->held, &late->joint, error);
    if (status == NIM_OK && !late->suffices)
        status = held_out_judge(&late->held, model, &late->outlook, late->p, error);
    if (status == NIM_OK && late->joint)
        joint_weigh(late->joint, late->p);
    return status;
}

/* Learns from rows that the fit has not seen: the weights of a panel, and the calibration. */
static nim_status hold_out(struct late *late, nim_model *model, const nim_data *data,
                           nim_error *error) {
    nim_status status = late->p ? NIM_OK : late_start(late, model, data, error);
    note_progress(late, model);
    if (status == NIM_OK)
        status = (model->classes ? judge_classes : judge_numbers)(late, model, error);
    if (status == NIM_OK && model->options.calibrate == CALIBRATE_AUTO)
        status = calibrate(model, &late->held, late->p, error);
    return status;
}

/* Whether mixtures predict numbers so much better than the training so far that it can end: then
 * the plain fit would have no weight. */
static nim_status ask(nim_model *model, void *context, bool *enough, nim_error *error) {
    struct late *late = context;
    nim_status status = late_start(late, model, late->held.data, error);
    note_progress(late, model);
    if (status == NIM_OK)
        status = joint_learn(model, &late->held, &late->joint, error);
    if (status == NIM_OK)
        status = held_out_glance(&late->held, model, late->p, error);
    *enough = late->suffices = status == NIM_OK && joint_suffices(late->joint, late->p);
    return status;
}

static nim_status train(nim_model *model, const nim_data *data, nim_progress_function progress,
                        void *context, nim_error *error) {
    struct late late = {.listener = {.progress = progress, .context = context}, .held.data = data};
    const struct pilot pilot = {ask, &late};
    bool holds = model && held_out_serves(model, data);
    bool asks = holds && views(model) && !model->classes;
    nim_status status = training_run(model, data, asks ? &pilot : NULL, progress, context, error);
    if (status == NIM_OK) {
        class_shares_count(model, data);
        if (holds)
            status = hold_out(&late, model, data, error);
    }
    late_end(&late);
    if (status == NIM_OK)
        status = novelty_learn(model, data, error);
    if (status == NIM_OK)
        training_end(model);
    return status == NIM_OK ? succeed(error) : status;
}

nim_status nim_model_train(nim_model *model, const nim_data *data, nim_progress_function progress,
                           void *context, nim_error *error) {
    nim_data ours;
    nim_status status = take_data(&ours, data, error);
    return status == NIM_OK ? train(model, &ours, progress, context, error) : status;
}
