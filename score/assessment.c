/* SPDX-License-Identifier: Apache-2.0 */
#include "score/assessment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool assessment_create(struct assessment *assessment, enum predicts predicts, size_t classes,
                       size_t attributes) {
    *assessment = (struct assessment){
        .predicts = predicts, .classes = classes, .noise = {.attributes = attributes}};
    assessment->confusion =
        calloc(predicts_one_class(predicts) ? classes * classes : 1, sizeof(double));
    assessment->class_squares = calloc(classes + 1, sizeof(double));
    assessment->has_label = calloc(classes + 1, sizeof(double));
    assessment->is_wrong = calloc(classes + 1, sizeof(double));
    return assessment->confusion && assessment->class_squares && assessment->has_label &&
           assessment->is_wrong;
}

void assessment_free(struct assessment *assessment) {
    free(assessment->confusion);
    free(assessment->class_squares);
    free(assessment->has_label);
    free(assessment->is_wrong);
    free(assessment->figures);
    noise_free(&assessment->noise);
    scatter_free(&assessment->scatter);
    *assessment = (struct assessment){0};
}

/* ---------------------------------------------------------------- adding ---------------------- */

static void count_class(struct assessment *assessment, const struct predictions *predictions,
                        size_t i, double weight) {
    size_t classes = assessment->classes, label = (size_t)predictions->label[i];
    size_t best = most_probable(classes, predictions->p + i * classes);
    assessment->confusion[label * classes + best] += weight;
    assessment->class_squares[label] += weight * weight;
}

static void count_labels(struct assessment *assessment, const struct predictions *predictions,
                         size_t i, double weight) {
    const double *p = predictions->p + i * assessment->classes;
    const double *y = predictions->y + i * assessment->classes;
    for (size_t c = 0; c < assessment->classes; c++) {
        assessment->has_label[c] += y[c] > 0.5;
        assessment->is_wrong[c] += weight * ((p[c] > 0.5) != (y[c] > 0.5));
    }
}

/* Where the target stands in its predicted distribution. Of a count, all of (P(Y < y), P(Y <= y)]
 * is its place, and bins share it as they share this. */
static void count_place(struct assessment *assessment, const double place[2], double weight) {
    double low = fmin(place[0], 1.0) * PIT_FINE, high = fmin(place[1], 1.0) * PIT_FINE;
    for (size_t b = (size_t)low; high > low && b < PIT_FINE && (double)b < high; b++) {
        double common = fmin(high, (double)b + 1.0) - fmax(low, (double)b);
        assessment->place[b] += weight * common / (high - low);
    }
    if (!(high > low))
        assessment->place[high < PIT_FINE ? (size_t)high : PIT_FINE - 1] += weight;
}

/* The largest distance of the distribution of these places from the uniform one that is right, at
 * the ends of the fine bins (Kolmogorov and Smirnov). */
static double place_distance(const struct assessment *assessment) {
    double total = assessment->tally.moment[0].weight, below = 0.0, largest = 0.0;
    for (size_t b = 0; b < PIT_FINE; b++) {
        below += assessment->place[b];
        largest = fmax(largest, fabs(below / total - (double)(b + 1) / PIT_FINE));
    }
    return total > 0.0 ? largest : (double)NAN;
}

static bool make_room(struct assessment *assessment, size_t rows) {
    if (rows <= assessment->room)
        return true;
    struct row_figures *figures = realloc(assessment->figures, rows * sizeof *figures);
    if (!figures)
        return false;
    assessment->figures = figures;
    assessment->room = rows;
    return true;
}

