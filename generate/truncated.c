/* SPDX-License-Identifier: Apache-2.0 */
#include "truncated.h"

#include <math.h>

static double distribution(double z) {
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

/* Inverse of the normal distribution. Its logarithm rises and is concave, and is too small at the
 * start, so Newton's steps rise to the solution without passing it. */
static double quantile(double p) {
    enum { MOST_STEPS = 50 };
    if (p > 0.5)
        return -quantile(1.0 - p);
    double z = -sqrt(-2.0 * log(p)), step = 1.0;
    for (int i = 0; step > 1e-9 && i < MOST_STEPS; i++) {
        double below = distribution(z), slope = 0.39894228040143267794 * exp(-0.5 * z * z) / below;
        step = log(p / below) / slope;
        z += step;
    }
    return z;
}

double truncated_quantile(double u, double mean, double deviation, double least, double most) {
    double a = (least - mean) / deviation, b = (most - mean) / deviation, z;
    if (a > 0.0) /* the lower tail keeps its digits, the upper one does not */
        return -truncated_quantile(1.0 - u, -mean, deviation, -most, -least);
    double low = distribution(a), high = distribution(b);
    if (high > 1e-290)
        z = quantile(fmax(low + u * (high - low), 1e-300));
    else
        z = b + log(u) / -b; /* so far out the density falls off like exp(-|b| distance) */
    return fmin(fmax(mean + deviation * z, least), most);
}
