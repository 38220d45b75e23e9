/* SPDX-License-Identifier: Apache-2.0 */
/* A complete training: steps until the bound no longer improves, then calibration. */
#include "base/sized.h"
#include "fit/calibrate.h"
#include "fit/panel.h"
#include "model/class_shares.h"
#include "train/training.h"

static nim_status train(nim_model *model, const nim_data *data, nim_progress_function progress,
                        void *context, nim_error *error) {
    nim_status status = training_run(model, data, progress, context, error);
    if (status != NIM_OK)
        return status;
    class_shares_count(model, data);
    if (model->options.views == VIEWS_PANEL && calibration_serves(model, data))
        status = panel_train(model, data, progress, context, error);
    if (status == NIM_OK)
        status = calibrate(model, data, progress, context, error);
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
