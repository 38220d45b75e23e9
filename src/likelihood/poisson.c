/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts: y ~ Poisson(e exp(b + f)) with exposure e and a learned base rate exp(b), theta = b.
 * A row's target is (y, e).
 *
 *     E log p = y (log e + b + mean) - e exp(b + mean + variance/2) - log y!
 *
 * in closed form, as are E y = e exp(b + mean + variance/2) and
 * E y^2 = E y + (E y)^2 exp(variance); probabilities are integrals over f, whose integrand changes
 * fastest where the rate is y, over a distance of 1/sqrt(y).
 */
#include "base/quadrature.h"
#include "base/special.h"
#include "likelihood/likelihood.h"

#include <math.h>

static size_t parameters(const struct likelihood_setting *setting) {
    (void)setting;
    return 1;
}

static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    (void)setting;
    theta[0] = log(summary->rate);
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    (void)setting;
    theta[0] = fmin(fmax(theta[0], -200.0), 200.0);
}

static size_t scratch_size(const struct likelihood_setting *setting) {
    (void)setting;
    return 2 * QUADRATURE_NODES;
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    (void)setting;
    for (size_t r = 0; r < question->rows; r++) {
        double y = question->target[2 * r], exposure = question->target[2 * r + 1];
        double centre = log(exposure) + theta[0] + question->mean[r];
        double rate = exp(centre + 0.5 * question->variance[r]);
        question->value[r] = y * centre - rate - log_gamma(y + 1.0);
        question->d_mean[r] = question->weight[r] * (y - rate);
        question->d_variance[r] = -0.5 * question->weight[r] * rate;
        if (question->d_theta)
            question->d_theta[0] += question->weight[r] * (y - rate);
    }
}

static void moments(const struct likelihood_setting *setting, const double *theta,
                    const double *target, size_t rows, const double *mean, const double *variance,
                    double *first, double *second) {
    (void)setting;
    for (size_t r = 0; r < rows; r++) {
        first[r] = target[1] * exp(theta[0] + mean[r] + 0.5 * variance[r]);
        second[r] = first[r] + first[r] * first[r] * exp(variance[r]);
    }
}

/* Nodes in f for integrals of functions of (y, rate). */
static size_t place_nodes(const double *theta, const double *target, double mean, double variance,
                          double *f, double *weight) {
    double place = log((target[0] + 0.5) / target[1]) - theta[0];
    return quadrature_normal(mean, sqrt(variance), place, 1.0 / sqrt(target[0] + 1.0), f, weight);
}

static void log_density(const struct likelihood_setting *setting, const double *theta,
                        const double *target, size_t rows, const double *mean,
                        const double *variance, double *value, double *scratch) {
    (void)setting;
    double *f = scratch, *weight = scratch + QUADRATURE_NODES, y = target[0];
    double constant = log_gamma(y + 1.0);
    for (size_t r = 0; r < rows; r++) {
        size_t nodes = place_nodes(theta, target, mean[r], variance[r], f, weight);
        double largest = -INFINITY, total = 0.0;
        for (size_t i = 0; i < nodes; i++) {
            double centre = log(target[1]) + theta[0] + f[i];
            f[i] = y * centre - exp(centre) - constant;
            largest = fmax(largest, f[i]);
        }
        for (size_t i = 0; i < nodes; i++)
            total += weight[i] * exp(f[i] - largest);
        value[r] = largest + log(total);
    }
}

static void cumulative(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch) {
    (void)setting;
    double *f = scratch, *weight = scratch + QUADRATURE_NODES;
    for (size_t r = 0; r < rows; r++) {
        value[r] = 0.0;
        if (target[0] < 0.0)
            continue;
        size_t nodes = place_nodes(theta, target, mean[r], variance[r], f, weight);
        for (size_t i = 0; i < nodes; i++)
            if (weight[i] > 1e-12)
                value[r] += weight[i] *
                            gamma_upper(floor(target[0]) + 1.0, target[1] * exp(theta[0] + f[i]));
    }
}

static void read_base_rate(const struct likelihood_setting *setting, const double *theta,
                           double *values) {
    (void)setting;
    values[0] = exp(theta[0]);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "base_rate", .read = read_base_rate},
    {0},
};

const struct likelihood likelihood_poisson = {
    .name = "poisson",
    .summary = "a count, whose rate is the exponential of a latent function, times an exposure",
    .target = TARGET_COUNT,
    .parameters = parameters,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch = scratch_size,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
