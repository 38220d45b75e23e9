/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The plausibility of a class for a row, from held-out rows of that class, which a copy of the
 * model predicted that was not trained on them (fit/held_out.c). Let s_1 <= ... <= s_n be the
 * predicted probabilities of these n rows for their own class. The plausibility of class c for a
 * row with probability p is
 *
 *     (1 + number of s_i <= p) / (n + 1).
 *
 * If the row is of class c and has the same distribution as the n rows, all ranks among them are
 * equally likely. So {c: plausibility > a} does not contain the true class with a probability of at
 * most a, for each class, even if the probabilities are wrong (Mondrian conformal prediction: Vovk,
 * Gammerman and Shafer, 2005). Error bars do not change this if held-out and new rows are equally
 * noisy. The shares of the classes may differ, because each class is treated separately.
 *
 * At most CONFORMAL_KEPT = K of the s_i are kept for each class: those of the ranks r_k =
 * floor(k (n + 1) / (K + 1)), k = 1 .. K, where rank 0 is a probability of zero. If k of them are
 * not above p, the plausibility is r_(k+1) / (n + 1). It is never too small, and too large by at
 * most 1 / (K + 1).
 *
 * Numbers and counts are one group. In place of probabilities there are the shares s_i of the least
 * central intervals, from the quantile at (1 - s) / 2 to that at (1 + s) / 2, that have the y of
 * row i. The central interval of share s_(k) has the y of a new row with a probability of at least
 * k / (n + 1).
 */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>

struct nim_model;

enum { CONFORMAL_KEPT = 256 };

struct conformal {
    size_t kept;   /* K: the same for all classes; 0: nothing is known */
    double *rows;  /* groups: n */
    double *score; /* groups x K, ascending */
};

/* Allocates K scores for each class. False when out of memory. */
bool conformal_allocate(struct conformal *conformal, size_t classes, size_t kept);
void conformal_free(struct conformal *conformal);

/* Classes or levels; 1 for numbers and counts; 0 for sets of labels, of which nothing is learned.
 */
size_t conformal_groups(const struct nim_model *model);

/* Learns from held-out rows: labels and p (rows x classes, not calibrated yet), or for numbers
 * P(Y < y) and P(Y <= y) (rows x 2). p is overwritten. */
nim_status conformal_learn(struct nim_model *model, size_t rows, double *p, const int32_t *labels,
                           nim_error *error);

/* Of class c, from its calibrated probability. */
double conformal_plausibility(const struct conformal *conformal, size_t c, double p);

/* Of numbers: the share of a central interval that has y with probability `share`; infinite if too
 * few rows were held out. */
double conformal_share(const struct conformal *conformal, double share);
