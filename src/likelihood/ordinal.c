/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ordinal: y is level k if f plus standard normal noise is between the thresholds b_k and b_k+1,
 * where b_0 = -infinity, b_C = infinity. The other thresholds are learned and always ordered:
 * b_1 = theta_0, b_k+1 = b_k + exp(theta_k).
 */
#include "math/special.h"
#include "likelihood/interval.h"

#include <math.h>

/* f starts with a variance of e, so that f and noise together have this deviation. */
#define START_DEVIATION 1.93

static size_t parameters(const struct likelihood_setting *setting) {
    return setting->classes - 1;
}

/* The C - 1 finite thresholds. */
static void read_thresholds(const struct likelihood_setting *setting, const double *theta,
                            double *threshold) {
    threshold[0] = theta[0];
    for (size_t k = 1; k + 1 < setting->classes; k++)
        threshold[k] = threshold[k - 1] + exp(theta[k]);
}

/* Each level starts with its share of the rows. */
static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    double below = 0.0, before = 0.0;
    for (size_t k = 0; k + 1 < setting->classes; k++) {
        below += summary->share[k];
        double at = START_DEVIATION * normal_quantile(fmin(fmax(below, 1e-3), 1.0 - 1e-3));
        theta[k] = k ? log(fmax(at - before, 0.05)) : at;
        before = k ? before + exp(theta[k]) : at;
    }
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    theta[0] = fmin(fmax(theta[0], -50.0), 50.0);
    for (size_t k = 1; k + 1 < setting->classes; k++)
        theta[k] = fmin(fmax(theta[k], -7.0), 4.0);
}

static size_t scratch_size(const struct likelihood_setting *setting) {
    return INTERVAL_SCRATCH + setting->classes;
}

/* The derivative of a threshold is added to all parameters of which it is the sum. */
static void add_threshold(const double *theta, size_t k, double derivative, double *d_theta) {
    d_theta[0] += derivative;
    for (size_t i = 1; i <= k; i++)
        d_theta[i] += derivative * exp(theta[i]);
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    size_t last = setting->classes - 1;
    double *threshold = question->scratch + INTERVAL_SCRATCH;
    read_thresholds(setting, theta, threshold);
    for (size_t r = 0; r < question->rows; r++) {
        size_t k = (size_t)question->target[r];
        struct interval interval = {.low = k ? threshold[k - 1] : -INFINITY,
                                    .high = k < last ? threshold[k] : INFINITY};
        struct interval_answer answer = interval_answer_row(setting, question, r, interval);
        if (question->d_theta && k > 0)
            add_threshold(theta, k - 1, question->weight[r] * answer.d_low, question->d_theta);
        if (question->d_theta && k < last)
            add_threshold(theta, k, question->weight[r] * answer.d_high, question->d_theta);
    }
}

static void predict(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch) {
    (void)stride;
    double *threshold = scratch + INTERVAL_SCRATCH;
    read_thresholds(setting, theta, threshold);
    for (size_t r = 0; r < rows; r++)
        interval_probabilities(setting->classes - 1, threshold, mean[r], variance[r],
                               probability + r * setting->classes);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "thresholds", .count = parameters, .read = read_thresholds},
    {0},
};

const struct likelihood likelihood_ordinal = {
    .name = "ordinal",
    .summary = "one of C ordered levels, separated by learned thresholds of a latent function",
    .target = TARGET_LEVEL,
    .parameters = parameters,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch = scratch_size,
    .blurs = 1,
    .expectation = expectation,
    .predict = predict,
};
