/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIKELIHOOD_INTERVAL_H
#define LIKELIHOOD_INTERVAL_H

/*
 * What probit, ordinal and multi-label likelihoods are made of: f plus standard normal noise falls
 * between two thresholds,
 *
 *     p(low < f + noise < high | f) = Phi((high - f) / s) - Phi((low - f) / s),   s^2 = 1 + blur.
 *
 * Thresholds may be infinite.
 */

#include "likelihood/likelihood.h"

struct interval {
    double low, high;
};

/* (1/alpha) log E p^alpha, or E log p for alpha = 0, under f ~ N(mean, variance), and its
 * derivatives. */
struct interval_answer {
    double value, d_mean, d_variance, d_blur, d_low, d_high;
};

size_t interval_scratch(const struct likelihood_setting *setting); /* doubles all of this needs */

struct interval_answer interval_expectation(double alpha, struct interval interval, double mean,
                                            double variance, double blur, double *scratch);

/* The same for row r of a question whose only function's f it is; answered there, weight and all.
 */
struct interval_answer interval_answer_row(const struct likelihood_setting *setting,
                                           const struct expectation *question, size_t r,
                                           struct interval interval);

/*
 * The probability of each of count + 1 intervals between `count` growing thresholds, under
 * f ~ N(mean, variance); returns E H, the entropy that would be left were f known.
 */
double interval_probabilities(size_t count, const double *threshold, double mean, double variance,
                              double *probability, double *scratch);

#endif
