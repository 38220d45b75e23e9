/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mock_kind {
    void (*draw)(struct mock *mock, size_t rows, struct mock_rows *drawn);
    bool (*bayes)(struct mock *mock, size_t rows, const struct mock_rows *drawn, double *answer,
                  double *log_density);
    size_t (*draws)(const struct mock *mock);
};

void mock_draw(struct mock *mock, size_t rows, struct mock_rows *drawn) {
    mock->kind->draw(mock, rows, drawn);
}

bool mock_bayes(struct mock *mock, size_t rows, const struct mock_rows *drawn, double *answer,
                double *log_density) {
    return mock->kind->bayes(mock, rows, drawn, answer, log_density);
}

size_t mock_draws(const struct mock *mock) {
    return mock->kind->draws(mock);
}

void mock_free(struct mock *mock) {
    synthetic_free(mock->synthetic);
    free(mock->catalogue);
    free(mock->wave);
    free(mock->attribute);
    free(mock->class_name);
    *mock = (struct mock){0};
}

static bool make_names(struct mock *mock, size_t attributes, size_t classes) {
    mock->attributes = attributes;
    mock->classes = classes;
    mock->attribute = calloc(attributes, sizeof *mock->attribute);
    mock->class_name = calloc(classes + 1, sizeof *mock->class_name);
    return mock->attribute && mock->class_name;
}

static void rate_classes(const struct mock *mock, size_t rows, const struct mock_rows *drawn,
                         const double *p, double *log_density) {
    for (size_t i = 0; i < rows; i++)
        log_density[i] = log(p[i * mock->classes + (size_t)drawn->label[i]]);
}

/* ---------------------------------------------------------------- synthetic ------------------- */

static void draw_synthetic(struct mock *mock, size_t rows, struct mock_rows *drawn) {
    synthetic_draw(mock->synthetic, rows, NULL, drawn->value, drawn->label);
    for (size_t i = 0; i < rows * mock->attributes; i++)
        drawn->error[i] = sqrt(mock->noise);
}

static bool bayes_synthetic(struct mock *mock, size_t rows, const struct mock_rows *drawn,
                            double *answer, double *log_density) {
    if (!synthetic_bayes(mock->synthetic, rows, drawn->value, answer))
        return false;
    rate_classes(mock, rows, drawn, answer, log_density);
    return true;
}

static size_t draws_synthetic(const struct mock *mock) {
    return synthetic_draws(mock->synthetic);
}

bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings) {
    static const struct mock_kind kind = {draw_synthetic, bayes_synthetic, draws_synthetic};
    *mock = (struct mock){.kind = &kind, .target = "class", .noise = settings->noise};
    mock->synthetic = synthetic_create(settings);
    if (!mock->synthetic || !make_names(mock, settings->dims, settings->classes))
        return false;
    for (size_t j = 0; j < mock->attributes; j++) {
        snprintf(mock->attribute[j].name, MOCK_NAME, "x%zu", j + 1);
        mock->attribute[j].has_error = true;
    }
    for (size_t c = 0; c < mock->classes; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "c%zu", c + 1);
    return true;
}

/* ---------------------------------------------------------------- catalogue ------------------- */

static void draw_catalogue(struct mock *mock, size_t rows, struct mock_rows *drawn) {
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row = catalogue_next(mock->catalogue);
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            drawn->value[i * CATALOGUE_ATTRIBUTES + j] = row.value[j];
            drawn->error[i * CATALOGUE_ATTRIBUTES + j] = row.error[j];
            drawn->upper[i * CATALOGUE_ATTRIBUTES + j] = row.upper[j];
            drawn->limit[i * CATALOGUE_ATTRIBUTES + j] = row.limit[j];
        }
        for (size_t k = 0; k < 3; k++)
            drawn->correlation[3 * i + k] = row.correlation[k];
        drawn->label[i] = row.label;
    }
}

