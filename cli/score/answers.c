/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/score/answers.h"

#include "cli/rows/grow.h"

#include <math.h>
#include <stdlib.h>

const double interval_share[INTERVALS] = {0.5, 0.9, 0.95};

enum { LEVELS = 2 * INTERVALS };

/* ---------------------------------------------------------------- answers --------------------- */

bool answers_grow(struct answers *answers, size_t more) {
    if (answers->rows + more <= answers->room)
        return true;
    size_t room = answers->rows + more + answers->room;
    bool fine = truth_grow(&answers->truth, room);
    bool numbers = !task_has_classes(answers->task);
    bool density = !task_has_one_class(answers->task);
    size_t cell = sizeof(double);
    answers->p = grown(answers->p, room, answers->classes * cell, &fine);
    answers->log_density = grown(answers->log_density, room, density * cell, &fine);
    answers->mean = grown(answers->mean, room, numbers * cell, &fine);
    answers->quantile = grown(answers->quantile, room, numbers * LEVELS * cell, &fine);
    if (fine)
        answers->room = room;
    return fine;
}

nim_status answers_add(struct answers *answers, nim_predictor *predictor, const nim_data *data,
                       const struct truth *truth, nim_error *error) {
    double levels[LEVELS];
    for (size_t k = 0; k < INTERVALS; k++) {
        levels[2 * k] = 0.5 - 0.5 * interval_share[k];
        levels[2 * k + 1] = 0.5 + 0.5 * interval_share[k];
    }
    size_t at = answers->rows;
    nim_prediction wanted = {.levels = levels, .level_count = LEVELS};
    if (answers->p)
        wanted.probabilities = answers->p + at * answers->classes;
    if (answers->log_density)
        wanted.log_density = answers->log_density + at;
    if (answers->mean) {
        wanted.mean = answers->mean + at;
        wanted.quantiles = answers->quantile + at * LEVELS;
    }
    nim_status status = nim_predict(predictor, data, &wanted, error);
    if (status != NIM_OK)
        return status;
    truth_copy(&answers->truth, at, truth, 0, data->rows);
    answers->rows += data->rows;
    return NIM_OK;
}

void answers_free(struct answers *answers) {
    truth_free(&answers->truth);
    free(answers->p);
    free(answers->log_density);
    free(answers->mean);
    free(answers->quantile);
    answers->p = answers->log_density = answers->mean = answers->quantile = NULL;
    answers->rows = answers->room = 0;
}

/* ---------------------------------------------------------------- scores ---------------------- */

static void put(struct scores *scores, const char *key, const char *name, double unit,
                const char *remark, struct score score) {
    scores->score[scores->count++] = (struct named_score){key, name, remark, unit, score};
}

static void score_classes(const struct answers *answers, struct scores *scores, const size_t *row) {
    struct metrics metrics =
        metrics_of(answers->classes, answers->p, answers->truth.class, scores->rows, row);
    put(scores, "error", "error", 0.01, "% of rows", metrics.error);
    put(scores, "nll", "NLL", 1.0, "nats a row", metrics.nll);
    put(scores, "brier", "Brier", 1.0, "sum over classes", metrics.brier);
    put(scores, "ece", "ECE", 1.0, "expected calibration error, 15 bins", metrics.ece);
}

static void score_levels(const struct answers *answers, struct scores *scores, const size_t *row) {
    struct moments distance = {0};
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k;
        double found = (double)most_probable(answers->classes, answers->p + i * answers->classes);
        moments_add(&distance, fabs(found - (double)answers->truth.class[i]));
    }
    put(scores, "mae", "MAE", 1.0, "levels", moments_mean(&distance));
}

static bool label_is_wrong(const struct answers *answers, size_t i, size_t c) {
    size_t cell = i * answers->classes + c;
    return (answers->p[cell] > 0.5) != (answers->truth.y[cell] > 0.5);
}

struct score label_error(const struct answers *answers, size_t c) {
    double wrong = 0.0;
    for (size_t i = 0; i < answers->rows; i++)
        wrong += label_is_wrong(answers, i, c);
    return share_of(wrong, (double)answers->rows);
}

static void score_labels(const struct answers *answers, struct scores *scores, const size_t *row) {
    struct moments loss = {0}, nll = {0};
    double exact = 0.0;
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k, wrong = 0;
        for (size_t c = 0; c < answers->classes; c++)
            wrong += label_is_wrong(answers, i, c);
        moments_add(&loss, (double)wrong / (double)answers->classes);
        moments_add(&nll, -answers->log_density[i]);
        exact += wrong == 0;
    }
    put(scores, "error", "error", 0.01, "% of labels (Hamming loss)", moments_mean(&loss));
    put(scores, "nll", "NLL", 1.0, "nats a row, sum over labels", moments_mean(&nll));
    put(scores, "exact", "exact", 0.01, "% of rows without a wrong label",
        share_of(exact, (double)scores->rows));
}

static void score_numbers(const struct answers *answers, struct scores *scores, const size_t *row) {
    static const char *const key[INTERVALS] = {"coverage_50", "coverage_90", "coverage_95"};
    static const char *const remark[INTERVALS] = {"% of rows in the central 50 % interval",
                                                  "% of rows in the central 90 % interval",
                                                  "% of rows in the central 95 % interval"};
    struct moments square = {0}, distance = {0}, nll = {0};
    double covered[INTERVALS] = {0};
    for (size_t k = 0; k < scores->rows; k++) {
        size_t i = row ? row[k] : k;
        double y = answers->truth.y[i], miss = y - answers->mean[i];
        const double *end = answers->quantile + i * LEVELS;
        moments_add(&square, miss * miss);
        moments_add(&distance, fabs(miss));
        moments_add(&nll, -answers->log_density[i]);
        for (size_t c = 0; c < INTERVALS; c++)
            covered[c] += end[2 * c] <= y && y <= end[2 * c + 1];
    }
    bool counts = answers->task->kind == TARGET_COUNT;
    put(scores, "rmse", "RMSE", 1.0, "of the mean, in units of the target",
        score_root(moments_mean(&square)));
    put(scores, "nll", "NLL", 1.0, counts ? "nats a row" : "nats a row, of the density",
        moments_mean(&nll));
    put(scores, "mae", "MAE", 1.0, "of the mean, in units of the target", moments_mean(&distance));
    for (size_t c = 0; c < INTERVALS; c++)
        put(scores, key[c], "coverage", 0.01, remark[c],
            share_of(covered[c], (double)scores->rows));
}

struct scores scores_of(const struct answers *answers, size_t count, const size_t *row) {
    struct scores scores = {.rows = count};
    if (answers->task->kind == TARGET_LABELS)
        score_labels(answers, &scores, row);
    else if (task_has_classes(answers->task))
        score_classes(answers, &scores, row);
    else
        score_numbers(answers, &scores, row);
    if (answers->task->kind == TARGET_LEVEL)
        score_levels(answers, &scores, row);
    return scores;
}
