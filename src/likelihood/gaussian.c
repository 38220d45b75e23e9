/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian regression: y = f + noise of variance s2 + V_y, theta = log s2, where V_y is the given
 * variance of the row's measurement error. Everything has a closed form. With t = s2 + V_y + blur
 * and T = t + alpha variance:
 *
 *     (1/alpha) log E p^alpha = -1/2 log(2 pi t) - 1/(2 alpha) log(1 + alpha variance / t)
 *                               - (y - mean)^2 / (2 T),
 *     E log p                 = -1/2 log(2 pi t) - ((y - mean)^2 + variance) / (2 t),
 *     predicted               = N(mean, variance + s2 + V_y).
 *
 * With first-order inputs this is the noisy-input regression of McHutchon and Rasmussen (2011).
 */
#include "math/special.h"
#include "likelihood/likelihood.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836
#define START_VARIANCE 0.1 /* of the spread of y */

static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    (void)setting, (void)summary;
    theta[0] = log(START_VARIANCE);
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    (void)setting;
    theta[0] = fmin(fmax(theta[0], -20.0), 5.0);
}

/* A row's value, and its derivatives times its weight; d_noise is the derivative by t. */
struct answer {
    double value, d_mean, d_variance, d_noise;
};

static struct answer answer_log(double weight, double distance, double variance, double noise) {
    double square = (distance * distance + variance) / noise;
    return (struct answer){.value = -0.5 * (LOG_TWO_PI + log(noise) + square),
                           .d_mean = weight * distance / noise,
                           .d_variance = -0.5 * weight / noise,
                           .d_noise = 0.5 * weight * (square - 1.0) / noise};
}

/* The derivatives of -1/(2 alpha) log(1 + alpha variance / t) are -1/(2 T) by the variance and
 * variance / (2 t T) by t. */
static struct answer answer_power(double alpha, double weight, double distance, double variance,
                                  double noise) {
    double total = noise + alpha * variance, pull = distance / total;
    double logs = log(noise) + log1p(alpha * variance / noise) / alpha;
    double d_noise = pull * pull + (variance / total - 1.0) / noise;
    return (struct answer){.value = -0.5 * (LOG_TWO_PI + logs + distance * pull),
                           .d_mean = weight * pull,
                           .d_variance = 0.5 * weight * (alpha * pull * pull - 1.0 / total),
                           .d_noise = 0.5 * weight * d_noise};
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    double own = exp(theta[0]), alpha = setting->alpha;
    for (size_t r = 0; r < question->rows; r++) {
        const double *target = question->target + 2 * r;
        double noise = own + target[1] + (question->blur ? question->blur[r] : 0.0);
        double distance = target[0] - question->mean[r];
        double weight = question->weight[r], variance = question->variance[r];
        struct answer answer = alpha > 0.0 ? answer_power(alpha, weight, distance, variance, noise)
                                           : answer_log(weight, distance, variance, noise);
        question->value[r] = answer.value;
        question->d_mean[r] = answer.d_mean;
        question->d_variance[r] = answer.d_variance;
        if (question->blur)
            question->d_blur[r] = answer.d_noise;
        if (question->d_theta)
            question->d_theta[0] += answer.d_noise * own;
    }
}

static void moments(const struct likelihood_setting *setting, const double *theta,
                    const double *target, size_t rows, const double *mean, const double *variance,
                    double *first, double *second) {
    (void)setting, (void)target;
    for (size_t r = 0; r < rows; r++) {
        first[r] = mean[r];
        second[r] = mean[r] * mean[r] + variance[r] + exp(theta[0]);
    }
}

static void log_density(const struct likelihood_setting *setting, const double *theta,
                        const double *target, size_t rows, const double *mean,
                        const double *variance, double *value, double *scratch) {
    (void)setting, (void)scratch;
    for (size_t r = 0; r < rows; r++) {
        double total = variance[r] + exp(theta[0]) + target[1], distance = target[0] - mean[r];
        value[r] = -0.5 * (LOG_TWO_PI + log(total) + distance * distance / total);
    }
}

static void cumulative(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch) {
    (void)setting, (void)scratch;
    for (size_t r = 0; r < rows; r++) {
        double deviation = sqrt(variance[r] + exp(theta[0]) + target[1]);
        value[r] = normal_cdf((target[0] - mean[r]) / deviation);
    }
}

static void read_deviation(const struct likelihood_setting *setting, const double *theta,
                           double *values) {
    (void)setting;
    values[0] = exp(0.5 * theta[0]);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "noise_deviation", .read = read_deviation, .scales = 1},
    {0},
};

const struct likelihood likelihood_gaussian = {
    .name = "gaussian",
    .summary = "a number, with Gaussian noise whose size is learned",
    .target = TARGET_NUMBER,
    .parameter_count = 1,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .blurs = 1,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
