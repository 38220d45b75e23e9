/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Means of a stream of terms, with standard errors. */

#include <stddef.h>

struct score {
    double value, deviation; /* and its standard error; NaN if one row is not enough */
};

/*
 * Mean and sum of squared distances from it, one term at a time (Welford). Terms may have weights
 * w: the mean is sum w x / sum w, and its standard error the root of
 *
 *     sum w^2 (x - mean)^2 / (sum w)^2 * n / (n - 1),
 *
 * for which a second mean, weighted by w^2, is kept with its squares; with weights of 1 the two are
 * equal. An infinite term makes the mean infinite.
 */
struct moments {
    double count, mean, squares; /* n; the squares weighted by w^2, about square_mean */
    double weight;               /* sum of w */
    double square_weight, square_mean;
};
void moments_add(struct moments *moments, double term);
void moments_add_weighted(struct moments *moments, double term, double weight); /* weight > 0 */

/* As if the terms of `more` had been added too. */
void moments_merge(struct moments *moments, const struct moments *more);

/* The standard error of a mean without weights is the deviation of its terms / sqrt(count). */
struct score moments_mean(const struct moments *moments);

/* The root of a mean. */
struct score score_root(struct score mean);

/* A share of a total weight, with its standard error. `squares` is the sum of all squared weights;
 * the effective number of rows is total^2 / squares (Kish). */
struct score weighted_share_of(double weight, double total, double squares);
