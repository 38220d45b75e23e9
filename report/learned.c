/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learned quantities and the data of charts.
 *
 * Curves show the predictions along one attribute: its value is varied in a few rows of the sample,
 * all values count as exact, and the predictions are averaged. The map varies two attributes.
 */
#include "report/gathered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Attributes listed; those with a curve; places along a curve, and along each side of the map; rows
 * averaged over. */
enum {
    LISTED = 200,
    CURVES = 8,
    CURVE_PLACES = 33,
    CURVE_ROWS = 24,
    MAP_PLACES = 26,
    MAP_ROWS = 8,
    DENOISED_ROWS = 60
};

struct learned {
    nim_report *report;
    double *relevance, *by_function, *noise; /* attributes; functions x attributes; attributes */
    size_t *order;                           /* attributes, the most relevant first */
    double *scratch;                         /* SAMPLE_ROWS */
    size_t shown;                            /* attributes that have curves, the first in order */
    size_t pair[2]; /* of these, the two along which predictions change most */
    double effect[2];
};

/* ---------------------------------------------------------------- fetching -------------------- */

static double *fetch(const nim_model *model, const char *name, size_t *count) {
    size_t size = 0;
    nim_error error;
    if (nim_model_get(model, name, NULL, 0, &size, &error) != NIM_OK)
        size = 0;
    double *values = calloc(size + 1, sizeof *values);
    if (values && size)
        nim_model_get(model, name, values, size, &size, &error);
    if (count)
        *count = size;
    return values;
}

static bool learned_fetch(struct learned *learned, nim_report *report) {
    size_t d = report->attributes;
    *learned = (struct learned){.report = report};
    learned->relevance = fetch(report->model, "relevance", NULL);
    learned->by_function = fetch(report->model, "function_relevance", NULL);
    learned->noise = fetch(report->model, "noise_variance", NULL);
    learned->order = calloc(d + 1, sizeof *learned->order);
    learned->scratch = calloc(SAMPLE_ROWS + 1, sizeof(double));
    if (!learned->relevance || !learned->by_function || !learned->noise || !learned->order ||
        !learned->scratch)
        return false;
    /* By insertion: there are few, or nearly all are alike. */
    for (size_t j = 0; j < d; j++) {
        size_t at = j;
        for (; at && learned->relevance[learned->order[at - 1]] < learned->relevance[j]; at--)
            learned->order[at] = learned->order[at - 1];
        learned->order[at] = j;
    }
    return true;
}

static void learned_free(struct learned *learned) {
    free(learned->relevance);
    free(learned->by_function);
    free(learned->noise);
    free(learned->order);
    free(learned->scratch);
}

/* ---------------------------------------------------------------- the sample ------------------ */

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The sample's known values of attribute j (or their errors), sorted; returns how many. */
static size_t sort_values(const struct learned *learned, size_t j, bool errors) {
    const struct kept_rows *sample = &learned->report->sample;
    size_t count = 0;
    for (size_t k = 0; k < sample->top.count; k++) {
        double value = (errors ? kept_rows_sigma : kept_rows_x)(sample, k)[j];
        if (!isnan(value) && !isnan(kept_rows_x(sample, k)[j]))
            learned->scratch[count++] = value;
    }
    qsort(learned->scratch, count, sizeof(double), by_size);
    return count;
}

/* A quantile of what was sorted. */
static double quantile(const struct learned *learned, size_t count, double level) {
    double at = level * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    const double *value = learned->scratch;
    return count ? value[below] + (at - (double)below) * (value[above] - value[below])
                 : (double)NAN;
}

/* Where pictures of an attribute begin and end; false where it has but one value. */
static bool range_of(const struct learned *learned, size_t j, double *low, double *high) {
    size_t count = sort_values(learned, j, false);
    *low = quantile(learned, count, 0.01);
    *high = quantile(learned, count, 0.99);
    return *low < *high && isfinite(*high - *low);
}

/* ---------------------------------------------------------------- attributes ------------------ */

static void write_quartiles(const struct learned *learned, struct json_writer *json,
                            const char *key, size_t j) {
    size_t count = sort_values(learned, j, true);
    json_array(json, key);
    for (int k = 0; count && k <= 4; k++)
        write_rounded(json, NULL, quantile(learned, count, 0.25 * k));
    json_close(json);
}

