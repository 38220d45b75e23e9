/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_METRICS_H
#define CLI_SCORE_METRICS_H

/*
 * How good predicted probabilities p (rows x classes) are, given the labels y.
 *
 *   error  share of rows whose most probable class (the first of equals) is not y
 *   NLL    mean of -ln p_y
 *   Brier  mean over rows of sum_c (p_c - [c = y])^2, from 0 to 2
 *   ECE    sum over bins of |sum_{rows in bin} (p_max - [right])| / rows; equal bins of p_max
 *
 * Standard errors: of a mean, the deviation of its terms / sqrt(rows); of ECE, by leaving out each
 * row in turn. NaN where one row does not tell.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALIBRATION_BINS = 15 };

struct score {
    double value, deviation; /* and its standard error */
};

/* Mean and sum of squared distances from it, one term at a time (Welford). An infinite term stays.
 */
struct moments {
    double count, mean, squares;
};
void moments_add(struct moments *moments, double term);
struct score moments_mean(const struct moments *moments);

/* The root of a mean. */
struct score score_root(struct score mean);

struct metrics {
    size_t rows;
    struct score error, nll, brier, ece;
};

/* Of the rows whose numbers stand in `row` (NULL: the first `count`). */
struct metrics metrics_of(size_t classes, const double *p, const int32_t *y, size_t count,
                          const size_t *row);

/* The most probable class; the first of equals. */
size_t most_probable(size_t classes, const double *p);

/* counts (classes x classes): how many rows of each class (down) were taken for each (across). */
void confusion_of(size_t classes, const double *p, const int32_t *y, size_t count, double *counts);

/* A share of `total` with its standard error. */
struct score share_of(double count, double total);

#endif
