/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Scores of predictions, for each row and as sums. Sums of parts can be added, so rows need not be
 * kept.
 *
 *   classes, levels   error: share of rows whose most probable class (the first of equals) is not
 *                     theirs; NLL: mean of -ln p of the true class; Brier: mean over rows of
 *                     sum_c (p_c - [c = y])^2, from 0 to 2; ECE: sum over bins b of |S_b| / rows,
 *                     where S_b is the sum over rows in the bin of p_max - [right], in equal bins
 *                     of p_max; expected error: mean of 1 - p_max
 *   levels            and MAE: mean of |most probable level - true level|
 *   labels            error: share of all labels of all rows on the wrong side of 1/2 (Hamming
 *                     loss); NLL: mean over rows of the sum over labels of -ln p; exact: share of
 *                     rows without a wrong label
 *   numbers, counts   RMSE and MAE of the mean; NLL: mean of -ln of the density in units of y, or
 *                     of the probability of the count; coverage: share of rows within the central
 *                     interval, ends included
 *   numbers           and CRPS: mean of the integral of (F(t) - [t >= y])^2, F the predicted
 *                     P(Y <= t); of one value it is |value - y|
 *
 * Where rows have weights, all sums and means are weighted.
 *
 * Standard errors: of a mean, the deviation of its terms / sqrt(rows), see moments.h; of a root,
 * from that of its square; of ECE, that of the mean of sign(S_b) (p_max - [right]) with fixed
 * signs.
 */

#include "score/moments.h"
#include "score/predictions.h"

enum { CALIBRATION_BINS = 15, MOST_FIGURES = 7, MOST_SCORES = 10 };

/* The terms of one row. */
struct row_figures {
    double figure[MOST_FIGURES]; /* whose means are the scores, in their order, without ECE */
    size_t bin;                  /* of p_max */
    double excess;               /* p_max - [right] */
    double weight;               /* a row of weight zero does not count */
};

/* Row i of predictions with known targets. */
struct row_figures row_figures_of(const struct predictions *predictions, size_t i);

struct tally {
    struct moments moment[MOST_FIGURES];
    struct {
        double rows, weight, squares; /* rows; sums of weights and of their squares */
        double confidence, right;     /* sums by weight: of p_max, of rows that are right */
    } bin[CALIBRATION_BINS];
    double excess_squares; /* sum by weight over all rows of (p_max - [right])^2 */
};

void tally_add(struct tally *tally, const struct row_figures *figures);
void tally_merge(struct tally *tally, const struct tally *more);

struct named_score {
    const char *key;    /* for programs */
    const char *name;   /* for people; NULL: not shown */
    const char *remark; /* what it is, or its unit */
    double unit;        /* for people: 0.01 for per cent */
    struct score score;
};

/* Which scores there are depends on the target. The first is an error, the second is always NLL. */
struct scores {
    size_t rows, count;
    struct named_score score[MOST_SCORES];
};

struct scores tally_scores(const struct tally *tally, enum predicts predicts);

/* Adds one, which must have room. */
void scores_put(struct scores *scores, const char *key, const char *name, double unit,
                const char *remark, struct score score);

/* Of all rows of the predictions. */
struct scores scores_of(const struct predictions *predictions);
