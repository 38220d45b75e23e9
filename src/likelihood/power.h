/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * (1/alpha) log E p^alpha, where E is a sum over nodes, f ~ sum_i weight_i [f = f_i]. Its
 * derivatives are averages of those of log p with the shares
 *
 *     omega_i = weight_i p_i^alpha / sum_j weight_j p_j^alpha,
 *
 * by the mean of f: sum_i omega_i g_i, g = d log p / d f, and by its variance, because
 * f = mean + deviation z: sum_i omega_i g_i (f_i - mean) / (2 variance).
 */

#include <stddef.h>

/*
 * Returns (1/alpha) log sum_i weight_i p_i^alpha, for alpha = 0 sum_i weight_i log p_i, for weights
 * that sum to one. `weight` becomes omega, and `log_p` is overwritten. Small alpha is as accurate
 * as large alpha.
 */
double power_mean(double alpha, size_t count, double *log_p, double *weight);

/*
 * For an unlikely y the maximum of N(f; mean, variance) p(f)^alpha is far from the mean. Around
 *
 *     centre = mean + alpha variance slope,
 *
 * for any number `slope`, the same product is N(f; centre, variance) times the power alpha of exp
 * of
 *
 *     log p(f) - slope (f - centre) - alpha variance slope^2 / 2.
 *
 * If slope = g(centre), the centre is the product's mode. With alpha = 0 it is the mean.
 */
struct tilt {
    double slope, centre;
};

/* A Newton step towards the mode, given g = d log p / d f and g' <= 0 at f. It does not divide by
 * alpha. */
struct tilt tilt_from(double alpha, double mean, double variance, double f, double g,
                      double curvature);

/* From log p at the nodes to the logarithm above. */
void tilt_apply(struct tilt tilt, double alpha, double variance, size_t count, const double *f,
                double *log_p);
