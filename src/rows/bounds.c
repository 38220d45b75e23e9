/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/bounds.h"

#include <math.h>

bool bounds_exist(const struct target_bounds *bounds) {
    return isfinite(bounds->lowest) || isfinite(bounds->highest);
}

bool bounds_hold(const struct target_bounds *bounds, double y) {
    return bounds->lowest < y && y < bounds->highest;
}

double bounds_free(const struct target_bounds *bounds, double y) {
    double u = bounds_exist(bounds) ? 0.0 : y;
    if (isfinite(bounds->lowest))
        u += log(y - bounds->lowest);
    if (isfinite(bounds->highest))
        u -= log(bounds->highest - y);
    return u;
}

double bounds_bind(const struct target_bounds *bounds, double u) {
    double low = bounds->lowest, high = bounds->highest;
    if (isfinite(low) && isfinite(high)) /* the nearer bound loses no digits */
        return u < 0.0 ? low + (high - low) / (1.0 + exp(-u))
                       : high - (high - low) / (1.0 + exp(u));
    return isfinite(low) ? low + exp(u) : isfinite(high) ? high - exp(-u) : u;
}

double bounds_log_slope(const struct target_bounds *bounds, double u) {
    double low = bounds->lowest, high = bounds->highest;
    if (isfinite(low) && isfinite(high)) /* y - a and b - y are (b - a) / (1 + exp(-+u)) */
        return fabs(u) + 2.0 * log1p(exp(-fabs(u))) - log(high - low);
    return isfinite(low) ? -u : isfinite(high) ? u : 0.0;
}

void bounds_moments(const struct target_bounds *bounds, double mean, double variance, double *first,
                    double *second) {
    const double step = 0.25, reach = 8.5; /* of the trapezoidal rule, in deviations: it converges
                                              exponentially */
    double low = bounds->lowest, high = bounds->highest, deviation = sqrt(variance), total = 0.0;
    *first = *second = 0.0;
    if (!isfinite(low) || !isfinite(high)) { /* the distance from the bound is log-normal */
        double sign = isfinite(low) ? 1.0 : -1.0, bound = isfinite(low) ? low : high;
        double away = exp(sign * mean + 0.5 * variance);
        *first = bound + sign * away;
        *second = bound * bound + 2.0 * bound * sign * away + away * away * exp(variance);
        return;
    }
    for (double z = -reach; z <= reach; z += step) {
        double y = bounds_bind(bounds, mean + deviation * z), weight = exp(-0.5 * z * z);
        total += weight;
        *first += weight * y;
        *second += weight * y * y;
    }
    *first /= total;
    *second /= total;
}