static bool bayes_catalogue(struct mock *mock, size_t rows, const struct mock_rows *drawn,
                            double *answer, double *log_density) {
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row;
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            row.value[j] = drawn->value[i * CATALOGUE_ATTRIBUTES + j];
            row.error[j] = drawn->error[i * CATALOGUE_ATTRIBUTES + j];
            row.upper[j] = drawn->upper[i * CATALOGUE_ATTRIBUTES + j];
            row.limit[j] = drawn->limit[i * CATALOGUE_ATTRIBUTES + j];
        }
        for (size_t k = 0; k < 3; k++)
            row.correlation[k] = drawn->correlation[3 * i + k];
        catalogue_bayes(mock->catalogue, &row, answer + i * CATALOGUE_CLASSES);
    }
    rate_classes(mock, rows, drawn, answer, log_density);
    return true;
}

static size_t no_draws(const struct mock *mock) {
    (void)mock;
    return 0;
}

enum catalogue_measured mock_measured(const struct mock *mock) {
    return mock->catalogue ? mock->catalogue->measured : CATALOGUE_PLAIN;
}

bool mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured) {
    static const struct mock_kind kind = {draw_catalogue, bayes_catalogue, no_draws};
    *mock = (struct mock){.kind = &kind, .target = "class", .noise = noise, .has_id = true};
    mock->catalogue = malloc(sizeof *mock->catalogue);
    if (!mock->catalogue || !make_names(mock, CATALOGUE_ATTRIBUTES, CATALOGUE_CLASSES))
        return false;
    *mock->catalogue = catalogue_create(seed, noise);
    mock->catalogue->missing = missing;
    mock->catalogue->measured = measured;
    for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
        snprintf(mock->attribute[j].name, MOCK_NAME, "%s", catalogue_attribute[j]);
        mock->attribute[j].unit = catalogue_unit[j];
        mock->attribute[j].has_error = j != CATALOGUE_LATITUDE;
    }
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "%s", catalogue_class[c]);
    return true;
}

void mock_measure_worse(struct mock *mock, double factor) {
    mock->catalogue->worse = factor;
}

/* ---------------------------------------------------------------- wave ------------------------ */

static void draw_wave(struct mock *mock, size_t rows, struct mock_rows *drawn) {
    for (size_t i = 0; i < rows; i++) {
        struct wave_row row = wave_next(mock->wave);
        drawn->value[i] = row.value;
        drawn->error[i] = row.error;
        drawn->y[i] = row.y;
        drawn->exposure[i] = row.exposure;
        drawn->label[i] = mock->classes ? (int32_t)row.y : 0;
    }
}

static bool bayes_wave(struct mock *mock, size_t rows, const struct mock_rows *drawn,
                       double *answer, double *log_density) {
    for (size_t i = 0; i < rows; i++) {
        struct wave_row row = {.value = drawn->value[i],
                               .error = drawn->error[i],
                               .exposure = drawn->exposure[i],
                               .y = drawn->y[i]};
        struct wave_answer best = wave_bayes(mock->wave, &row);
        log_density[i] = best.log_density;
        for (size_t c = 0; c < mock->classes; c++)
            answer[i * mock->classes + c] = best.p[c];
        if (mock->classes)
            continue;
        answer[2 * i] = best.mean;
        answer[2 * i + 1] = best.deviation;
    }
    return true;
}

bool mock_wave(struct mock *mock, enum wave_kind which, uint64_t seed, double noise) {
    static const struct mock_kind kind = {draw_wave, bayes_wave, no_draws};
    static const char *const target[] = {
        [WAVE_NUMBER] = "y", [WAVE_COUNT] = "count", [WAVE_LEVEL] = "level"};
    *mock = (struct mock){.kind = &kind,
                          .target = target[which],
                          .noise = noise,
                          .has_exposure = which == WAVE_COUNT};
    mock->wave = malloc(sizeof *mock->wave);
    if (!mock->wave || !make_names(mock, 1, which == WAVE_LEVEL ? WAVE_LEVELS : 0))
        return false;
    *mock->wave = wave_create(which, seed, noise);
    mock->attribute[0] = (struct mock_attribute){.name = "x", .has_error = true};
    for (size_t c = 0; c < mock->classes; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "%zu", c + 1);
    return true;
}
