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
    size_t base, places; /* rows, and times they are repeated */
    double *x;
    struct predictions predictions;
};

static bool trial_create(struct trial *trial, const nim_report *report, size_t base,
                         size_t places) {
    size_t d = report->attributes, sampled = report->sample.top.count;
    *trial = (struct trial){.places = places, .base = base < sampled ? base : sampled};
    trial->x = calloc(trial->base * places * d + 1, sizeof(double));
    trial->predictions = predictions_for(report->model, 0, trial->base * places);
    if (!predictions_ask(&trial->predictions, report->classes ? ASK_P : ASK_MEAN | ASK_DEVIATION) ||
        !trial->x)
        return false;
    for (size_t i = 0; i < trial->base * places; i++)
        memcpy(trial->x + i * d, kept_rows_x(&report->sample, i % trial->base), d * sizeof(double));
    return true;
}

static void trial_set(struct trial *trial, size_t place, size_t d, size_t j, double value) {
    for (size_t k = 0; k < trial->base; k++)
        trial->x[(place * trial->base + k) * d + j] = value;
}

static bool trial_run(struct trial *trial, nim_report *report) {
    size_t rows = trial->base * trial->places;
    nim_data data = NIM_DATA(.rows = rows, .attributes = report->attributes, .x = trial->x);
    return predictions_make(&trial->predictions, report->predictor, &data, &report->failure) ==
           NIM_OK;
}

static void trial_free(struct trial *trial) {
    free(trial->x);
    predictions_free(&trial->predictions);
}

/* The average over the rows of a place, of number k of a row. */
static double average(const struct trial *trial, enum predicted array, size_t k, size_t place) {
    size_t width = predictions_width(&trial->predictions, array);
    const double *value = trial->predictions.value[array] + place * trial->base * width + k;
    double total = 0.0;
    for (size_t i = 0; i < trial->base; i++)
        total += value[i * width];
    return total / (double)trial->base;
}

/* Mean and deviation of a number. */
static void write_average(const struct trial *trial, size_t place, struct json_writer *json) {
    write_rounded(json, NULL, average(trial, PREDICTED_MEAN, 0, place));
    write_rounded(json, NULL, average(trial, PREDICTED_DEVIATION, 0, place));
}

/* ---------------------------------------------------------------- curves ---------------------- */

/* How much predictions change along a curve: the ranges of all probabilities, or of the mean. */
static double effect_of(const struct trial *trial, const nim_report *report) {
    double total = 0.0;
    for (size_t c = 0; c < (report->classes ? report->classes : 1); c++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (size_t i = 0; i < trial->places; i++) {
            double value = average(trial, report->classes ? PREDICTED_P : PREDICTED_MEAN, c, i);
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
            write_rounded(json, NULL, average(trial, PREDICTED_P, c, i));
        if (!report->classes)
            write_average(trial, i, json);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static bool write_curve_of(struct learned *learned, size_t shown, size_t rows,
                           struct json_writer *json) {
    nim_report *report = learned->report;
    size_t j = learned->order[shown];
    double low, high;
    struct trial trial;
    learned_range(learned, j, &low, &high);
    bool fine = trial_create(&trial, report, rows, CURVE_PLACES) || report_no_memory(report);
    for (size_t k = 0; fine && k < CURVE_PLACES; k++)
        trial_set(&trial, k, report->attributes, j,
                  low + (high - low) * (double)k / (CURVE_PLACES - 1));
    fine = fine && trial_run(&trial, report);
    if (fine) {
        rank_effect(learned, shown, effect_of(&trial, report));
        write_curve(&trial, report, j, low, high, json);
    }
    trial_free(&trial);
    return fine;
}

bool write_curves(struct learned *learned, struct json_writer *json) {
    const nim_report *report = learned->report;
    size_t sampled = report->sample.top.count, rows = sampled < CURVE_ROWS ? sampled : CURVE_ROWS;
    rows = report->attributes > 1 ? rows : 1; /* nothing to average over */
    json_array(json, "curves");
    for (size_t i = 0; i < learned->shown; i++)
        if (!write_curve_of(learned, i, rows, json))
            return false;
    json_close(json);
    json_whole(json, "curve_rows", rows);
    return true;
}

/* ---------------------------------------------------------------- the map --------------------- */

/* The most probable class at each place and its probability; or the mean and the deviation. */
static void write_place(const struct trial *trial, size_t place, struct json_writer *json) {
    double most = 0.0;
    size_t best = 0;
    json_array(json, NULL);
    for (size_t c = 0; c < trial->predictions.classes; c++) {
        double p = average(trial, PREDICTED_P, c, place);
        if (c == 0 || p > most) {
            most = p;
            best = c;
        }
    }
    if (trial->predictions.classes) {
        json_whole(json, NULL, best);
        write_rounded(json, NULL, most);
    } else {
        write_average(trial, place, json);
    }
    json_close(json);
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
static void write_cells(const struct trial *trial, const struct learned *learned,
                        const double low[2], const double high[2], struct json_writer *json) {
    json_object(json, "map");
    json_whole(json, "places", MAP_PLACES);
    json_whole(json, "rows", trial->base);
    for (size_t k = 0; k < 2; k++) {
        json_object(json, k ? "up" : "across");
        json_text(
            json, "name",
            nim_model_attribute_name(learned->report->model, learned->order[learned->pair[k]]));
        json_whole(json, "shown", learned->pair[k]); /* its place among those shown */
        write_rounded(json, "low", low[k]);
        write_rounded(json, "high", high[k]);
        json_close(json);
    }
    json_array(json, "values");
    for (size_t place = 0; place < trial->places; place++)
        write_place(trial, place, json);
    json_close(json);
    json_close(json);
}

bool write_map(const struct learned *learned, struct json_writer *json) {
    nim_report *report = learned->report;
    struct trial trial;
    double low[2], high[2];
    if (learned->shown < 2) {
        json_null(json, "map");
        return true;
    }
    const size_t attribute[2] = {learned->order[learned->pair[0]],
                                 learned->order[learned->pair[1]]};
    for (size_t k = 0; k < 2; k++)
        learned_range(learned, attribute[k], &low[k], &high[k]);
    bool fine = trial_create(&trial, report, report->attributes > 2 ? MAP_ROWS : 1,
                             MAP_PLACES * MAP_PLACES) ||
                report_no_memory(report);
    if (fine)
        set_map(&trial, report->attributes, attribute, low, high);
    fine = fine && trial_run(&trial, report);
    if (fine)
        write_cells(&trial, learned, low, high, json);
    trial_free(&trial);
    return fine;
}
