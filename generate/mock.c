/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include "catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mock_kind {
    void (*draw)(struct mock *mock, size_t rows, double *value, double *error, int32_t *label);
    bool (*bayes)(struct mock *mock, size_t rows, const double *value, const double *error,
                  double *p);
    size_t (*draws)(const struct mock *mock);
};

void mock_draw(struct mock *mock, size_t rows, double *value, double *error, int32_t *label) {
    mock->kind->draw(mock, rows, value, error, label);
}

bool mock_bayes(struct mock *mock, size_t rows, const double *value, const double *error,
                double *p) {
    return mock->kind->bayes(mock, rows, value, error, p);
}

size_t mock_draws(const struct mock *mock) {
    return mock->kind->draws(mock);
}

void mock_free(struct mock *mock) {
    synthetic_free(mock->synthetic);
    free(mock->catalogue);
    free(mock->attribute);
    free(mock->class_name);
    *mock = (struct mock){0};
}

static bool make_names(struct mock *mock, size_t attributes, size_t classes) {
    mock->attributes = attributes;
    mock->classes = classes;
    mock->attribute = calloc(attributes, sizeof *mock->attribute);
    mock->class_name = calloc(classes, sizeof *mock->class_name);
    return mock->attribute && mock->class_name;
}

/* ---------------------------------------------------------------- synthetic ------------------- */

static void draw_synthetic(struct mock *mock, size_t rows, double *value, double *error,
                           int32_t *label) {
    synthetic_draw(mock->synthetic, rows, NULL, value, label);
    for (size_t i = 0; i < rows * mock->attributes; i++)
        error[i] = sqrt(mock->noise);
}

static bool bayes_synthetic(struct mock *mock, size_t rows, const double *value,
                            const double *error, double *p) {
    (void)error; /* the same everywhere */
    return synthetic_bayes(mock->synthetic, rows, value, p);
}

static size_t draws_synthetic(const struct mock *mock) {
    return synthetic_draws(mock->synthetic);
}

bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings) {
    static const struct mock_kind kind = {draw_synthetic, bayes_synthetic, draws_synthetic};
    *mock = (struct mock){.kind = &kind, .noise = settings->noise};
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

static void draw_catalogue(struct mock *mock, size_t rows, double *value, double *error,
                           int32_t *label) {
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row = catalogue_next(mock->catalogue);
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            value[i * CATALOGUE_ATTRIBUTES + j] = row.value[j];
            error[i * CATALOGUE_ATTRIBUTES + j] = row.error[j];
        }
        label[i] = row.label;
    }
}

static bool bayes_catalogue(struct mock *mock, size_t rows, const double *value,
                            const double *error, double *p) {
    for (size_t i = 0; i < rows; i++) {
        struct catalogue_row row;
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            row.value[j] = value[i * CATALOGUE_ATTRIBUTES + j];
            row.error[j] = error[i * CATALOGUE_ATTRIBUTES + j];
        }
        catalogue_bayes(mock->catalogue, &row, p + i * CATALOGUE_CLASSES);
    }
    return true;
}

static size_t draws_catalogue(const struct mock *mock) {
    (void)mock;
    return 0;
}

bool mock_catalogue(struct mock *mock, uint64_t seed, double noise) {
    static const struct mock_kind kind = {draw_catalogue, bayes_catalogue, draws_catalogue};
    *mock = (struct mock){.kind = &kind, .noise = noise, .has_id = true};
    mock->catalogue = malloc(sizeof *mock->catalogue);
    if (!mock->catalogue || !make_names(mock, CATALOGUE_ATTRIBUTES, CATALOGUE_CLASSES))
        return false;
    *mock->catalogue = catalogue_create(seed, noise);
    for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
        snprintf(mock->attribute[j].name, MOCK_NAME, "%s", catalogue_attribute[j]);
        mock->attribute[j].unit = catalogue_unit[j];
        mock->attribute[j].has_error = j != CATALOGUE_LATITUDE;
    }
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "%s", catalogue_class[c]);
    return true;
}