static bool add_row(struct assessment *assessment, const struct predictions *predictions,
                    size_t i) {
    struct row_figures *figures = &assessment->figures[i];
    *figures = row_figures_of(predictions, i);
    tally_add(&assessment->tally, figures);
    if (predicts_one_class(assessment->predicts))
        count_class(assessment, predictions, i, figures->weight);
    else if (predicts_classes(assessment->predicts))
        count_labels(assessment, predictions, i, figures->weight);
    else
        count_place(assessment, predictions->place + 2 * i, figures->weight);
    return predicts_classes(assessment->predicts) ||
           scatter_add(&assessment->scatter, predictions->mean[i] - predictions->y[i],
                       figures->weight);
}

bool assessment_add(struct assessment *assessment, const struct predictions *predictions,
                    const nim_data *data, const unsigned char *known) {
    size_t d = assessment->noise.attributes, rows = predictions->rows;
    bool shared = data->sigma_rows < data->rows;
    if (!make_room(assessment, rows))
        return false;
    for (size_t first = 0, end; first < rows; first = end + 1) { /* runs of known rows */
        for (end = first; end < rows && (!known || known[end]); end++)
            if (!add_row(assessment, predictions, end))
                return false;
        const double *sigma = data->sigma_rows ? data->sigma : NULL;
        if (d && !noise_add(&assessment->noise, end - first, data->x + first * d,
                            sigma && !shared ? sigma + first * d : sigma, shared,
                            assessment->figures + first))
            return false;
    }
    return true;
}

static double rows_of_class(const struct assessment *assessment, size_t c) {
    double rows = 0.0;
    for (size_t k = 0; k < assessment->classes; k++)
        rows += assessment->confusion[c * assessment->classes + k];
    return rows;
}

static void rate_shares(struct assessment *assessment) {
    double total = assessment->tally.moment[0].weight, most = 0.0, nll = 0.0;
    for (size_t c = 0; c < assessment->classes; c++) {
        double rows = rows_of_class(assessment, c);
        most = fmax(most, rows);
        nll -= rows > 0.0 ? rows * log(rows / total) : 0.0;
    }
    assessment->shares_nll = nll / total;
    assessment->shares_error = 1.0 - most / total;
}

bool assessment_no_better(const struct assessment *assessment) {
    return predicts_one_class(assessment->predicts) && assessment->shares_nll > 0.0 &&
           assessment->scores.score[1].score.value >= assessment->shares_nll;
}

/* Scores of numbers and counts that are no means over rows. */
static void rate_places(struct assessment *assessment) {
    struct score width, outliers, distance = {place_distance(assessment), (double)NAN};
    scatter_find(&assessment->scatter, &width, &outliers);
    scores_put(&assessment->scores, "scatter", "scatter", 1.0,
               "1.4826 median |r - median r|, r = mean - target", width);
    scores_put(&assessment->scores, "outliers", "outliers", 0.01,
               "% of rows with |r - median r| > 5 scatter", outliers);
    scores_put(&assessment->scores, "pit_distance", "PIT", 1.0,
               "largest |share of rows with P(Y <= y) <= u, minus u|: 0 if calibrated", distance);
}

bool assessment_finish(struct assessment *assessment) {
    if (predicts_one_class(assessment->predicts))
        rate_shares(assessment);
    assessment->scores = tally_scores(&assessment->tally, assessment->predicts);
    if (!predicts_classes(assessment->predicts))
        rate_places(assessment);
    return noise_split(&assessment->noise, NOISE_GROUPS, assessment->group, &assessment->groups);
}

struct score assessment_label(const struct assessment *assessment, size_t c) {
    const struct moments *rows = &assessment->tally.moment[0];
    return weighted_share_of(assessment->is_wrong[c], rows->weight, rows->square_weight);
}

struct score assessment_confused(const struct assessment *assessment, size_t c, size_t k) {
    return weighted_share_of(assessment->confusion[c * assessment->classes + k],
                             rows_of_class(assessment, c), assessment->class_squares[c]);
}

/* ---------------------------------------------------------------- JSON ------------------------ */

void write_score(struct json_writer *json, const char *key, struct score score) {
    json_object(json, key);
    json_real(json, "value", score.value);
    json_real(json, "standard_error", score.deviation);
    json_close(json);
}

