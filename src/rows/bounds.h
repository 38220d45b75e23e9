/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers y between bounds a and b, which may be infinite. The model learns u, which has none:
 *
 *     u = [log(y - a), if a is finite] - [log(b - y), if b is finite],
 *
 * and u = y without bounds. With a = 0 alone u is the logarithm of y; with both it is a logit.
 * Distributions of y follow from those of u: p(y) = p(u) du/dy, and quantiles are mapped.
 */

#include <stdbool.h>

struct target_bounds {
    double lowest, highest;
};

bool bounds_exist(const struct target_bounds *bounds);
bool bounds_hold(const struct target_bounds *bounds, double y); /* a < y < b */

double bounds_free(const struct target_bounds *bounds, double y); /* u */
double bounds_bind(const struct target_bounds *bounds, double u); /* y */

/* log(du/dy) at u. */
double bounds_log_slope(const struct target_bounds *bounds, double u);

/* E y and E y^2, if u is normally distributed and there are bounds. */
void bounds_moments(const struct target_bounds *bounds, double mean, double variance, double *first,
                    double *second);
