/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/score/rated_predictions.h"

#include "cli/rows/grow_array.h"

#include <math.h>
#include <stdlib.h>

const double interval_share[INTERVALS] = {0.5, 0.9, 0.95};

enum { LEVELS = 2 * INTERVALS };

/* ---------------------------------------------------------------- predictions ----------------- */

bool rated_predictions_grow(struct rated_predictions *rated, size_t more) {
    if (rated->rows + more <= rated->room)
        return true;
    size_t room = rated->rows + more + rated->room;
    bool fine = target_values_grow(&rated->targets, room);
    bool numbers = !task_has_classes(rated->task);
    bool density = !task_has_one_class(rated->task);
    size_t cell = sizeof(double);
    rated->p = grow_array(rated->p, room, rated->classes * cell, &fine);
    rated->log_density = grow_array(rated->log_density, room, density * cell, &fine);
    rated->mean = grow_array(rated->mean, room, numbers * cell, &fine);
    rated->quantile = grow_array(rated->quantile, room, numbers * LEVELS * cell, &fine);
    if (fine)
        rated->room = room;
    return fine;
}

nim_status rated_predictions_add(struct rated_predictions *rated, nim_predictor *predictor,
                                 const nim_data *data, const struct target_values *targets,
                                 nim_error *error) {
    double levels[LEVELS];
    for (size_t k = 0; k < INTERVALS; k++) {
        levels[2 * k] = 0.5 - 0.5 * interval_share[k];
        levels[2 * k + 1] = 0.5 + 0.5 * interval_share[k];
    }
    size_t at = rated->rows;
    nim_prediction wanted = {.levels = levels, .level_count = LEVELS};
    if (rated->p)
        wanted.probabilities = rated->p + at * rated->classes;
    if (rated->log_density)
        wanted.log_density = rated->log_density + at;
    if (rated->mean) {
        wanted.mean = rated->mean + at;
        wanted.quantiles = rated->quantile + at * LEVELS;
    }
    nim_status status = nim_predict(predictor, data, &wanted, error);
    if (status != NIM_OK)
        return status;
    target_values_copy(&rated->targets, at, targets, 0, data->rows);
    rated->rows += data->rows;
    return NIM_OK;
}

void rated_predictions_free(struct rated_predictions *rated) {
    target_values_free(&rated->targets);
    free(rated->p);
    free(rated->log_density);
    free(rated->mean);
    free(rated->quantile);
    rated->p = rated->log_density = rated->mean = rated->quantile = NULL;
    rated->rows = rated->room = 0;
}

/* ---------------------------------------------------------------- scores ---------------------- */

static void put(struct scores *scores, const char *key, const char *name, double unit,
                const char *remark, struct score score) {
    scores->score[scores->count++] = (struct named_score){key, name, remark, unit, score};
}

static void score_classes(const struct rated_predictions *rated, struct scores *scores,
                          const size_t *row) {
    struct metrics metrics =
        metrics_of(rated->classes, rated->p, rated->targets.class, scores->rows, row);
    put(scores, "error", "error", 0.01, "% of rows", metrics.error);
    put(scores, "nll", "NLL", 1.0, "nats a row", metrics.nll);
    put(scores, "brier", "Brier", 1.0, "sum over classes", metrics.brier);
    put(scores, "ece", "ECE", 1.0, "expected calibration error, 15 bins", metrics.ece);
}

static void score_levels(const struct rated_predictions *rated, struct scores *scores,
                         const size_t *row) {
    struct moments distance = {0};
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k;
        double found = (double)most_probable(rated->classes, rated->p + i * rated->classes);
        moments_add(&distance, fabs(found - (double)rated->targets.class[i]));
    }
    put(scores, "mae", "MAE", 1.0, "levels", moments_mean(&distance));
}

static bool label_is_wrong(const struct rated_predictions *rated, size_t i, size_t c) {
    size_t cell = i * rated->classes + c;
    return (rated->p[cell] > 0.5) != (rated->targets.y[cell] > 0.5);
}

struct score label_error(const struct rated_predictions *rated, size_t c) {
    double wrong = 0.0;
    for (size_t i = 0; i < rated->rows; i++)
        wrong += label_is_wrong(rated, i, c);
    return share_of(wrong, (double)rated->rows);
}

static void score_labels(const struct rated_predictions *rated, struct scores *scores,
                         const size_t *row) {
    struct moments loss = {0}, nll = {0};
    double exact = 0.0;
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k, wrong = 0;
        for (size_t c = 0; c < rated->classes; c++)
            wrong += label_is_wrong(rated, i, c);
        moments_add(&loss, (double)wrong / (double)rated->classes);
        moments_add(&nll, -rated->log_density[i]);
        exact += wrong == 0;
    }
    put(scores, "error", "error", 0.01, "% of labels (Hamming loss)", moments_mean(&loss));
    put(scores, "nll", "NLL", 1.0, "nats a row, sum over labels", moments_mean(&nll));
    put(scores, "exact", "exact", 0.01, "% of rows without a wrong label",
        share_of(exact, (double)scores->rows));
}

static void score_numbers(const struct rated_predictions *rated, struct scores *scores,
                          const size_t *row) {
    static const char *const key[INTERVALS] = {"coverage_50", "coverage_90", "coverage_95"};
    static const char *const remark[INTERVALS] = {"% of rows in the central 50 % interval",
                                                  "% of rows in the central 90 % interval",
                                                  "% of rows in the central 95 % interval"};
    struct moments square = {0}, distance = {0}, nll = {0};
    double covered[INTERVALS] = {0};
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k;
        double y = rated->targets.y[i], miss = y - rated->mean[i];
        const double *end = rated->quantile + i * LEVELS;
        moments_add(&square, miss * miss);
        moments_add(&distance, fabs(miss));
        moments_add(&nll, -rated->log_density[i]);
        for (size_t c = 0; c < INTERVALS; c++)
            covered[c] += end[2 * c] <= y && y <= end[2 * c + 1];
    }
    bool counts = rated->task->predicts == PREDICTS_COUNT;
    put(scores, "rmse", "RMSE", 1.0, "of the mean, in units of the target",
        score_root(moments_mean(&square)));
    put(scores, "nll", "NLL", 1.0, counts ? "nats a row" : "nats a row, of the density",
        moments_mean(&nll));
    put(scores, "mae", "MAE", 1.0, "of the mean, in units of the target", moments_mean(&distance));
    for (size_t c = 0; c < INTERVALS; c++)
        put(scores, key[c], "coverage", 0.01, remark[c],
            share_of(covered[c], (double)scores->rows));
}

struct scores scores_of(const struct rated_predictions *rated, size_t count, const size_t *row) {
    struct scores scores = {.rows = count};
    if (rated->task->predicts == PREDICTS_LABELS)
        score_labels(rated, &scores, row);
    else if (task_has_classes(rated->task))
        score_classes(rated, &scores, row);
    else
        score_numbers(rated, &scores, row);
    if (rated->task->predicts == PREDICTS_LEVEL)
        score_levels(rated, &scores, row);
    return scores;
}
