/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_RATED_PREDICTIONS_H
#define CLI_SCORE_RATED_PREDICTIONS_H

/* What a model says of rows whose targets are known, and how good that is. */

#include "cli/score/metrics.h"
#include "cli/model/task.h"
#include "cli/rows/target_values.h"

/* Central intervals whose coverage is looked at. */
enum { INTERVALS = 3 };
extern const double interval_share[INTERVALS];

struct rated_predictions {
    const struct task *task;
    size_t classes; /* classes, levels or labels */

    size_t rows, room;
    struct target_values targets;
    double *p;           /* rows x classes: their probabilities */
    double *log_density; /* rows: numbers, counts and sets of labels */
    double *mean;        /* rows: numbers and counts, and so the following */
    double *quantile;    /* rows x 2 INTERVALS: the ends of the intervals */
};

/* Makes room for so many rows more, of the targets' shape. False when out of memory. */
bool rated_predictions_grow(struct rated_predictions *rated, size_t more);

/* Adds the predictions of the rows of `data`, whose targets are beside them; there is room. */
nim_status rated_predictions_add(struct rated_predictions *rated, nim_predictor *predictor,
                                 const nim_data *data, const struct target_values *targets,
                                 nim_error *error);

void rated_predictions_free(struct rated_predictions *rated);

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
struct scores scores_of(const struct rated_predictions *rated, size_t count, const size_t *row);

/* Label c alone: share of rows in which it is wrong. */
struct score label_error(const struct rated_predictions *rated, size_t c);

#endif