static void write_attribute(const struct learned *learned, struct json_writer *json, size_t j) {
    const nim_report *report = learned->report;
    const struct attribute_facts *facts = &report->attribute[j];
    double n = facts->value.count;
    json_object(json, NULL);
    json_text(json, "name", nim_model_attribute_name(report->model, j));
    json_text(json, "unit", facts->unit);
    json_text(json, "error_column", facts->error_column);
    write_rounded(json, "relevance", learned->relevance[j]);
    json_array(json, "by_function");
    for (size_t f = 0; f < report->functions; f++)
        write_rounded(json, NULL, learned->by_function[f * report->attributes + j]);
    json_close(json);
    write_rounded(json, "learned_noise", sqrt(learned->noise[j]));
    write_quartiles(learned, json, "errors", j);
    write_rounded(json, "mean", n > 0.0 ? facts->value.mean : (double)NAN);
    write_rounded(json, "deviation", n > 0.0 ? sqrt(facts->value.squares / n) : (double)NAN);
    json_whole(json, "missing", facts->missing);
    json_whole(json, "without_error", facts->without_error);
    json_close(json);
}

/* Attributes with a picture: the most relevant that have a range. They come first in order. */
static void choose_shown(struct learned *learned) {
    double low, high;
    for (size_t i = 0; i < learned->report->attributes && learned->shown < CURVES; i++) {
        size_t j = learned->order[i];
        if (!(learned->relevance[j] > 0.0) || !range_of(learned, j, &low, &high))
            continue;
        memmove(learned->order + learned->shown + 1, learned->order + learned->shown,
                (i - learned->shown) * sizeof *learned->order);
        learned->order[learned->shown++] = j;
    }
}

static void write_attributes(const struct learned *learned, struct json_writer *json) {
    size_t d = learned->report->attributes;
    json_array(json, "attributes");
    for (size_t i = 0; i < d && i < LISTED; i++)
        write_attribute(learned, json, learned->order[i]);
    json_close(json);
    json_whole(json, "shown", learned->shown);
}

/* ---------------------------------------------------------------- averages -------------------- */

/* Rows of the sample, again and again, with places set in them; and what is predicted of them. */
struct trial {
    size_t base, places; /* rows, and times they are repeated */
    double *x, *p, *mean, *deviation;
};

static bool trial_create(struct trial *trial, const nim_report *report, size_t base,
                         size_t places) {
    size_t d = report->attributes, rows;
    *trial = (struct trial){.places = places, .base = base};
    if (base > report->sample.top.count)
        trial->base = report->sample.top.count;
    rows = trial->base * places + 1;
    trial->x = calloc(rows * d, sizeof(double));
    trial->p = calloc(rows * (report->classes + 1), sizeof(double));
    trial->mean = calloc(rows, sizeof(double));
    trial->deviation = calloc(rows, sizeof(double));
    if (!trial->x || !trial->p || !trial->mean || !trial->deviation)
        return false;
    for (size_t i = 0; i < trial->base * places; i++)
        memcpy(trial->x + i * d, kept_rows_x(&report->sample, i % trial->base), d * sizeof(double));
    return true;
}

static void trial_free(struct trial *trial) {
    free(trial->x);
    free(trial->p);
    free(trial->mean);
    free(trial->deviation);
}

static void trial_set(struct trial *trial, size_t place, size_t d, size_t j, double value) {
    for (size_t k = 0; k < trial->base; k++)
        trial->x[(place * trial->base + k) * d + j] = value;
}

static nim_status trial_run(struct trial *trial, const nim_report *report, nim_error *error) {
    bool classes = report->classes > 0;
    size_t rows = trial->base * trial->places;
    nim_data data = NIM_DATA(.rows = rows, .attributes = report->attributes, .x = trial->x);
    nim_prediction wanted = NIM_PREDICTION(.probabilities = classes ? trial->p : NULL,
                                           .mean = classes ? NULL : trial->mean,
                                           .deviation = classes ? NULL : trial->deviation);
    return nim_predict(report->predictor, &data, &wanted, error);
}

/* The average over the rows of a place, of numbers `width` apart. */
static double average(const struct trial *trial, const double *value, size_t width, size_t place) {
    double total = 0.0;
    for (size_t k = 0; k < trial->base; k++)
        total += value[(place * trial->base + k) * width];
    return total / (double)trial->base;
}

/* ---------------------------------------------------------------- curves ---------------------- */

