/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax: p(y | f) = exp(f_y) / sum_c exp(f_c). With f = mean + sqrt(variance) xi at S
 * quasi-random standard normal points xi, the same for all rows, whose sum is zero:
 *
 *     E log p   = mean_y - (1/S) sum_s log sum_c exp(f_sc),
 *     E p^alpha = (1/S) sum_s p_s^alpha,   p_s = softmax(f_s)_y,
 *     predicted = (1/S) sum_s softmax(f_s).
 *
 * For variances up to 10 and ten classes the error of E log p is 0.01, at most 0.03
 * (tests/likelihood/test_draws.c).
 */
#include "math/lattice.h"
#include "math/special.h"
#include "math/vector.h"
#include "likelihood/likelihood.h"
#include "likelihood/power.h"

#include <math.h>

enum { POINTS = 256, STREAM_POINTS = 49 };

/* The points, C x S. */
static size_t table_size(const struct likelihood_setting *setting) {
    return setting->classes * POINTS;
}

static int fill_table(const struct likelihood_setting *setting, double *table) {
    return lattice_few((struct random_key){0, STREAM_POINTS}, POINTS, setting->classes, table);
}

static size_t scratch_size(const struct likelihood_setting *setting) {
    return setting->classes * POINTS + 2 * POINTS;
}

/* softmax (C x S) at all points of one row, and the log of the sum of exponentials (S). */
static void evaluate(const struct likelihood_setting *setting, const double *mean,
                     const double *variance, size_t stride, double *softmax, double *log_sum,
                     double *largest) {
    size_t classes = setting->classes;
    for (size_t s = 0; s < POINTS; s++) {
        largest[s] = -INFINITY;
        log_sum[s] = 0.0;
    }
    for (size_t c = 0; c < classes; c++) {
        double centre = mean[c * stride], deviation = sqrt(variance[c * stride]);
        const double *xi = setting->table + c * POINTS;
        double *f = softmax + c * POINTS;
        for (size_t s = 0; s < POINTS; s++) {
            f[s] = centre + deviation * xi[s];
            largest[s] = f[s] > largest[s] ? f[s] : largest[s];
        }
    }
    for (size_t c = 0; c < classes; c++) {
        double *f = softmax + c * POINTS;
        for (size_t s = 0; s < POINTS; s++)
            f[s] -= largest[s];
        exp_array(POINTS, f, f);
        add(POINTS, f, log_sum);
    }
    for (size_t c = 0; c < classes; c++)
        for (size_t s = 0; s < POINTS; s++)
            softmax[c * POINTS + s] /= log_sum[s];
    log_array(POINTS, log_sum, log_sum);
    add(POINTS, largest, log_sum);
}

/* Replaces log_sum (S) by log p_s = f_sy - log_sum_s. power_mean describes the result and the
 * shares of the points (S). */
static double share_points(const struct likelihood_setting *setting,
                           const struct expectation *question, size_t r, size_t label,
                           double *log_sum, double *share) {
    size_t at = label * question->stride + r;
    const double *xi = setting->table + label * POINTS;
    double centre = question->mean[at], deviation = sqrt(question->variance[at]);
    for (size_t s = 0; s < POINTS; s++) {
        log_sum[s] = centre + deviation * xi[s] - log_sum[s];
        share[s] = 1.0 / POINTS;
    }
    return power_mean(setting->alpha, POINTS, log_sum, share);
}

/* d value / d f_sc = w_s ([c = y] - p_sc). */
static void answer_power(const struct likelihood_setting *setting,
                         const struct expectation *question, size_t r, size_t label,
                         const double *softmax, double *log_sum) {
    double weight = question->weight[r], *share = log_sum + POINTS;
    question->value[r] = share_points(setting, question, r, label, log_sum, share);
    for (size_t c = 0; c < setting->classes; c++) {
        const double *p = softmax + c * POINTS, *xi = setting->table + c * POINTS;
        double own = c == label, first = own - dot(POINTS, share, p);
        double second = own * dot(POINTS, share, xi) - dot3(POINTS, share, p, xi);
        size_t at = c * question->stride + r;
        question->d_mean[at] = weight * first;
        question->d_variance[at] = 0.5 * weight * second / sqrt(question->variance[at]);
    }
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    (void)theta;
    size_t classes = setting->classes, stride = question->stride;
    double *softmax = question->scratch, *log_sum = softmax + classes * POINTS;
    for (size_t r = 0; r < question->rows; r++) {
        size_t label = (size_t)question->target[r];
        double weight = question->weight[r];
        evaluate(setting, question->mean + r, question->variance + r, stride, softmax, log_sum,
                 log_sum + POINTS);
        if (setting->alpha > 0.0) {
            answer_power(setting, question, r, label, softmax, log_sum);
            continue;
        }
        question->value[r] = question->mean[label * stride + r] - sum(POINTS, log_sum) / POINTS;
        for (size_t c = 0; c < classes; c++) {
            const double *p = softmax + c * POINTS;
            double share = sum(POINTS, p) / POINTS;
            double slope = dot(POINTS, p, setting->table + c * POINTS) / POINTS;
            size_t at = c * stride + r;
            question->d_mean[at] = weight * ((c == label) - share);
            question->d_variance[at] = -0.5 * weight * slope / sqrt(question->variance[at]);
        }
    }
}

static void predict(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch) {
    (void)theta;
    size_t classes = setting->classes;
    double *softmax = scratch, *log_sum = softmax + classes * POINTS;
    for (size_t r = 0; r < rows; r++) {
        evaluate(setting, mean + r, variance + r, stride, softmax, log_sum, log_sum + POINTS);
        for (size_t c = 0; c < classes; c++)
            probability[r * classes + c] = sum(POINTS, softmax + c * POINTS) / POINTS;
    }
}

const struct likelihood likelihood_softmax = {
    .name = "softmax",
    .summary = "one of C classes, with probabilities proportional to the exponentials of the "
               "latent functions",
    .target = TARGET_CLASS,
    .each_class = 1,
    .table = table_size,
    .fill_table = fill_table,
    .scratch = scratch_size,
    .expectation = expectation,
    .predict = predict,
};
