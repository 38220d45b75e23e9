/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian regression: y = f + noise of variance s2, theta = log s2. All is in closed form:
 *
 *     E log p   = -1/2 log(2 pi s2) - ((y - mean)^2 + variance) / (2 s2),
 *     predicted = N(mean, variance + s2).
 */
#include "base/special.h"
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

static void expectation(const struct likelihood_setting *setting, const double *theta, size_t rows,
                        const double *target, const double *weight, const double *mean,
                        const double *variance, size_t stride, double *value, double *d_mean,
                        double *d_variance, double *d_theta, double *scratch) {
    (void)setting, (void)stride, (void)scratch;
    double precision = exp(-theta[0]);
    for (size_t r = 0; r < rows; r++) {
        double distance = target[r] - mean[r];
        double square = precision * (distance * distance + variance[r]);
        value[r] = -0.5 * (LOG_TWO_PI + theta[0] + square);
        d_mean[r] = weight[r] * precision * distance;
        d_variance[r] = -0.5 * weight[r] * precision;
        if (d_theta)
            d_theta[0] += 0.5 * weight[r] * (square - 1.0);
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
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
