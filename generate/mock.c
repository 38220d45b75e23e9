/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---------------------------------------------------------------- rows ------------------------ */

void mock_next(struct mock *mock) {
    snprintf(mock->id_text, sizeof mock->id_text, "S%06zu", ++mock->drawn);
    if (mock->synthetic) {
        synthetic_draw(mock->synthetic, 1, NULL, mock->x, &mock->label);
    } else if (mock->is_wave) {
        mock->point = wave_next(&mock->wave);
        mock->y = mock->point.y;
        mock->label = (int32_t)mock->y;
    } else {
        mock->source = catalogue_next(&mock->catalogue);
        mock->label = mock->source.label;
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            mock->lower[j] = -mock->source.error[j]; /* the sign that archives give it */
            mock->limit[j] = mock->source.limit[j] ? "<" : "";
        }
    }
    mock->class = mock->classes ? mock->class_name[mock->label] : "";
}

bool mock_bayes(struct mock *mock, double *log_density) {
    if (mock->is_wave) {
        struct wave_answer best = wave_bayes(&mock->wave, &mock->point);
        *log_density = best.log_density;
        for (size_t c = 0; c < mock->classes; c++)
            mock->answer[c] = best.p[c];
        if (!mock->classes) {
            mock->answer[0] = best.mean;
            mock->answer[1] = best.deviation;
        }
        return true;
    }
    if (!mock->synthetic)
        catalogue_bayes(&mock->catalogue, &mock->source, mock->answer);
    else if (!synthetic_bayes(mock->synthetic, 1, mock->x, mock->answer))
        return false;
    *log_density = log(mock->answer[mock->label]);
    return true;
}

size_t mock_draws(const struct mock *mock) {
    return mock->synthetic ? synthetic_draws(mock->synthetic) : 0;
}

void mock_free(struct mock *mock) {
    synthetic_free(mock->synthetic);
    mock->synthetic = NULL;
}

/* ---------------------------------------------------------------- columns --------------------- */

static struct mock_column *add(struct mock_table *table, const char *unit, const char *format,
                               ...) {
    struct mock_column *column = &table->column[table->columns++];
    va_list list;
    va_start(list, format);
    vsnprintf(column->name, sizeof column->name, format, list);
    va_end(list);
    column->unit = unit;
    return column;
}

static void add_number(struct mock_table *table, const double *number, const char *unit,
                       const char *name, const char *ending) {
    add(table, unit, "%s%s", name, ending)->number = number;
}

static void add_text(struct mock_table *table, const char *const *text, const char *name,
                     const char *ending) {
    add(table, NULL, "%s%s", name, ending)->text = text;
}

/* The columns behind the attributes: p_c1 .., or mean and sd, and the target. */
static void add_target(struct mock *mock, const char *name) {
    for (size_t c = 0; c < mock->classes; c++)
        add(&mock->best, NULL, "p_%s", mock->class_name[c])->number = &mock->answer[c];
    if (mock->classes) {
        add_text(&mock->rows, &mock->class, name, "");
        return;
    }
    add_number(&mock->best, &mock->answer[0], NULL, "mean", "");
    add_number(&mock->best, &mock->answer[1], NULL, "sd", "");
    add_number(&mock->rows, &mock->y, NULL, name, "");
}

static void name_classes(struct mock *mock, size_t classes, const char *before) {
    mock->classes = classes;
    for (size_t c = 0; c < classes; c++) {
        snprintf(mock->class_text[c], sizeof mock->class_text[c], "%s%zu", before, c + 1);
        mock->class_name[c] = mock->class_text[c];
    }
}

bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings) {
    *mock = (struct mock){.synthetic = synthetic_create(settings), .sigma = sqrt(settings->noise)};
    name_classes(mock, settings->classes, "c");
    for (size_t j = 0; j < settings->dims; j++)
        add(&mock->rows, NULL, "x%zu", j + 1)->number = &mock->x[j];
    for (size_t j = 0; j < settings->dims; j++)
        add(&mock->rows, NULL, "x%zu_err", j + 1)->number = &mock->sigma;
    add_target(mock, "class");
    return mock->synthetic != NULL;
}

/* x_err, or x_err1 and x_err2 of asymmetric errors; x_limit. */
static void add_error_columns(struct mock *mock, size_t j, enum catalogue_measured measured) {
    const char *name = catalogue_attribute[j], *unit = catalogue_unit[j];
    struct catalogue_row *row = &mock->source;
    bool lopsided = measured == CATALOGUE_LOPSIDED;
    add_number(&mock->rows, lopsided ? &row->upper[j] : &row->error[j], unit, name,
               lopsided ? "_err1" : "_err");
    if (lopsided)
        add_number(&mock->rows, &mock->lower[j], unit, name, "_err2");
    if (measured == CATALOGUE_LIMITS && (j == 2 || j == 3))
        add_text(&mock->rows, &mock->limit[j], name, "_limit");
}

void mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured) {
    static const size_t pair[][2] = {{1, 2}, {1, 3}, {2, 3}};
    *mock = (struct mock){
        .has_id = true, .classes = CATALOGUE_CLASSES, .catalogue = catalogue_create(seed, noise)};
    mock->catalogue.missing = missing;
    mock->catalogue.measured = measured;
    mock->id = mock->id_text;
    for (size_t c = 0; c < CATALOGUE_CLASSES; c++)
        mock->class_name[c] = catalogue_class[c];
    add_text(&mock->rows, &mock->id, "id", "");
    for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++)
        add_number(&mock->rows, &mock->source.value[j], catalogue_unit[j], catalogue_attribute[j],
                   "");
    for (size_t j = 0; j < CATALOGUE_LATITUDE; j++)
        add_error_columns(mock, j, measured);
    for (size_t k = 0; measured == CATALOGUE_CORRELATED && k < 3; k++)
        add(&mock->rows, NULL, "%s_%s_corr", catalogue_attribute[pair[k][0]],
            catalogue_attribute[pair[k][1]])
            ->number = &mock->source.correlation[k];
    add_target(mock, "class");
}

void mock_wave(struct mock *mock, enum wave_kind which, uint64_t seed, double noise) {
    static const char *const target[] = {
        [WAVE_NUMBER] = "y", [WAVE_COUNT] = "count", [WAVE_LEVEL] = "level"};
    *mock = (struct mock){.is_wave = true, .wave = wave_create(which, seed, noise)};
    name_classes(mock, which == WAVE_LEVEL ? WAVE_LEVELS : 0, "");
    add_number(&mock->rows, &mock->point.value, NULL, "x", "");
    add_number(&mock->rows, &mock->point.error, NULL, "x", "_err");
    if (which == WAVE_COUNT)
        add_number(&mock->rows, &mock->point.exposure, NULL, "exposure", "");
    add_target(mock, target[which]);
}
