/* SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"

#include "random.h"

#include <stdbool.h>
#include <stddef.h>

enum { FIRST = 1, COUNT = 3 };

#define LEAST_COMMON 0.8
#define MOST_COMMON 0.97
#define MOST_SKEW 1.2

static const double threshold[COUNT] = {-INFINITY, 0.2, 1.25};

/* log Phi(z), without underflow. */
static double log_below(double z) {
    if (z > -30.0)
        return log(0.5 * erfc(-z * sqrt(0.5)));
    return -0.5 * z * z - 0.5 * log(2.0 * PI) - log(-z) + log1p(-1.0 / (z * z));
}

/* ---------------------------------------------------------------- drawing --------------------- */

static void draw_correlated(const double truth[COUNT], struct catalogue_row *row, uint64_t *state) {
    double common[COUNT], shared = next_normal(state);
    for (size_t j = 0; j < COUNT; j++) {
        double size = LEAST_COMMON + (MOST_COMMON - LEAST_COMMON) * next_uniform(state);
        common[j] = next_uniform(state) < 0.5 ? -size : size;
        double noise = common[j] * shared + sqrt(1.0 - size * size) * next_normal(state);
        row->value[FIRST + j] = truth[j] + row->error[FIRST + j] * noise;
    }
    row->correlation[0] = common[1] * common[0];
    row->correlation[1] = common[2] * common[0];
    row->correlation[2] = common[2] * common[1];
}

/* The truth is below the measurement as often as the lower error is of both. */
static void draw_lopsided(const double truth[COUNT], struct catalogue_row *row, uint64_t *state) {
    for (size_t j = 0; j < COUNT; j++) {
        double skew = MOST_SKEW * (2.0 * next_uniform(state) - 1.0), error = row->error[FIRST + j];
        double lower = error * exp(-skew), upper = error * exp(skew);
        bool above = next_uniform(state) * (lower + upper) < lower;
        double distance = fabs(next_normal(state));
        row->value[FIRST + j] = truth[j] + (above ? lower * distance : -upper * distance);
        row->error[FIRST + j] = lower;
        row->upper[FIRST + j] = upper;
    }
}

static void draw_limits(const double truth[COUNT], struct catalogue_row *row, uint64_t *state) {
    for (size_t j = 0; j < COUNT; j++) {
        double value = truth[j] + row->error[FIRST + j] * next_normal(state);
        row->limit[FIRST + j] = value < threshold[j] ? -1 : 0;
        row->value[FIRST + j] = fmax(value, threshold[j]);
    }
}

void measured_draw(enum catalogue_measured kind, const double truth[3], struct catalogue_row *row,
                   uint64_t *state) {
    if (kind == CATALOGUE_CORRELATED)
        draw_correlated(truth, row, state);
    else if (kind == CATALOGUE_LOPSIDED)
        draw_lopsided(truth, row, state);
    else if (kind == CATALOGUE_LIMITS)
        draw_limits(truth, row, state);
}

/* ---------------------------------------------------------------- densities ------------------- */

/* One half of a lopsided error: the integral over true values on that side of x. */
static double log_half(double x, double mean, double variance, double width, double both,
                       double side) {
    double total = variance + width * width;
    double z = -side * (x - mean) * width / sqrt(variance * total);
    return log(2.0 * width / both) + log_normal(x, mean, total) + log_below(z);
}

static double log_lopsided(const struct catalogue_row *row, size_t j, double mean,
                           double variance) {
    double x = row->value[j], lower = row->error[j], upper = row->upper[j];
    double below = log_half(x, mean, variance, lower, lower + upper, -1.0);
    double above = log_half(x, mean, variance, upper, lower + upper, 1.0);
    double most = fmax(below, above);
    return most + log(exp(below - most) + exp(above - most));
}

/* Normal cells that are there, with covariance diag(variance) + E C E; by its Cholesky factor. */
static double log_correlated(const struct catalogue_row *row, const double mean[COUNT],
                             const double variance[COUNT], const double error[COUNT]) {
    double factor[COUNT][COUNT], white[COUNT], sum = 0.0;
    size_t seen[COUNT], count = 0;
    for (size_t j = 0; j < COUNT; j++)
        if (!isnan(row->value[FIRST + j]))
            seen[count++] = j;
    for (size_t a = 0; a < count; a++) {
        size_t i = seen[a];
        double rest = variance[i] + error[i] * error[i];
        white[a] = row->value[FIRST + i] - mean[i];
        for (size_t b = 0; b < a; b++) {
            size_t j = seen[b];
            double product = error[i] * error[j] * row->correlation[i * (i - 1) / 2 + j];
            for (size_t l = 0; l < b; l++)
                product -= factor[a][l] * factor[b][l];
            factor[a][b] = product / factor[b][b];
            rest -= factor[a][b] * factor[a][b];
            white[a] -= factor[a][b] * white[b];
        }
        factor[a][a] = sqrt(rest);
        white[a] /= factor[a][a];
        sum += log_normal(white[a], 0.0, 1.0) - log(factor[a][a]);
    }
    return sum;
}

double measured_log_density(enum catalogue_measured kind, const struct catalogue_row *row,
                            const double mean[3], const double variance[3], const double error[3]) {
    double sum = 0.0;
    if (kind == CATALOGUE_CORRELATED)
        return log_correlated(row, mean, variance, error);
    for (size_t j = 0; j < COUNT; j++) {
        double x = row->value[FIRST + j], total = variance[j] + error[j] * error[j];
        if (isnan(x))
            continue;
        if (kind == CATALOGUE_LOPSIDED)
            sum += log_lopsided(row, FIRST + j, mean[j], variance[j]);
        else if (kind == CATALOGUE_LIMITS && row->limit[FIRST + j])
            sum += log_below((x - mean[j]) / sqrt(total));
        else
            sum += log_normal(x, mean[j], total);
    }
    return sum;
}
