/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_CALIBRATE_H
#define NIMGP_FIT_CALIBRATE_H

/*
 * Calibration by cross-validation. The predicted class probabilities become proportional to
 * p_c^(1/T). The temperature T is the one that makes the labels of held-out rows most probable:
 *
 *     minimise  -sum_i w_i log q_i(y_i) + (log T)^2 / (2 s^2),   q_i(c) = p_i(c)^(1/T) / sum_k
 * p_i(k)^(1/T).
 *
 * Rows are held out in FOLDS parts with equal shares of each class. p_i comes from a copy of the
 * trained model whose training continues without the part of row i. With few rows, the divergence
 * of the functions from their prior makes predictions too cautious; with many rows, T is close
 * to 1.
 */

#include "model/model.h"

/* Whether the options ask for it, and there are enough rows. */
bool calibration_serves(const nim_model *model, const nim_data *data);

/* Sets the model's temperature, and the weights of its panel, if calibration_serves. `progress` as
 * in nim_model_train: nonzero stops, with NIM_CANCELLED. */
nim_status calibrate(nim_model *model, const nim_data *data, nim_progress_function progress,
                     void *context, nim_error *error);

/* The best temperature for probabilities p (rows x classes) of rows with these labels and weights
 * (NULL: all 1). */
double best_temperature(size_t rows, size_t classes, const double *p, const int32_t *labels,
                        const double *weights);

#endif
