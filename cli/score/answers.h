/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_ANSWERS_H
#define CLI_SCORE_ANSWERS_H

/* What a model says of rows whose truth is known, and how good that is. */

#include "cli/score/metrics.h"
#include "cli/model/task.h"
#include "cli/rows/truth.h"

/* Central intervals whose coverage is looked at. */
enum { INTERVALS = 3 };
extern const double interval_share[INTERVALS];

struct answers {
    const struct task *task;
    size_t classes; /* classes, levels or labels */

    size_t rows, room;
    struct truth truth;
    double *p;           /* rows x classes: their probabilities */
    double *log_density; /* rows: numbers, counts and sets of labels */
    double *mean;        /* rows: numbers and counts, and so the following */
    double *quantile;    /* rows x 2 INTERVALS: the ends of the intervals */
};

/* Makes room for so many rows more, of the truth's shape. False when out of memory. */
bool answers_grow(struct answers *answers, size_t more);

/* Adds the predictor's answers to the rows of `data`, whose truth is beside it; there is room. */
nim_status answers_add(struct answers *answers, nim_predictor *predictor, const nim_data *data,
                       const struct truth *truth, nim_error *error);

void answers_free(struct answers *answers);

struct named_score {
    const char *key;    /* for programs */
    const char *name;   /* for people */
    const char *remark; /* what it is, or its unit */
    double unit;        /* people read multiples of this: 0.01 for per cent */
    struct score score;
};

/*
 * Which there are depends on the task; the first says how far off the predictions are, the second
 * is always NLL.
 *
 *   classes, levels   error, NLL, Brier, ECE (metrics.h)
 *   levels            and MAE: mean of |most probable level - true level|
 *   labels            error: share of all labels of all rows on the wrong side of 1/2 (Hamming
 *                     loss); NLL: mean over rows of the sum over labels of -ln p; exact: share of
 *                     rows without a wrong label
 *   numbers, counts   RMSE and MAE of the mean; NLL: mean of -ln of the density in units of y, or
 * of the probability of the count; coverage: share of rows within the central interval, ends
 * included
 */
enum { MOST_SCORES = 8 };

struct scores {
    size_t rows, count;
    struct named_score score[MOST_SCORES];
};

/* Of the rows whose numbers stand in `row` (NULL: the first `count`). */
struct scores scores_of(const struct answers *answers, size_t count, const size_t *row);

/* Label c alone: share of rows in which it is wrong. */
struct score label_error(const struct answers *answers, size_t c);

#endif
