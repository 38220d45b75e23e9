/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Shared by probit, ordinal and multi-label likelihoods: the probability that f plus standard
 * normal noise is between two thresholds,
 *
 *     p(low < f + noise < high | f) = Phi((high - f) / s) - Phi((low - f) / s),   s^2 = 1 + blur.
 *
 * Thresholds may be infinite.
 */

#include "likelihood/likelihood.h"
#include "math/quadrature.h"

struct interval {
    double low, high;
};

/* (1/alpha) log E p^alpha, or E log p for alpha = 0, under f ~ N(mean, variance), and its
 * derivatives. */
struct interval_answer {
    double value, d_mean, d_variance, d_blur, d_low, d_high;
};

enum { INTERVAL_SCRATCH = 7 * QUADRATURE_NODES }; /* doubles of scratch */

struct interval_answer interval_expectation(double alpha, struct interval interval, double mean,
                                            double variance, double blur, double *scratch);

/* The same for row r of a question with one function; also writes value and weighted derivatives.
 */
struct interval_answer interval_answer_row(const struct likelihood_setting *setting,
                                           const struct expectation *question, size_t r,
                                           struct interval interval);

/*
 * The probability of each of the count + 1 intervals between `count` ascending thresholds, under
 * f ~ N(mean, variance).
 */
void interval_probabilities(size_t count, const double *threshold, double mean, double variance,
                            double *probability);
