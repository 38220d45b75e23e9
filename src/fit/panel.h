/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_PANEL_H
#define NIMGP_FIT_PANEL_H

/*
 * Training of a panel (model/panel.h): its parts, its gate and their weights.
 *
 * The gate is a fit that tells training rows from rows that were measured worse (view/degrade.h).
 * The weights are learned from held-out rows, as they are and degraded in WAYS ways (weigh.h).
 */

#include "fit/held_out.h"

enum { PANEL_WAYS = 3 };
extern const enum degrading panel_way[PANEL_WAYS];

/* Median errors, and random numbers for rows measured worse; usual: attributes + rows. */
struct worse panel_worse(const struct nim_model *model, const nim_data *data, double *usual);

/* Whether held-out rows show that it predicts better than the plain fit, by more than chance. */
bool panel_gains(const struct panel *panel);

/*
 * Gives the model a panel, if held-out rows show that it predicts better than the plain fit. p ((1
 * + PANEL_WAYS) x judged x classes): probabilities of the plain fit; those of the first way become
 * the combined ones. `progress` as in nim_model_train: nonzero stops, with NIM_CANCELLED.
 */
nim_status panel_learn(struct nim_model *model, const struct held_out *held,
                       const struct worse *worse, double *p, nim_error *error);

#endif
