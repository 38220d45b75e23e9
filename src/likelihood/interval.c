/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/interval.h"

#include "likelihood/power.h"
#include "math/quadrature.h"
#include "math/special.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836

#define REACH 8.5 /* of a peak, in its deviations: beyond it the density is e^-36 of the peak */
enum { MOST_STEPS = 50 };

/* Largest standardised threshold. Beyond it thresholds have the same effect as infinity, and their
 * squares are still finite. */
#define FARTHEST 1e8

static double standardised(double threshold, double f, double s) {
    return fmin(fmax((threshold - f) / s, -FARTHEST), FARTHEST);
}

/*
 * log p = log(Phi(b) - Phi(a)) at each node, a and b standardised, and phi(a) / p, phi(b) / p. In
 * the upper tail Phi(-a) - Phi(-b) is used instead, where Phi is small and accurate. The logarithm
 * is log Phi(b) + log(1 - Phi(a) / Phi(b)).
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

/* Where log p changes fastest: the threshold nearest to the mean, or the edge of the interval if
 * the mean is outside. */
static double steepest(struct interval interval, double mean) {
    if (isinf(interval.low))
        return interval.high;
    if (isinf(interval.high))
        return interval.low;
    return mean < 0.5 * (interval.low + interval.high) ? interval.low : interval.high;
}

/* One f, or the nodes of an average over f: f, weight and, at each f, log p, phi(a)/p, phi(b)/p. */
struct nodes {
    size_t count;
    double s; /* deviation of the noise */
    double *f, *weight, *low, *high, *log_p, *scratch;
};

static struct nodes nodes_in(double *scratch, double s) {
    enum { N = QUADRATURE_NODES };
    return (struct nodes){.s = s,
                          .f = scratch,
                          .weight = scratch + N,
                          .low = scratch + 2 * N,
                          .high = scratch + 3 * N,
                          .log_p = scratch + 4 * N,
                          .scratch = scratch + 5 * N};
}

static void evaluate_nodes(struct interval interval, struct nodes *nodes) {
    evaluate(interval, nodes->s, nodes->count, nodes->f, nodes->low, nodes->high, nodes->log_p,
             nodes->scratch);
}

/*
 * d log p / d f and the second derivative, which is between -1/s^2 and 0, at one f. With A < B in
 * the lower tail as in `evaluate`, p = Phi(B) - Phi(A). phi(A)/p and phi(B)/p are computed from the
 * hazard at B, which is accurate for any B.
 */
static void slope_at(struct interval interval, double s, double f, double *slope,
                     double *curvature) {
    double a = standardised(interval.low, f, s), b = standardised(interval.high, f, s);
    int flip = a + b > 0.0;
    double tail[2] = {flip ? -b : a, flip ? -a : b}, log_cdf[2], hazard[2];
    log_normal_cdf_array(2, tail, log_cdf, hazard);
    double high = hazard[1] / -expm1(log_cdf[0] - log_cdf[1]);
    double low = high * exp(0.5 * (tail[1] - tail[0]) * (tail[1] + tail[0]));
    *slope = (flip ? high - low : low - high) / s;
    double bend = tail[0] * low - tail[1] * high - (low - high) * (low - high);
    *curvature = fmin(fmax(bend, -1.0), 0.0) / (s * s);
}

/*
 * The mode of N(f; mean, variance) p(f)^alpha; `width` is set to the deviation of the peak there.
 * log p is concave, so each slope shows on which side of the present one the solution is. Newton's
 * method, with bisection if a step would leave the known bounds. The mode need not be exact.
 */
static struct tilt find_mode(double alpha, struct interval interval, double s, double mean,
                             double variance, double *width) {
    struct tilt tilt = {.slope = 0.0, .centre = mean};
    double least = -INFINITY, most = INFINITY, moved = INFINITY;
    *width = sqrt(variance);
    for (int step = 0; step < MOST_STEPS && moved > 0.01 * *width; step++) {
        double slope, curvature;
        slope_at(interval, s, tilt.centre, &slope, &curvature);
        *width = 1.0 / sqrt(1.0 / variance - alpha * curvature);
        least = slope > tilt.slope ? tilt.slope : least;
        most = slope > tilt.slope ? most : tilt.slope;
        struct tilt next = tilt_from(alpha, mean, variance, tilt.centre, slope, curvature);
        if (!(next.slope >= least && next.slope <= most)) {
            next.slope = 0.5 * (least + most);
            next.centre = mean + alpha * variance * next.slope;
        }
        moved = fabs(next.centre - tilt.centre);
        tilt = next;
    }
    return tilt;
}

