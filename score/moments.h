/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_MOMENTS_H
#define SCORE_MOMENTS_H

/* Means of terms that come one at a time, with their standard errors. */

#include <stddef.h>

struct score {
    double value, deviation; /* and its standard error; NaN where one row does not tell */
};

/* Mean and sum of squared distances from it, one term at a time (Welford). An infinite term stays.
 */
struct moments {
    double count, mean, squares;
};
void moments_add(struct moments *moments, double term);

/* As if the terms of `more` had been added too. */
void moments_merge(struct moments *moments, const struct moments *more);

/* The standard error of a mean is the deviation of its terms / sqrt(count). */
struct score moments_mean(const struct moments *moments);

/* The root of a mean. */
struct score score_root(struct score mean);

/* A share of `total` with its standard error. */
struct score share_of(double count, double total);

#endif
