/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_PANEL_H
#define NIMGP_FIT_PANEL_H

/* Training of a panel: see model/panel.h. */

#include "model/model.h"

/* Gives the model a new panel, all parts trained, with equal weights. `progress` as in
 * nim_model_train: nonzero stops, with NIM_CANCELLED. */
nim_status panel_train(nim_model *model, const nim_data *data, nim_progress_function progress,
                       void *context, nim_error *error);

/*
 * Learns the weights from held-out rows: those that maximise
 *
 *     sum_i v_i log sum_k w_k p_ik(y_i) + PRIOR sum_k log w_k,
 *
 * by expectation maximisation; the function is concave. p: probabilities of each part (parts + 1,
 * `stride` apart, each rows x classes), the plain fit first; those of the plain fit become the
 * combined ones.
 */
void panel_weigh(struct panel *panel, size_t rows, size_t classes, double *p, size_t stride,
                 const int32_t *labels, const double *weights);

#endif
