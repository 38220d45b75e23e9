/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How well the probability of a class sets its rows apart from others: rows by this probability,
 * for ROC and precision-recall curves at any threshold. The bins are equal in log(p / (1 - p)),
 * which is cut at -10 and 10, so that memory does not grow with the rows.
 */

#include "score/predictions.h"

enum { RANKING_BINS = 100 };

struct ranking {
    double with[RANKING_BINS], without[RANKING_BINS]; /* rows of the class, and of others */
};

/* Rows of known classes join the rankings of all classes. `known` NULL: all of them. */
void rankings_add(struct ranking *ranking, const struct predictions *predictions,
                  const unsigned char *known);

/* The area under the ROC curve: how often a row of the class has a higher probability than one of
 * another; in the same bin, half of the time. NaN if either are absent. */
double ranking_area(const struct ranking *ranking);
