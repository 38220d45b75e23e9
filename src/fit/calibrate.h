/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_CALIBRATE_H
#define NIMGP_FIT_CALIBRATE_H

/*
 * Calibration by cross-validation. Rows are held out in FOLDS parts with equal shares of each
 * class. Their probabilities come from a copy of the trained model whose training continues without
 * the part of the row; what makes their labels most probable (temperature.h) is applied to all
 * predictions. With few rows, the divergence of the functions from their prior makes predictions
 * too cautious, and nothing in it leads back to the shares of the classes where there is nothing to
 * learn; with many rows there is little to correct.
 */

#include "model/model.h"

/* Whether the options ask for it, and there are enough rows. */
bool calibration_serves(const nim_model *model, const nim_data *data);

/* Sets the model's temperature and offsets, and the weights of its panel, if calibration_serves.
 * `progress` as in nim_model_train: nonzero stops, with NIM_CANCELLED. */
nim_status calibrate(nim_model *model, const nim_data *data, nim_progress_function progress,
                     void *context, nim_error *error);

#endif
