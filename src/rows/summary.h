/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What all rows of a table say of its columns. The table is read row by row, since its rows may be
 * far more than fit into the caches. Sums have the order of the rows. */

#include "nimgp.h"
#include "rows/warp.h"

/* Limits are neither missing nor measured. */
struct column_summary {
    size_t measured;
    double mean, deviation; /* of the measured values, warped; deviation 0: constant */
    double unit;            /* scratch */
};

/* columns: one for each attribute. warp: likewise, or NULL. */
void summarise(const nim_data *data, const struct warp *warp, struct column_summary *columns);

/* How many values of each attribute are missing. */
void count_missing(const nim_data *data, size_t *missing);

/* The median of finite numbers, which change places; the mean of the middle two of an even number;
 * 0 of none. Takes a time proportional to `count`, whatever the numbers. */
double median(size_t count, double *value);
