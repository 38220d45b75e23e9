/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_WEIGH_H
#define NIMGP_FIT_WEIGH_H

/* The weights of a panel, from probabilities of held-out rows: see panel.h. */

#include "model/panel.h"

#include <stdint.h>

struct weighing {
    size_t parts, ways, rows, classes;     /* the plain fit is a part */
    const double *p[PANEL_MOST_PARTS + 1]; /* ways x rows x classes each */
    const int32_t *labels;                 /* rows */
    const double *weights;                 /* rows */
    const double *gate;                    /* ways x rows; NULL: 1 */
};

/* weight: where the gate is 1, and where it is 0. */
void weigh(const struct weighing *weighing, double weight[2][PANEL_MOST_PARTS + 1]);

/* Whether the weighted mean predicts the rows of the first way better than the plain fit, by more
 * than chance. */
bool weighing_gains(const struct weighing *weighing, double weight[2][PANEL_MOST_PARTS + 1]);

#endif
