/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_WEIGH_H
#define NIMGP_FIT_WEIGH_H

/*
 * The weights of a panel, from probabilities of held-out rows. With
 *
 *     w_ik = sum_r g_ir w_k^r + g_i,better [k is the plain fit],
 *     p_i(y) = exp(sum_k w_ik log p_ik(y)) / Z_i,
 *
 * they minimise, among weights that are not negative and have the sum 1 in each region,
 *
 *     -sum_i v_i (log p_i(y_i) - sum_kr g_ir w_k^r o_k) + PRIOR/2 sum_rk (w_k^r - [k is the plain
 * fit])^2.
 *
 * Flattery o_k: held-out rows have helped to find the kernel of a part, and so it predicts them
 * better than others. A parameter that n rows have found adds 1/n to their mean log p on average
 * (Akaike), so o_k is the number of latent functions times the columns that the part sees besides
 * those of the table, over n.
 *
 * The function is convex. Its gradient by w_k^r is sum_i v_i g_ir (sum_y p_i(y) log p_ik(y) - log
 * p_ik(y_i) + o_k) + PRIOR (w_k^r - [k is the plain fit]). Multiplicative steps, w_k times
 * exp(-step gradient_k), normalised, stay among such weights.
 */

#include "model/panel.h"

#include <stdint.h>

#define WEIGHING_PRIOR 40.0 /* PRIOR, held-out rows */

struct weighing {
    size_t parts, ways, rows, classes; /* the plain fit is a part */
    /* Logarithms of probabilities (panel_take_logs): ways x rows x classes each. */
    const double *log_p[PANEL_MOST_PARTS + 1];
    const int32_t *labels; /* rows */
    const double *weights; /* rows */
    const double *gate;    /* ways x rows x PANEL_REGIONS; NULL: typical */
    panel_weights flattery;
    double *scratch; /* classes */
};

/* weight: PANEL_WEIGHED. */
void weigh(const struct weighing *weighing, panel_weights *weight);

/* log p of the rows of the first way by the panel, minus that by the plain fit and the flattery of
 * its parts: mean and its standard error. */
void weighing_gain(const struct weighing *weighing, panel_weights *weight, double gain[2]);

#endif
