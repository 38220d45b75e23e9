/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_JOINT_H
#define NIMGP_FIT_JOINT_H

/*
 * Learns mixtures over attributes and y (model/joint.h) as a part of a panel for numbers. Each
 * mixture learns without one fold of the held-out rows, which choose the number of its components
 * and are predicted by it: so the mixtures differ, and no fit is needed only for judging.
 */

#include "fit/held_out.h"

/* Mixtures, and what they say of the held-out rows, which must stay. */
struct joint_fit;
nim_status joint_learn(struct nim_model *model, const struct held_out *held, struct joint_fit **fit,
                       nim_error *error);
void joint_fit_free(struct joint_fit *fit);

/* p (judged x HELD_OUT_NUMBERS): what the plain fit says of these rows. Whether the mixtures say so
 * much more that the plain fit would have no weight, if p is what it says early in its training,
 * from which the rows are not held out. */
bool joint_suffices(const struct joint_fit *fit, const double *p);

/* Gives the model a panel with the mixtures, if held-out rows show that it predicts better than the
 * plain fit; then p becomes what both say. */
void joint_weigh(struct joint_fit *fit, double *p);

#endif
