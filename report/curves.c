/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves show the predictions along one attribute: its value is varied in a few rows of the sample,
 * all values count as exact, and the predictions are averaged. The map varies two attributes.
 */
#include "report/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places along a curve, and along each side of the map; rows averaged over. */
enum { CURVE_PLACES = 33, CURVE_ROWS = 24, MAP_PLACES = 26, MAP_ROWS = 8 };

/* ---------------------------------------------------------------- averages -------------------- */

/* Rows of the sample, again and again, with places set in them; and what is predicted of them. */
struct trial {
    size_t base, places;              /* rows, and times they are repeated */
    double *x, *p, *mean, *deviation; /* all in the memory of x */
};

static bool trial_create(struct trial *trial, const nim_report *report, size_t base,
                         size_t places) {
    size_t d = report->attributes, rows;
    *trial = (struct trial){.places = places, .base = base};
    if (base > report->sample.top.count)
        trial->base = report->sample.top.count;
    rows = trial->base * places + 1;
    trial->x = calloc(rows * (d + report->classes + 3), sizeof(double));
    if (!trial->x)
        return false;
    trial->p = trial->x + rows * d;
    trial->mean = trial->p + rows * (report->classes + 1);
    trial->deviation = trial->mean + rows;
    for (size_t i = 0; i < trial->base * places; i++)
        memcpy(trial->x + i * d, kept_rows_x(&report->sample, i % trial->base), d * sizeof(double));
    return true;
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

nim_status write_curves(struct learned *learned, struct json_writer *json, nim_error *error) {
    const nim_report *report = learned->report;
    size_t sampled = report->sample.top.count, rows = sampled < CURVE_ROWS ? sampled : CURVE_ROWS;
    nim_status status = NIM_OK;
    rows = report->attributes > 1 ? rows : 1; /* nothing to average over */
    json_array(json, "curves");
    for (size_t i = 0; status == NIM_OK && i < learned->shown; i++) {
        double low, high;
        struct trial trial;
        size_t j = learned->order[i];
        learned_range(learned, j, &low, &high);
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
        free(trial.x);
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
nim_status write_map(const struct learned *learned, struct json_writer *json, nim_error *error) {
    const nim_report *report = learned->report;
    struct trial trial;
    double low[2], high[2];
    if (learned->shown < 2) {
        json_null(json, "map");
        return NIM_OK;
    }
    if (!trial_create(&trial, report, report->attributes > 2 ? MAP_ROWS : 1,
                      MAP_PLACES * MAP_PLACES))
        return report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
    const size_t attribute[2] = {learned->order[learned->pair[0]],
                                 learned->order[learned->pair[1]]};
    for (size_t k = 0; k < 2; k++)
        learned_range(learned, attribute[k], &low[k], &high[k]);
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
    free(trial.x);
    return status;
}
