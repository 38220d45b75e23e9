/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian regression: y = f + noise of variance s2, theta = log s2. All is in closed form; with
 * t = s2 + blur:
 *
 *     E log p   = -1/2 log(2 pi t) - ((y - mean)^2 + variance) / (2 t),
 *     predicted = N(mean, variance + s2).
 *
 * With first-order inputs this is the noisy-input regression of McHutchon and Rasmussen (2011).
 */
#include "math/special.h"
#include "likelihood/likelihood.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836
#define START_VARIANCE 0.1 /* of the spread of y */

static size_t parameters(const struct likelihood_setting *setting) {
    (void)setting;
    return 1;
}

static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    (void)setting, (void)summary;
    theta[0] = log(START_VARIANCE);
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    (void)setting;
    theta[0] = fmin(fmax(theta[0], -20.0), 5.0);
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    (void)setting;
    for (size_t r = 0; r < question->rows; r++) {
        double own = exp(theta[0]), noise = own + (question->blur ? question->blur[r] : 0.0);
        double distance = question->target[r] - question->mean[r], weight = question->weight[r];
        double square = (distance * distance + question->variance[r]) / noise;
        double d_noise = 0.5 * weight * (square - 1.0) / noise;
        question->value[r] = -0.5 * (LOG_TWO_PI + log(noise) + square);
        question->d_mean[r] = weight * distance / noise;
        question->d_variance[r] = -0.5 * weight / noise;
        if (question->blur)
            question->d_blur[r] = d_noise;
        if (question->d_theta)
            question->d_theta[0] += d_noise * own;
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
        double total = variance[r] + exp(theta[0]), distance = target[0] - mean[r];
        value[r] = -0.5 * (LOG_TWO_PI + log(total) + distance * distance / total);
    }
}

static void cumulative(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch) {
    (void)setting, (void)scratch;
    for (size_t r = 0; r < rows; r++) {
        double deviation = sqrt(variance[r] + exp(theta[0]));
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
    .parameters = parameters,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .blurs = 1,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
