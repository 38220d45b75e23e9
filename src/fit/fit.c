/* SPDX-License-Identifier: Apache-2.0 */
/* A complete training: steps until the bound no longer improves, then what held-out rows teach: the
 * panel and the calibration. */
#include "base/collectives.h"
#include "base/sized.h"
#include "fit/joint.h"
#include "fit/panel.h"
#include "fit/temperature.h"
#include "model/class_shares.h"
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

/* Learns from rows that the fit has not seen: the weights of a panel, and the calibration. */
static nim_status learn_from_held_out(nim_model *model, const struct held_out *held,
                                      nim_error *error) {
    bool panel = model->options.views == VIEWS_PANEL, views = panel && model->classes;
    const nim_data *data = held->data;
    struct outlook outlook = {.ways = views ? PANEL_WAYS : 0, .way = panel_way};
    double *p = malloc(((1 + outlook.ways) * held->judged * held_out_width(model) + 1) * sizeof *p);
    double *usual = views ? malloc((data->attributes + data->rows) * sizeof *usual) : NULL;
    nim_status status = p && (usual || !views)
                            ? NIM_OK
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    status = collective_agree(&model->collectives, status, error);
    assert(status != NIM_OK || p); /* processes agree on success only if this one has it */
    const struct worse worse =
        status == NIM_OK && views ? panel_worse(model, data, usual) : (struct worse){0};
    outlook.worse = &worse;
    if (status == NIM_OK)
        status = held_out_judge(held, model, &outlook, p, error);
    if (status == NIM_OK && panel)
        status = model->classes ? panel_learn(model, held, &worse, p, error)
                                : joint_learn(model, held, p, error);
    if (status == NIM_OK && model->options.calibrate == CALIBRATE_AUTO)
        status = calibrate(model, held, p, error);
    free(usual);
    free(p);
    return status;
}

static nim_status hold_out(nim_model *model, const nim_data *data, nim_progress_function progress,
                           void *context, nim_error *error) {
    size_t fits = model->options.views != VIEWS_PANEL ? 1
                  : model->classes                    ? 2 * (PANEL_MOST_PARTS + 1)
                                                      : 2;
    struct listener listener = {.progress = progress,
                                .context = context,
                                .steps = held_out_steps(model, data->rows),
                                .report = {.epoch = (size_t)model->epoch,
                                           .epochs = (size_t)model->epoch,
                                           .batches = fits * held_out_steps(model, data->rows) + 1,
                                           .step = (size_t)model->step,
                                           .bound = model->bound}};
    struct held_out held;
    nim_status status = held_out_create(&held, model, data, &listener, error);
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        status = learn_from_held_out(model, &held, error);
    held_out_free(&held);
    return status;
}

static nim_status train(nim_model *model, const nim_data *data, nim_progress_function progress,
                        void *context, nim_error *error) {
    nim_status status = training_run(model, data, progress, context, error);
    if (status != NIM_OK)
        return status;
    class_shares_count(model, data);
    if (held_out_serves(model, data))
        status = hold_out(model, data, progress, context, error);
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
