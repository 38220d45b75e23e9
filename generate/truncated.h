/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_TRUNCATED_H
#define GENERATE_TRUNCATED_H

/* A normal variable cut to an interval. */

/*
 * The value below which the share `u` (0 .. 1) of N(mean, deviation^2) inside [least, most] lies.
 * Holds up in the far tails, when the interval lies many deviations from the mean.
 */
double truncated_quantile(double u, double mean, double deviation, double least, double most);

#endif
