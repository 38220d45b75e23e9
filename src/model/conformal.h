/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_CONFORMAL_H
#define NIMGP_MODEL_CONFORMAL_H

/*
 * How plausible a class is for a row, held against rows of that class that a copy of the model
 * predicted without having seen them (fit/calibrate.c). Let s_1 <= ... <= s_n be the probabilities
 * those n rows had for their own class. The plausibility of class c for a row with probability p is
 *
 *     (1 + number of s_i <= p) / (n + 1).
 *
 * If the row is of class c and comes from where the n rows came from, its rank among them is any
 * with equal chance. So {c: plausibility > a} misses the class with a probability of a at most,
 * class by class, however wrong the probabilities are (Mondrian conformal prediction: Vovk,
 * Gammerman and Shafer, 2005). Rows with error bars are exchangeable as others are: both are noisy
 * alike. Only shares of classes may differ, since each class stands for itself.
 *
 * At most CONFORMAL_KEPT = K of the s_i are kept a class: those of the ranks r_k = floor(k (n + 1)
 * / (K + 1)), k = 1 .. K, where rank 0 is a probability of zero. With k of them not above p the
 * plausibility is r_(k+1) / (n + 1), never too small, and too large by 1 / (K + 1) at most.
 */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>

struct nim_model;

enum { CONFORMAL_KEPT = 256 };

struct conformal {
    size_t kept;   /* K: the same for all classes; 0: nothing is known */
    double *rows;  /* classes: n */
    double *score; /* classes x K, ascending */
};

/* Room for K a class. False when memory runs out. */
bool conformal_allocate(struct conformal *conformal, size_t classes, size_t kept);
void conformal_free(struct conformal *conformal);

/* From rows kept aside: p (rows x classes, not calibrated yet) and labels. p is overwritten. */
nim_status conformal_learn(struct nim_model *model, size_t rows, double *p, const int32_t *labels,
                           nim_error *error);

/* Of class c, from its calibrated probability. */
double conformal_plausibility(const struct conformal *conformal, size_t c, double p);

/* Whether a file's numbers can be what they are called. */
bool conformal_can_be(const struct conformal *conformal, size_t classes);

#endif
