/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A truncated normal variable. */

/*
 * The quantile at `u` (0 .. 1) of N(mean, deviation^2) truncated to [least, most]. It is accurate
 * also if the interval is many deviations from the mean.
 */
double truncated_quantile(double u, double mean, double deviation, double least, double most);