static void write_scores(struct json_writer *json, const struct scores *scores) {
    json_whole(json, "rows", scores->rows);
    for (size_t i = 0; i < scores->count; i++)
        write_score(json, scores->score[i].key, scores->score[i].score);
}

static void write_labels(struct json_writer *json, const struct assessment *assessment,
                         const char *const *name) {
    json_array(json, "labels");
    for (size_t c = 0; c < assessment->classes; c++) {
        json_object(json, NULL);
        json_text(json, "name", name[c]);
        json_whole(json, "rows", (size_t)assessment->has_label[c]);
        write_score(json, "error", assessment_label(assessment, c));
        json_close(json);
    }
    json_close(json);
}

/* Counts, shares of each true class's rows, and their standard errors. */
static void write_confusion(struct json_writer *json, const struct assessment *assessment) {
    size_t classes = assessment->classes;
    json_object(json, "confusion");
    json_matrix(json, "counts", assessment->confusion, classes, classes);
    for (int pass = 0; pass < 2; pass++) {
        json_array(json, pass ? "standard_errors" : "shares");
        for (size_t c = 0; c < classes; c++) {
            json_array(json, NULL);
            for (size_t k = 0; k < classes; k++) {
                struct score share = assessment_confused(assessment, c, k);
                json_real(json, NULL, pass ? share.deviation : share.value);
            }
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

/* Bins of the highest probability that hold rows: how sure, and how often right. */
static void write_reliability(struct json_writer *json, const struct tally *tally) {
    json_array(json, "reliability");
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        double rows = tally->bin[b].rows;
        if (!(rows > 0.0))
            continue;
        double weight = tally->bin[b].weight;
        struct score right = weighted_share_of(tally->bin[b].right, weight, tally->bin[b].squares);
        json_object(json, NULL);
        json_real(json, "least", (double)b / CALIBRATION_BINS);
        json_real(json, "most", (double)(b + 1) / CALIBRATION_BINS);
        json_whole(json, "rows", (size_t)rows);
        json_real(json, "confidence", tally->bin[b].confidence / weight);
        write_score(json, "right", right);
        json_close(json);
    }
    json_close(json);
}

static void write_places(struct json_writer *json, const struct assessment *assessment) {
    const struct moments *rows = &assessment->tally.moment[0];
    json_array(json, "pit");
    for (size_t b = 0; b < PIT_BINS; b++) {
        double weight = 0.0;
        for (size_t k = 0; k < PIT_FINE / PIT_BINS; k++)
            weight += assessment->place[b * (PIT_FINE / PIT_BINS) + k];
        write_score(json, NULL, weighted_share_of(weight, rows->weight, rows->square_weight));
    }
    json_close(json);
}

void assessment_write(const struct assessment *assessment, const char *const *name,
                      struct json_writer *json) {
    bool one_class = predicts_one_class(assessment->predicts);
    write_scores(json, &assessment->scores);
    if (one_class) {
        json_object(json, "shares");
        json_real(json, "error", assessment->shares_error);
        json_real(json, "nll", assessment->shares_nll);
        json_close(json);
        json_whole(json, "ece_bins", CALIBRATION_BINS);
        write_confusion(json, assessment);
        write_reliability(json, &assessment->tally);
    } else if (predicts_classes(assessment->predicts)) {
        write_labels(json, assessment, name);
    } else {
        write_places(json, assessment);
    }
    json_array(json, "by_noise");
    for (size_t g = 0; g < assessment->groups; g++) {
        const struct noise_group *group = &assessment->group[g];
        struct scores scores = tally_scores(&group->tally, assessment->predicts);
        json_object(json, NULL);
        json_real(json, "least", group->least);
        json_real(json, "most", group->most);
        write_scores(json, &scores);
        if (one_class)
            write_reliability(json, &group->tally);
        json_close(json);
    }
    json_close(json);
}