/* How much predictions change along a curve: the ranges of all probabilities, or of the mean. */
static double effect_of(const struct trial *trial, const nim_report *report) {
    double total = 0.0;
    for (size_t c = 0; c < (report->classes ? report->classes : 1); c++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (size_t i = 0; i < trial->places; i++) {
            double value = report->classes ? average(trial, trial->p + c, report->classes, i)
                                           : average(trial, trial->mean, 1, i);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        total += most - least;
    }
    return total;
}

static void rank_effect(struct learned *learned, size_t shown, double effect) {
    if (shown == 0 || effect > learned->effect[0]) {
        learned->pair[1] = learned->pair[0];
        learned->effect[1] = learned->effect[0];
        learned->pair[0] = shown;
        learned->effect[0] = effect;
    } else if (shown == 1 || effect > learned->effect[1]) {
        learned->pair[1] = shown;
        learned->effect[1] = effect;
    }
}

static void write_curve(const struct trial *trial, const nim_report *report, size_t j, double low,
                        double high, struct json_writer *json) {
    json_object(json, NULL);
    json_text(json, "name", nim_model_attribute_name(report->model, j));
    write_rounded(json, "low", low);
    write_rounded(json, "high", high);
    json_array(json, "values"); /* places x classes, or places x (mean, deviation) */
    for (size_t i = 0; i < trial->places; i++) {
        json_array(json, NULL);
        for (size_t c = 0; c < report->classes; c++)
            write_rounded(json, NULL, average(trial, trial->p + c, report->classes, i));
        if (!report->classes) {
            write_rounded(json, NULL, average(trial, trial->mean, 1, i));
            write_rounded(json, NULL, average(trial, trial->deviation, 1, i));
        }
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static nim_status write_curves(struct learned *learned, struct json_writer *json,
                               nim_error *error) {
    const nim_report *report = learned->report;
    size_t sampled = report->sample.top.count, rows = sampled < CURVE_ROWS ? sampled : CURVE_ROWS;
    nim_status status = NIM_OK;
    rows = report->attributes > 1 ? rows : 1; /* nothing to average over */
    json_array(json, "curves");
    for (size_t i = 0; status == NIM_OK && i < learned->shown; i++) {
        double low, high;
        struct trial trial;
        size_t j = learned->order[i];
        range_of(learned, j, &low, &high);
        if (!trial_create(&trial, report, rows, CURVE_PLACES))
            status = report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
        for (size_t k = 0; status == NIM_OK && k < CURVE_PLACES; k++)
            trial_set(&trial, k, report->attributes, j,
                      low + (high - low) * (double)k / (CURVE_PLACES - 1));
        if (status == NIM_OK)
            status = trial_run(&trial, report, error);
        if (status == NIM_OK) {
            rank_effect(learned, i, effect_of(&trial, report));
            write_curve(&trial, report, j, low, high, json);
        }
        trial_free(&trial);
    }
    json_close(json);
    json_whole(json, "curve_rows", rows);
    return status;
}

/* ---------------------------------------------------------------- the map --------------------- */

/* The most probable class at each place and its probability; or the mean and the deviation. */
static bool write_places(const struct trial *trial, const nim_report *report,
                         struct json_writer *json) {
    double *p = calloc(report->classes + 1, sizeof *p);
    if (!p)
        return false;
    json_array(json, "values");
    for (size_t i = 0; i < trial->places; i++) {
        json_array(json, NULL);
        for (size_t c = 0; c < report->classes; c++)
            p[c] = average(trial, trial->p + c, report->classes, i);
        if (report->classes) {
            size_t best = most_probable(report->classes, p);
            json_whole(json, NULL, best);
            write_rounded(json, NULL, p[best]);
        } else {
            write_rounded(json, NULL, average(trial, trial->mean, 1, i));
            write_rounded(json, NULL, average(trial, trial->deviation, 1, i));
        }
        json_close(json);
    }
    json_close(json);
    free(p);
    return true;
}

static void set_map(struct trial *trial, size_t d, const size_t attribute[2], const double low[2],
                    const double high[2]) {
    for (size_t place = 0; place < trial->places; place++) {
        size_t row = place / MAP_PLACES, column = place % MAP_PLACES;
        double across = ((double)column + 0.5) / MAP_PLACES;
        double up = ((double)row + 0.5) / MAP_PLACES;
        trial_set(trial, place, d, attribute[0], low[0] + (high[0] - low[0]) * across);
        trial_set(trial, place, d, attribute[1], low[1] + (high[1] - low[1]) * up);
    }
}

/* Cells of a grid over the two attributes along which predictions change most, row by row from the
 * lowest. With two attributes there is nothing to average over. */
static nim_status write_map(const struct learned *learned, struct json_writer *json,
                            nim_error *error) {
    const nim_report *report = learned->report;
    struct trial trial;
    double low[2], high[2];
    if (learned->shown < 2) {
        json_null(json, "map");
        return NIM_OK;
    }
    if (!trial_create(&trial, report, report->attributes > 2 ? MAP_ROWS : 1,
                      MAP_PLACES * MAP_PLACES)) {
        trial_free(&trial);
        return report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
    }
    const size_t attribute[2] = {learned->order[learned->pair[0]],
                                 learned->order[learned->pair[1]]};
    for (size_t k = 0; k < 2; k++)
        range_of(learned, attribute[k], &low[k], &high[k]);
    set_map(&trial, report->attributes, attribute, low, high);
    nim_status status = trial_run(&trial, report, error);
    if (status == NIM_OK) {
        json_object(json, "map");
        json_whole(json, "places", MAP_PLACES);
        json_whole(json, "rows", trial.base);
        for (size_t k = 0; k < 2; k++) {
            json_object(json, k ? "up" : "across");
            json_text(json, "name", nim_model_attribute_name(report->model, attribute[k]));
            json_whole(json, "shown", learned->pair[k]); /* its place among those shown */
            write_rounded(json, "low", low[k]);
            write_rounded(json, "high", high[k]);
            json_close(json);
        }
        if (!write_places(&trial, report, json))
            status = report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
        json_close(json);
    }
    trial_free(&trial);
    return status;
}

/* ---------------------------------------------------------------- sample and denoising -------- */

/* Rows of the sample, their values and errors of the attributes shown. */
static void write_sample(const struct learned *learned, struct json_writer *json) {
    const nim_report *report = learned->report;
    const struct kept_rows *sample = &report->sample;
    json_array(json, "sample");
    for (size_t k = 0; k < sample->top.count && k < SHOWN_ROWS; k++) {
        const struct kept_row *row = kept_rows_nth(sample, k);
        json_object(json, NULL);
        json_whole(json, "row", row->number + 1);
        if (row->known && report->predicts != PREDICTS_LABELS)
            json_real(json, "y", row->y);
        if (report->classes) {
            json_whole(json, "best", row->best);
            write_rounded(json, "p", row->probability);
        } else {
            write_rounded(json, "mean", row->mean);
            write_rounded(json, "low", row->low);
            write_rounded(json, "high", row->high);
        }
        json_array(json, "x");
        for (size_t i = 0; i < learned->shown; i++)
            write_rounded(json, NULL, kept_rows_x(sample, k)[learned->order[i]]);
        json_close(json);
        json_array(json, "e");
        for (size_t i = 0; report->errors && i < learned->shown; i++)
            write_rounded(json, NULL, kept_rows_sigma(sample, k)[learned->order[i]]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

/* Whether rows other than those of the training can be denoised: not where each has parameters of
 * its own, nor without the targets that go into it. */
static bool can_denoise(const nim_report *report) {
    return report->errors && !nim_model_can(report->model, NIM_OWNS_ROWS) &&
           (!nim_model_can(report->model, NIM_READS_TARGET) ||
            (report->all_known && report->predicts != PREDICTS_LABELS));
}

struct denoised {
    size_t rows;
    double *x, *sigma, *y, *exposure, *mean, *deviation;
    int32_t *label;
};

static bool denoised_fill(struct denoised *denoised, const nim_report *report) {
    const struct kept_rows *sample = &report->sample;
    size_t d = report->attributes,
           outputs = report->predicts == PREDICTS_LABELS ? report->classes : 1;
    size_t rows = sample->top.count < DENOISED_ROWS ? sample->top.count : DENOISED_ROWS;
    *denoised = (struct denoised){.rows = rows};
    denoised->x = calloc(rows * d + 1, sizeof(double));
    denoised->sigma = calloc(rows * d + 1, sizeof(double));
    denoised->mean = calloc(rows * d + 1, sizeof(double));
    denoised->deviation = calloc(rows * d + 1, sizeof(double));
    denoised->y = calloc(rows * outputs + 1, sizeof(double));
    denoised->exposure = calloc(rows + 1, sizeof(double));
    denoised->label = calloc(rows + 1, sizeof *denoised->label);
    if (!denoised->x || !denoised->sigma || !denoised->mean || !denoised->deviation ||
        !denoised->y || !denoised->exposure || !denoised->label)
        return false;
    for (size_t k = 0; k < rows; k++) {
        const struct kept_row *row = kept_rows_nth(sample, k);
        memcpy(denoised->x + k * d, kept_rows_x(sample, k), d * sizeof(double));
        memcpy(denoised->sigma + k * d, kept_rows_sigma(sample, k), d * sizeof(double));
        denoised->exposure[k] = row->exposure;
        if (!row->known || report->predicts == PREDICTS_LABELS)
            continue;
        denoised->y[k] = row->y;
        denoised->label[k] = predicts_classes(report->predicts) ? (int32_t)row->y : 0;
    }
    return true;
}

static void denoised_free(struct denoised *denoised) {
    free(denoised->x);
    free(denoised->sigma);
    free(denoised->mean);
    free(denoised->deviation);
    free(denoised->y);
    free(denoised->exposure);
    free(denoised->label);
}

/* Whether anything is believed to be elsewhere than where it was measured. */
static bool denoised_moved(const struct denoised *denoised, size_t d) {
    for (size_t i = 0; i < denoised->rows * d; i++)
        if (fabs(denoised->mean[i] - denoised->x[i]) > 1e-6 * denoised->sigma[i])
            return true;
    return false;
}

static void write_moves(const struct denoised *denoised, const struct learned *learned,
                        struct json_writer *json) {
    size_t d = learned->report->attributes;
    for (size_t k = 0; k < denoised->rows; k++) {
        const struct kept_row *row = kept_rows_nth(&learned->report->sample, k);
        json_object(json, NULL);
        json_whole(json, "row", row->number + 1);
        json_array(json, "before"); /* value and error, of the attributes shown */
        for (size_t i = 0; i < learned->shown; i++) {
            size_t cell = k * d + learned->order[i];
            json_array(json, NULL);
            write_rounded(json, NULL, denoised->x[cell]);
            write_rounded(json, NULL, denoised->sigma[cell]);
            json_close(json);
        }
        json_close(json);
        json_array(json, "after");
        for (size_t i = 0; i < learned->shown; i++) {
            size_t cell = k * d + learned->order[i];
            json_array(json, NULL);
            write_rounded(json, NULL, denoised->mean[cell]);
            write_rounded(json, NULL, denoised->deviation[cell]);
            json_close(json);
        }
        json_close(json);
        json_close(json);
    }
}

static nim_status write_denoised(const struct learned *learned, struct json_writer *json,
                                 nim_error *error) {
    const nim_report *report = learned->report;
    struct denoised denoised;
    bool labels = report->predicts == PREDICTS_LABELS, one = predicts_one_class(report->predicts);
    nim_status status = NIM_OK;
    json_array(json, "denoised");
    if (can_denoise(report)) {
        size_t d = report->attributes, outputs = one ? 0 : labels ? report->classes : 1;
        if (!denoised_fill(&denoised, report))
            status = report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
        for (size_t k = 0; status == NIM_OK && k < denoised.rows; k++) {
            nim_data data = kept_rows_data(&report->sample, k);
            data.labels = one ? denoised.label + k : NULL;
            data.targets = one ? NULL : denoised.y + k * outputs;
            data.outputs = outputs;
            data.exposure = report->predicts == PREDICTS_COUNT ? denoised.exposure + k : NULL;
            status = nim_model_denoise(report->model, &data, denoised.mean + k * d,
                                       denoised.deviation + k * d, error);
        }
        if (status == NIM_OK && denoised_moved(&denoised, report->attributes))
            write_moves(&denoised, learned, json);
        denoised_free(&denoised);
    }
    json_close(json);
    return status;
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool write_training(const nim_report *report, struct json_writer *json) {
    size_t count;
    double *trace = fetch(report->model, "trace", &count);
    if (!trace)
        return false;
    json_object(json, "training");
    json_whole(json, "rows", nim_model_rows(report->model));
    json_whole(json, "epochs", nim_model_epochs(report->model));
    json_real(json, "bound", nim_model_bound(report->model));
    json_matrix(json, "trace", trace, count / 2, 2);
    json_close(json);
    free(trace);
    return true;
}

nim_status report_write_learned(nim_report *report, struct json_writer *json, nim_error *error) {
    struct learned learned;
    nim_status status = NIM_OK;
    if (!learned_fetch(&learned, report) || !write_training(report, json))
        status = report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
    if (status == NIM_OK) {
        choose_shown(&learned);
        write_attributes(&learned, json);
        write_sample(&learned, json);
        status = write_curves(&learned, json, error);
    }
    if (status == NIM_OK)
        status = write_map(&learned, json, error);
    if (status == NIM_OK)
        status = write_denoised(&learned, json, error);
    learned_free(&learned);
    return status;
}
