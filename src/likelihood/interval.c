/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/interval.h"

#include "math/quadrature.h"
#include "math/special.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836

size_t interval_scratch(const struct likelihood_setting *setting) {
    (void)setting;
    return 7 * QUADRATURE_NODES;
}

/* Standardised thresholds beyond this are as good as infinite, and their squares still finite. */
#define FARTHEST 1e8

static double standardised(double threshold, double f, double s) {
    return fmin(fmax((threshold - f) / s, -FARTHEST), FARTHEST);
}

/*
 * log p = log(Phi(b) - Phi(a)) at each node, a and b standardised, and phi(a) / p, phi(b) / p.
 * In the upper tail the difference is taken on the other side, Phi(-a) - Phi(-b), where Phi is
 * small and exact: log Phi(b) + log(1 - Phi(a) / Phi(b)).
 */
static void evaluate(struct interval interval, double s, size_t count, const double *f, double *low,
                     double *high, double *log_p, double *scratch) {
    double *log_low = log_p, *log_high = scratch, *unused = scratch + QUADRATURE_NODES;
    for (size_t i = 0; i < count; i++) {
        double a = standardised(interval.low, f[i], s), b = standardised(interval.high, f[i], s);
        int flip = a + b > 0.0;
        log_low[i] = flip ? -b : a;
        log_high[i] = flip ? -a : b;
        low[i] = a;
        high[i] = b;
    }
    log_normal_cdf_array(count, log_low, log_low, unused);
    log_normal_cdf_array(count, log_high, log_high, unused);
    for (size_t i = 0; i < count; i++) {
        log_p[i] = log_high[i] + log(-expm1(log_low[i] - log_high[i]));
        low[i] = exp(-0.5 * (low[i] * low[i] + LOG_TWO_PI) - log_p[i]);
        high[i] = exp(-0.5 * (high[i] * high[i] + LOG_TWO_PI) - log_p[i]);
    }
}

/* Where log p changes fastest: at the threshold nearest to the mean, outside the interval at its
 * edge. */
static double steepest(struct interval interval, double mean) {
    if (isinf(interval.low))
        return interval.high;
    if (isinf(interval.high))
        return interval.low;
    return mean < 0.5 * (interval.low + interval.high) ? interval.low : interval.high;
}

/*
 * With a = (low - f)/s, b = (high - f)/s and p = Phi(b) - Phi(a), all d log p:
 *     by high: phi(b) / (s p),   by low: -phi(a) / (s p),   by f: minus their sum,
 *     by s^2:  -(b phi(b) - a phi(a)) / (2 s^2 p),
 * and d E g / d variance = E[g'(f) z] / (2 deviation) with z = (f - mean) / deviation.
 */
struct interval_answer interval_expectation(struct interval interval, double mean, double variance,
                                            double blur, double *scratch) {
    double *f = scratch, *weight = f + QUADRATURE_NODES, *low = weight + QUADRATURE_NODES;
    double *high = low + QUADRATURE_NODES, *log_p = high + QUADRATURE_NODES;
    double deviation = sqrt(variance), s = sqrt(1.0 + blur);
    size_t count = quadrature_normal(mean, deviation, steepest(interval, mean), s, f, weight);
    evaluate(interval, s, count, f, low, high, log_p, log_p + QUADRATURE_NODES);
    struct interval_answer answer = {0};
    for (size_t i = 0; i < count; i++) {
        double a = standardised(interval.low, f[i], s), b = standardised(interval.high, f[i], s);
        double slope = (low[i] - high[i]) / s;
        answer.value += weight[i] * log_p[i];
        answer.d_mean += weight[i] * slope;
        answer.d_variance += weight[i] * slope * (f[i] - mean) / (2.0 * variance);
        answer.d_blur -= weight[i] * (b * high[i] - a * low[i]) / (2.0 * s * s);
        answer.d_high += weight[i] * high[i] / s;
        answer.d_low -= weight[i] * low[i] / s;
    }
    return answer;
}

struct interval_answer interval_answer_row(const struct expectation *question, size_t r,
                                           struct interval interval) {
    double weight = question->weight[r], blur = question->blur ? question->blur[r] : 0.0;
    struct interval_answer answer = interval_expectation(
        interval, question->mean[r], question->variance[r], blur, question->scratch);
    question->value[r] = answer.value;
    question->d_mean[r] = weight * answer.d_mean;
    question->d_variance[r] = weight * answer.d_variance;
    if (question->blur)
        question->d_blur[r] = weight * answer.d_blur;
    return answer;
}

double interval_probabilities(size_t count, const double *threshold, double mean, double variance,
                              double *probability, double *scratch) {
    double *f = scratch, *weight = scratch + QUADRATURE_NODES, left = 0.0;
    double s = sqrt(1.0 + variance);
    for (size_t k = 0; k <= count; k++) {
        /* On the side where both are small, as above. */
        double a = k ? (threshold[k - 1] - mean) / s : -INFINITY;
        double b = k < count ? (threshold[k] - mean) / s : INFINITY;
        int flip = a + b > 0.0;
        probability[k] = flip ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
    }
    size_t nodes = quadrature_normal(mean, sqrt(variance), threshold[count / 2], 1.0, f, weight);
    for (size_t i = 0; i < nodes; i++) {
        if (weight[i] < 1e-12)
            continue;
        double before = 0.0;
        for (size_t k = 0; k <= count; k++) {
            double up_to = k < count ? normal_cdf(threshold[k] - f[i]) : 1.0, p = up_to - before;
            left -= p > 0.0 ? weight[i] * p * log(p) : 0.0;
            before = up_to;
        }
    }
    return left;
}
