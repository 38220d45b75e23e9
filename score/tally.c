/* SPDX-License-Identifier: Apache-2.0 */
#include "score/tally.h"

#include <math.h>

/* ---------------------------------------------------------------- one row --------------------- */

/* The bin of a confidence: (k / 15, (k + 1) / 15]. */
static size_t bin_of(double confidence) {
    double bin = ceil(confidence * CALIBRATION_BINS) - 1.0;
    return bin < 0.0 ? 0 : bin >= CALIBRATION_BINS ? CALIBRATION_BINS - 1 : (size_t)bin;
}

static struct row_figures rate_class(const struct predictions *predictions, size_t i) {
    size_t classes = predictions->classes, label = (size_t)predictions->label[i];
    const double *p = predictions->p + i * classes;
    size_t best = most_probable(classes, p);
    double distance = 0.0;
    for (size_t c = 0; c < classes; c++) {
        double miss = p[c] - (c == label);
        distance += miss * miss;
    }
    return (struct row_figures){.figure = {best != label, -log(p[label]), distance, 1.0 - p[best],
                                           fabs((double)best - (double)label)},
                                .bin = bin_of(p[best]),
                                .excess = p[best] - (best == label)};
}

static struct row_figures rate_labels(const struct predictions *predictions, size_t i) {
    size_t classes = predictions->classes, wrong = 0;
    for (size_t c = i * classes; c < (i + 1) * classes; c++)
        wrong += (predictions->p[c] > 0.5) != (predictions->y[c] > 0.5);
    return (struct row_figures){
        .figure = {(double)wrong / (double)classes, -predictions->log_density[i], wrong == 0}};
}

static struct row_figures rate_number(const struct predictions *predictions, size_t i) {
    const double *place = predictions->place + 2 * i;
    double miss = predictions->y[i] - predictions->mean[i];
    struct row_figures figures = {
        .figure = {miss * miss, -predictions->log_density[i], fabs(miss)}};
    /* y is between two quantiles, ends included: as a measurement, whose error is in `place`. */
    for (size_t k = 0; k < INTERVALS; k++)
        figures.figure[3 + k] =
            place[1] >= 0.5 - 0.5 * interval_share[k] && place[0] <= 0.5 + 0.5 * interval_share[k];
    figures.figure[3 + INTERVALS] = predictions->crps ? predictions->crps[i] : 0.0;
    return figures;
}

struct row_figures row_figures_of(const struct predictions *predictions, size_t i) {
    struct row_figures figures =
        predicts_one_class(predictions->predicts) ? rate_class(predictions, i)
        : predicts_classes(predictions->predicts) ? rate_labels(predictions, i)
                                                  : rate_number(predictions, i);
    figures.weight = predictions->weight ? predictions->weight[i] : 1.0;
    return figures;
}

/* ---------------------------------------------------------------- sums ------------------------ */

void tally_add(struct tally *tally, const struct row_figures *figures) {
    double weight = figures->weight, right = 1.0 - figures->figure[0];
    if (!(weight > 0.0))
        return;
    for (size_t i = 0; i < MOST_FIGURES; i++)
        moments_add_weighted(&tally->moment[i], figures->figure[i], weight);
    tally->bin[figures->bin].rows += 1.0;
    tally->bin[figures->bin].weight += weight;
    tally->bin[figures->bin].squares += weight * weight;
    tally->bin[figures->bin].right += weight * right;
    tally->bin[figures->bin].confidence += weight * (figures->excess + right);
    tally->excess_squares += weight * (figures->excess * figures->excess);
}

void tally_merge(struct tally *tally, const struct tally *more) {
    for (size_t i = 0; i < MOST_FIGURES; i++)
        moments_merge(&tally->moment[i], &more->moment[i]);
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        tally->bin[b].rows += more->bin[b].rows;
        tally->bin[b].weight += more->bin[b].weight;
        tally->bin[b].squares += more->bin[b].squares;
        tally->bin[b].right += more->bin[b].right;
        tally->bin[b].confidence += more->bin[b].confidence;
    }
    tally->excess_squares += more->excess_squares;
}

/* ---------------------------------------------------------------- scores ---------------------- */

