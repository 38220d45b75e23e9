/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_TRAINING_H
#define NIMGP_TRAIN_TRAINING_H

#include "model/model.h"

/* Asks once, after a fifth of the longest training and at the end of an epoch, whether that is
 * enough. */
struct pilot {
    nim_status (*ask)(nim_model *model, void *context, bool *enough, nim_error *error);
    void *context;
};

/*
 * The steps of nim_model_train. When it returns NIM_OK the model is still under way, and only
 * training_end is left to be done. pilot: or NULL.
 */
nim_status training_run(nim_model *model, const nim_data *data, const struct pilot *pilot,
                        nim_progress_function progress, void *context, nim_error *error);
void training_end(nim_model *model);

#endif
