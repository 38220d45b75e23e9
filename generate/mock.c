/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void mock_next(struct mock *mock) {
    struct mock_row *row = &mock->row;
    if (mock->synthetic) {
        synthetic_draw(mock->synthetic, 1, NULL, mock->x, &row->label);
    } else if (mock->catalogue) {
        mock->source = catalogue_next(mock->catalogue);
        row->label = mock->source.label;
    } else {
        mock->point = wave_next(mock->wave);
        row->y = mock->point.y;
        row->exposure = mock->point.exposure;
        row->label = mock->classes ? (int32_t)row->y : 0;
    }
}

bool mock_bayes(struct mock *mock, double *answer, double *log_density) {
    if (mock->wave) {
        struct wave_answer best = wave_bayes(mock->wave, &mock->point);
        *log_density = best.log_density;
        for (size_t c = 0; c < mock->classes; c++)
            answer[c] = best.p[c];
        if (!mock->classes) {
            answer[0] = best.mean;
            answer[1] = best.deviation;
        }
        return true;
    }
    if (mock->synthetic && !synthetic_bayes(mock->synthetic, 1, mock->x, answer))
        return false;
    if (mock->catalogue)
        catalogue_bayes(mock->catalogue, &mock->source, answer);
    *log_density = log(answer[mock->row.label]);
    return true;
}

size_t mock_draws(const struct mock *mock) {
    return mock->synthetic ? synthetic_draws(mock->synthetic) : 0;
}

enum catalogue_measured mock_measured(const struct mock *mock) {
    return mock->catalogue ? mock->catalogue->measured : CATALOGUE_PLAIN;
}

void mock_free(struct mock *mock) {
    synthetic_free(mock->synthetic);
    free(mock->x);
    free(mock->sigma);
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

bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings) {
    *mock = (struct mock){.target = "class",
                          .synthetic = synthetic_create(settings),
                          .x = calloc(settings->dims, sizeof(double)),
                          .sigma = calloc(settings->dims, sizeof(double))};
    mock->row = (struct mock_row){.value = mock->x, .error = mock->sigma};
    if (!mock->synthetic || !mock->x || !mock->sigma ||
        !make_names(mock, settings->dims, settings->classes))
        return false;
    for (size_t j = 0; j < mock->attributes; j++) {
        snprintf(mock->attribute[j].name, MOCK_NAME, "x%zu", j + 1);
        mock->attribute[j].has_error = true;
        mock->sigma[j] = sqrt(settings->noise);
    }
    for (size_t c = 0; c < mock->classes; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "c%zu", c + 1);
    return true;
}

bool mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured) {
    struct catalogue_row *source = &mock->source;
    *mock = (struct mock){.target = "class",
                          .has_id = true,
                          .catalogue = malloc(sizeof *mock->catalogue),
                          .row = {source->value, source->error, source->upper, source->correlation,
                                  source->limit, 0, 0.0, 0.0}};
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

bool mock_wave(struct mock *mock, enum wave_kind which, uint64_t seed, double noise) {
    static const char *const target[] = {
        [WAVE_NUMBER] = "y", [WAVE_COUNT] = "count", [WAVE_LEVEL] = "level"};
    *mock = (struct mock){.target = target[which],
                          .has_exposure = which == WAVE_COUNT,
                          .wave = malloc(sizeof *mock->wave),
                          .row = {.value = &mock->point.value, .error = &mock->point.error}};
    if (!mock->wave || !make_names(mock, 1, which == WAVE_LEVEL ? WAVE_LEVELS : 0))
        return false;
    *mock->wave = wave_create(which, seed, noise);
    mock->attribute[0] = (struct mock_attribute){.name = "x", .has_error = true};
    for (size_t c = 0; c < mock->classes; c++)
        snprintf(mock->class_name[c], MOCK_NAME, "%zu", c + 1);
    return true;
}