/* Nodes around the mode. They are finest where log p changes fastest, or at the edge of the peak if
 * that place is outside it. */
static struct nodes average_over_f(double alpha, struct interval interval, double mean,
                                   double variance, double s, double *scratch) {
    struct nodes nodes = nodes_in(scratch, s);
    struct tilt tilt = {.slope = 0.0, .centre = mean};
    double bend = steepest(interval, mean), width;
    if (alpha > 0.0) {
        tilt = find_mode(alpha, interval, s, mean, variance, &width);
        bend = fmin(fmax(bend, tilt.centre - REACH * width), tilt.centre + REACH * width);
    }
    nodes.count = quadrature_normal(tilt.centre, sqrt(variance), bend, s, nodes.f, nodes.weight);
    evaluate_nodes(interval, &nodes);
    tilt_apply(tilt, alpha, variance, nodes.count, nodes.f, nodes.log_p);
    return nodes;
}

/* E p = Phi((high - mean) / S) - Phi((low - mean) / S), S^2 = s^2 + variance: the same as a single
 * f with more noise. */
static struct nodes all_as_noise(struct interval interval, double mean, double variance, double s,
                                 double *scratch) {
    struct nodes nodes = nodes_in(scratch, sqrt(s * s + variance));
    nodes.count = 1;
    nodes.f[0] = mean;
    nodes.weight[0] = 1.0;
    evaluate_nodes(interval, &nodes);
    return nodes;
}

/*
 * With a = (low - f)/s, b = (high - f)/s and p = Phi(b) - Phi(a), all d log p:
 *     by high: phi(b) / (s p),   by low: -phi(a) / (s p),   by f: minus their sum,
 *     by s^2:  -(b phi(b) - a phi(a)) / (2 s^2 p),
 * averaged as in power.h.
 */
struct interval_answer interval_expectation(double alpha, struct interval interval, double mean,
                                            double variance, double blur, double *scratch) {
    double s = sqrt(1.0 + blur);
    struct nodes nodes = alpha == 1.0 ? all_as_noise(interval, mean, variance, s, scratch)
                                      : average_over_f(alpha, interval, mean, variance, s, scratch);
    struct interval_answer answer = {.value =
                                         power_mean(alpha, nodes.count, nodes.log_p, nodes.weight)};
    s = nodes.s;
    for (size_t i = 0; i < nodes.count; i++) {
        double f = nodes.f[i], weight = nodes.weight[i], low = nodes.low[i], high = nodes.high[i];
        double a = standardised(interval.low, f, s), b = standardised(interval.high, f, s);
        double slope = (low - high) / s;
        answer.d_mean += weight * slope;
        answer.d_variance += weight * slope * (f - mean) / (2.0 * variance);
        answer.d_blur -= weight * (b * high - a * low) / (2.0 * s * s);
        answer.d_high += weight * high / s;
        answer.d_low -= weight * low / s;
    }
    if (alpha == 1.0)
        answer.d_variance = answer.d_blur;
    return answer;
}

struct interval_answer interval_answer_row(const struct likelihood_setting *setting,
                                           const struct expectation *question, size_t r,
                                           struct interval interval) {
    double weight = question->weight[r], blur = question->blur ? question->blur[r] : 0.0;
    struct interval_answer answer =
        interval_expectation(setting->alpha, interval, question->mean[r], question->variance[r],
                             blur, question->scratch);
    question->value[r] = answer.value;
    question->d_mean[r] = weight * answer.d_mean;
    question->d_variance[r] = weight * answer.d_variance;
    if (question->blur)
        question->d_blur[r] = weight * answer.d_blur;
    return answer;
}

void interval_probabilities(size_t count, const double *threshold, double mean, double variance,
                            double *probability) {
    double s = sqrt(1.0 + variance);
    for (size_t k = 0; k <= count; k++) {
        /* In the tail where both are small, as in `evaluate`. */
        double a = k ? (threshold[k - 1] - mean) / s : -INFINITY;
        double b = k < count ? (threshold[k] - mean) / s : INFINITY;
        int flip = a + b > 0.0;
        probability[k] = flip ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
    }
}
