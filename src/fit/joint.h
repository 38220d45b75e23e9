/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_JOINT_H
#define NIMGP_FIT_JOINT_H

/*
 * Learns mixtures over attributes and y (model/joint.h) as a part of a panel for numbers. Each
 * mixture learns without one fold of the held-out rows, which choose the number of its components
 * and are predicted by it: so the mixtures differ, and no fit is needed only for judging.
 */

#include "fit/held_out.h"

/*
 * Gives the model a panel with mixtures, if held-out rows show that it predicts better than the
 * plain fit. p (judged x HELD_OUT_NUMBERS): what the plain fit says of them; becomes what both say.
 */
nim_status joint_learn(struct nim_model *model, const struct held_out *held, double *p,
                       nim_error *error);

#endif
