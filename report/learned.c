/* SPDX-License-Identifier: Apache-2.0 */
/* What was learned, attribute by attribute. */
#include "report/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 200, CURVES = 8 }; /* attributes; those with a curve */

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

bool learned_range(const struct learned *learned, size_t j, double *low, double *high) {
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

static bool has_errors(const struct learned *learned, size_t j) {
    size_t count = learned->report->errors ? sort_values(learned, j, true) : 0;
    return count && learned->scratch[count - 1] > 0.0;
}

/* Attributes with a picture: the most relevant that have a range, two of them with errors if there
 * are such. They come first in order. */
static void choose_shown(struct learned *learned) {
    double low, high;
    size_t kept = 0; /* places for attributes with errors */
    for (size_t j = 0; j < learned->report->attributes && kept < 2; j++)
        kept += has_errors(learned, j) && learned_range(learned, j, &low, &high);
    for (size_t i = 0; i < learned->report->attributes && learned->shown < CURVES; i++) {
        size_t j = learned->order[i];
        bool noisy = has_errors(learned, j);
        if (!(learned->relevance[j] > 0.0) || !learned_range(learned, j, &low, &high) ||
            (!noisy && learned->shown + kept >= CURVES))
            continue;
        kept -= kept && noisy;
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

/* ---------------------------------------------------------------- rows of the sample ---------- */

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

bool report_write_learned(nim_report *report, struct json_writer *json) {
    struct learned learned;
    bool fine = (learned_fetch(&learned, report) && write_training(report, json)) ||
                report_no_memory(report);
    if (fine) {
        choose_shown(&learned);
        write_attributes(&learned, json);
        write_sample(&learned, json);
    }
    fine = fine && write_curves(&learned, json) && write_map(&learned, json) &&
           write_exchanges(&learned, json) && write_denoised(&learned, json);
    learned_free(&learned);
    return fine;
}
