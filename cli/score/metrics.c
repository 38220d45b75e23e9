/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/score/metrics.h"

#include <math.h>
#include <string.h>

size_t most_probable(size_t classes, const double *p) {
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
        best = p[c] > p[best] ? c : best;
    return best;
}

void moments_add(struct moments *moments, double term) {
    if (isinf(term) || isinf(moments->mean)) { /* a label that was held for impossible */
        *moments = (struct moments){moments->count + 1.0, (double)INFINITY, (double)NAN};
        return;
    }
    double distance = term - moments->mean;
    moments->mean += distance / ++moments->count;
    moments->squares += distance * (term - moments->mean);
}

struct score moments_mean(const struct moments *moments) {
    double n = moments->count;
    return (struct score){n > 0 ? moments->mean : (double)NAN,
                          n > 1 ? sqrt(moments->squares / (n - 1) / n) : (double)NAN};
}

struct score score_root(struct score mean) {
    double root = sqrt(mean.value);
    return (struct score){root, root > 0.0 ? mean.deviation / (2.0 * root) : mean.deviation};
}

/* The bin of a confidence: (k / 15, (k + 1) / 15]. */
static size_t bin_of(double confidence) {
    double bin = ceil(confidence * CALIBRATION_BINS) - 1.0;
    return bin < 0.0 ? 0 : bin >= CALIBRATION_BINS ? CALIBRATION_BINS - 1 : (size_t)bin;
}

/* One row's bin and its p_max - [right]. */
static double excess(size_t classes, const double *p, int32_t y, size_t *bin) {
    size_t best = most_probable(classes, p);
    *bin = bin_of(p[best]);
    return p[best] - (best == (size_t)y);
}

static struct score calibration_of(size_t classes, const double *p, const int32_t *y, size_t count,
                                   const size_t *row) {
    double sum[CALIBRATION_BINS] = {0}, total = 0.0;
    size_t bin;
    for (size_t k = 0; k < count; k++) {
        size_t i = row ? row[k] : k;
        double term = excess(classes, p + i * classes, y[i], &bin);
        sum[bin] += term;
    }
    for (size_t b = 0; b < CALIBRATION_BINS; b++)
        total += fabs(sum[b]);
    struct moments without = {0};
    for (size_t k = 0; k < count; k++) {
        size_t i = row ? row[k] : k;
        double term = excess(classes, p + i * classes, y[i], &bin);
        moments_add(&without, total - fabs(sum[bin]) + fabs(sum[bin] - term));
    }
    double n = (double)count;
    /* Jackknife: variance = (n - 1) / n sum of squares, each of the terms over n - 1. */
    return (struct score){n > 0 ? total / n : (double)NAN,
                          n > 1 ? sqrt(without.squares / n / (n - 1)) : (double)NAN};
}

struct metrics metrics_of(size_t classes, const double *p, const int32_t *y, size_t count,
                          const size_t *row) {
    struct moments error = {0}, nll = {0}, brier = {0};
    for (size_t k = 0; k < count; k++) {
        size_t i = row ? row[k] : k, label = (size_t)y[i];
        const double *own = p + i * classes;
        double distance = 0.0;
        for (size_t c = 0; c < classes; c++) {
            double miss = own[c] - (c == label);
            distance += miss * miss;
        }
        moments_add(&error, most_probable(classes, own) != label);
        moments_add(&nll, -log(own[label]));
        moments_add(&brier, distance);
    }
    return (struct metrics){.rows = count,
                            .error = moments_mean(&error),
                            .nll = moments_mean(&nll),
                            .brier = moments_mean(&brier),
                            .ece = calibration_of(classes, p, y, count, row)};
}

void confusion_of(size_t classes, const double *p, const int32_t *y, size_t count, double *counts) {
    memset(counts, 0, classes * classes * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[(size_t)y[i] * classes + most_probable(classes, p + i * classes)]++;
}

struct score share_of(double count, double total) {
    double share = count / total;
    return (struct score){total > 0 ? share : (double)NAN,
                          total > 1 ? sqrt(share * (1.0 - share) / (total - 1.0)) : (double)NAN};
}
