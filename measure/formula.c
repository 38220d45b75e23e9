/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that are computed from measurements: logarithms and differences. */
#include "nimgp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Share of a normal curve within one deviation: erf(1/sqrt(2)). */
#define WITHIN_ONE 0.68268949213708589717

/* The place z at which erf(z / sqrt(2)) is this, 0 < share < WITHIN_ONE, by bisection. */
static double half_normal_quantile(double share) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(erf(middle * sqrt(0.5)) < share ? &low : &high) = middle;
    }
    return low;
}

/* However uncertain, an error stays finite. */
static double finite_error(double error) {
    return error > DBL_MAX ? DBL_MAX : error;
}

static double lower_log_error(double relative) {
    /* Half a normal curve that ends at zero, x / lower deviations away. */
    double there = erf(sqrt(0.5) / relative);
    double z = there < 1.0 ? half_normal_quantile(WITHIN_ONE * there) : 1.0;
    return relative > 0.0 ? -log1p(-fmin(relative * z, 1.0 - DBL_EPSILON)) : relative;
}

size_t nim_take_log(int decimal, size_t count, double *value, double *lower, double *upper,
                    int8_t *limit) {
    double unit = decimal ? 2.302585092994046 : 1.0; /* ln 10 */
    size_t without = 0;
    for (size_t i = 0; i < count; i++) {
        double x = value[i];
        bool has = x > 0.0;
        without += x <= 0.0;
        if (lower)
            lower[i] = has ? finite_error(lower_log_error(lower[i] / x) / unit) : (double)NAN;
        if (upper)
            upper[i] = has ? finite_error(log1p(upper[i] / x) / unit) : (double)NAN;
        if (limit)
            limit[i] = has ? limit[i] : 0;
        value[i] = !has ? (double)NAN : decimal ? log10(x) : log(x);
    }
    return without;
}

static double joint_error(double a, double b) {
    return isnan(a) || isnan(b) ? (double)NAN : finite_error(hypot(a, b));
}

void nim_take_difference(size_t count, double *value, double *lower, double *upper, int8_t *limit,
                         const double *minus, const double *minus_lower, const double *minus_upper,
                         const int8_t *minus_limit) {
    for (size_t i = 0; i < count; i++) {
        bool contradict = limit[i] && limit[i] == minus_limit[i];
        value[i] -= minus[i];
        if (isinf(value[i]) || contradict) /* beyond what a number holds, or unknown */
            value[i] = (double)NAN;
        lower[i] = joint_error(lower[i], minus_upper[i]);
        upper[i] = joint_error(upper[i], minus_lower[i]);
        limit[i] = contradict ? 0 : limit[i] ? limit[i] : (int8_t)-minus_limit[i];
    }
}
