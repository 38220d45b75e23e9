/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/power.h"

#include "math/special.h"
#include "math/vector.h"

#include <math.h>

/* The sum of weight times log p, in the order of the nodes. */
static double mean_log(size_t count, const double *log_p, const double *weight) {
    double total = 0.0;
    for (size_t i = 0; i < count; i++)
        total += weight[i] * log_p[i];
    return total;
}

/*
 * With x_i = alpha (log p_i - the largest) the sum is S = sum_i weight_i exp(x_i) <= 1. If S is
 * near one its logarithm is computed as log1p(sum_i weight_i expm1(x_i)), otherwise as log S.
 */
double power_mean(double alpha, size_t count, double *log_p, double *weight) {
    if (alpha == 0.0)
        return mean_log(count, log_p, weight);
    double largest = -INFINITY, less_one = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = log_p[i] > largest ? log_p[i] : largest;
    for (size_t i = 0; i < count; i++) {
        log_p[i] = alpha * (log_p[i] - largest);
        less_one += weight[i] * expm1(log_p[i]);
    }
    exp_array(count, log_p, log_p);
    multiply(count, log_p, weight, weight);
    double total = sum(count, weight);
    scale(count, 1.0 / total, weight);
    return largest + (total > 0.5 ? log1p(less_one) : log(total)) / alpha;
}

/* Solves g(mean + alpha variance s) = s for s, where g is approximated by its tangent at f. */
struct tilt tilt_from(double alpha, double mean, double variance, double f, double g,
                      double curvature) {
    double slope = (g + curvature * (mean - f)) / (1.0 - alpha * variance * curvature);
    return (struct tilt){.slope = slope, .centre = mean + alpha * variance * slope};
}

void tilt_apply(struct tilt tilt, double alpha, double variance, size_t count, const double *f,
                double *log_p) {
    double shift = 0.5 * alpha * variance * tilt.slope * tilt.slope;
    for (size_t i = 0; i < count; i++)
        log_p[i] -= tilt.slope * (f[i] - tilt.centre) + shift;
}