void scores_put(struct scores *scores, const char *key, const char *name, double unit,
                const char *remark, struct score score) {
    scores->score[scores->count++] = (struct named_score){key, name, remark, unit, score};
}

static struct score calibration_of(const struct tally *tally) {
    double total = 0.0, n = tally->moment[0].weight;
    double rows = n * (n / tally->moment[0].square_weight); /* as many of equal weight */
    for (size_t b = 0; b < CALIBRATION_BINS; b++)
        total += fabs(tally->bin[b].confidence - tally->bin[b].right);
    double squares = tally->excess_squares - total * total / n; /* about the mean, total / n */
    return (struct score){n > 0.0 ? total / n : (double)NAN,
                          rows > 1.0 ? sqrt(fmax(squares, 0.0) / (rows - 1.0) / n) : (double)NAN};
}

static void score_classes(const struct tally *tally, bool levels, struct scores *scores) {
    const struct moments *moment = tally->moment;
    scores_put(scores, "error", "error", 0.01, "% of rows", moments_mean(&moment[0]));
    scores_put(scores, "nll", "NLL", 1.0, "nats a row", moments_mean(&moment[1]));
    scores_put(scores, "brier", "Brier", 1.0, "sum over classes", moments_mean(&moment[2]));
    scores_put(scores, "ece", "ECE", 1.0, "expected calibration error, 15 bins",
               calibration_of(tally));
    scores_put(scores, "expected_error", NULL, 0.01, "% of rows, implied by the probabilities",
               moments_mean(&moment[3]));
    if (levels)
        scores_put(scores, "mae", "MAE", 1.0, "levels", moments_mean(&moment[4]));
}

static void score_labels(const struct tally *tally, struct scores *scores) {
    const struct moments *moment = tally->moment;
    scores_put(scores, "error", "error", 0.01, "% of labels (Hamming loss)",
               moments_mean(&moment[0]));
    scores_put(scores, "nll", "NLL", 1.0, "nats a row, sum over labels", moments_mean(&moment[1]));
    scores_put(scores, "exact", "exact", 0.01, "% of rows without a wrong label",
               moments_mean(&moment[2]));
}

static void score_numbers(const struct tally *tally, bool counts, struct scores *scores) {
    static const char *const key[INTERVALS] = {"coverage_50", "coverage_90", "coverage_95"};
    static const char *const remark[INTERVALS] = {"% of rows in the central 50 % interval",
                                                  "% of rows in the central 90 % interval",
                                                  "% of rows in the central 95 % interval"};
    const struct moments *moment = tally->moment;
    scores_put(scores, "rmse", "RMSE", 1.0, "of the mean, in units of the target",
               score_root(moments_mean(&moment[0])));
    scores_put(scores, "nll", "NLL", 1.0, counts ? "nats a row" : "nats a row, of the density",
               moments_mean(&moment[1]));
    scores_put(scores, "mae", "MAE", 1.0, "of the mean, in units of the target",
               moments_mean(&moment[2]));
    if (!counts)
        scores_put(scores, "crps", "CRPS", 1.0,
                   "continuous ranked probability score, in units of the target",
                   moments_mean(&moment[3 + INTERVALS]));
    for (size_t k = 0; k < INTERVALS; k++)
        scores_put(scores, key[k], "coverage", 0.01, remark[k], moments_mean(&moment[3 + k]));
}

struct scores tally_scores(const struct tally *tally, enum predicts predicts) {
    struct scores scores = {.rows = (size_t)tally->moment[0].count};
    if (predicts_one_class(predicts))
        score_classes(tally, predicts == PREDICTS_LEVEL, &scores);
    else if (predicts == PREDICTS_LABELS)
        score_labels(tally, &scores);
    else
        score_numbers(tally, predicts == PREDICTS_COUNT, &scores);
    return scores;
}

struct scores scores_of(const struct predictions *predictions) {
    struct tally tally = {0};
    for (size_t i = 0; i < predictions->rows; i++) {
        struct row_figures figures = row_figures_of(predictions, i);
        tally_add(&tally, &figures);
    }
    return tally_scores(&tally, predictions->predicts);
}
