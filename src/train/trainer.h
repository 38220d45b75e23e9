/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_TRAINER_H
#define NIMGP_TRAIN_TRAINER_H

/* Training beyond the public API, for src/fit/. */

#include "model/model.h"

/*
 * nim_model_train but for what comes after the last step: when it returns NIM_OK the model is still
 * under way, with nothing left to do but training_end.
 */
nim_status training_run(nim_model *model, const nim_data *data, nim_progress_function progress,
                        void *context, nim_error *error);
void training_end(nim_model *model);

/* The step size from here on. */
void trainer_set_rate(nim_trainer *trainer, double rate);

#endif
