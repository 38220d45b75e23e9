/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/prediction_columns.h"

#include "score/prediction_names.h"
#include "text/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a part has one column for. */
enum each { ALONE, CLASS, LEVEL, POINT, FUNCTION, END, FIT, TEXT };

/* `name` is a column's name, or what it starts with; `member` the array of the library. */
static const struct {
    const char *name;
    enum each each;
    size_t member;
} list[PREDICTION_PARTS] = {
    [PROBABILITY] = {"p_", CLASS, offsetof(nim_prediction, probabilities)},
    [PREDICTED] = {"predicted", TEXT, 0},
    [ENTROPY] = {"entropy", ALONE, offsetof(nim_prediction, entropy)},
    [MEAN] = {"mean", ALONE, offsetof(nim_prediction, mean)},
    [DEVIATION] = {"sd", ALONE, offsetof(nim_prediction, deviation)},
    [QUANTILE] = {"q", LEVEL, offsetof(nim_prediction, quantiles)},
    [DENSITY] = {"density", POINT, offsetof(nim_prediction, density)},
    [MEASUREMENT] = {"entropy_measurement", ALONE, offsetof(nim_prediction, measurement_part)},
    [REST] = {"entropy_rest", ALONE, offsetof(nim_prediction, model_part)},
    [LATENT_MEAN] = {"mean_", FUNCTION, offsetof(nim_prediction, latent_mean)},
    [LATENT_DEVIATION] = {"deviation_", FUNCTION, offsetof(nim_prediction, latent_variance)},
    [PLAUSIBILITY] = {"set", TEXT, offsetof(nim_prediction, plausibility)},
    [INTERVAL] = {"", END, offsetof(nim_prediction, interval)},
    [NOVELTY] = {"novelty", ALONE, offsetof(nim_prediction, novelty)},
    [TYPICAL] = {"typical", ALONE, offsetof(nim_prediction, typical)},
    [FIT_WEIGHT] = {"weight", FIT, offsetof(nim_prediction, fit_weights)},
};

static size_t count_fits(const nim_model *model) {
    size_t weights = 0;
    nim_model_get(model, "panel_weights", NULL, 0, &weights, NULL);
    return weights / 2;
}

static size_t count_of(const struct prediction_columns *columns, enum each each) {
    return each == CLASS      ? nim_model_classes(columns->model)
           : each == LEVEL    ? columns->levels
           : each == POINT    ? columns->points
           : each == END      ? 2
           : each == FIT      ? count_fits(columns->model)
           : each == FUNCTION ? nim_model_functions(columns->model)
                              : 1;
}

size_t prediction_width(const struct prediction_columns *columns, enum prediction_part part) {
    return part == PREDICTED      ? 0
           : part == PLAUSIBILITY ? nim_model_classes(columns->model)
                                  : count_of(columns, list[part].each);
}

/* ---------------------------------------------------------------- names ----------------------- */

enum { LEVEL_NAME = 48 }; /* more than FUNCTION_NAME */

/* The level in per cent, with as many digits as tell it from any other: 0.05 is 05, 0.5 is 50,
 * 0.975 is 97.5. The digits are those of the level itself, so that nothing is rounded. */
static const char *level_name(double level, char name[LEVEL_NAME]) {
    enum { LEAST_EXPONENT = -20 }; /* below, zeros are no longer written out */
    char digits[NUMBER_DIGITS];
    int exponent, length = 0, count = (int)number_digits(level, digits, &exponent);
    int point = exponent + 2; /* digits before the point, at most two */
    if (point <= LEAST_EXPONENT) {
        snprintf(name, LEVEL_NAME, "%c%s%.*se%d", digits[0], count > 1 ? "." : "", count - 1,
                 digits + 1, point - 1);
        return name;
    }
    for (int k = point - 2; k < point || k < count; k++) {
        if (k == point)
            name[length++] = '.';
        name[length++] = (char)(k >= 0 && k < count ? digits[k] : '0');
    }
    name[length] = '\0';
    return name;
}

/* "_" and a value of the grid. */
static const char *point_name(double value, char name[LEVEL_NAME]) {
    name[0] = '_';
    number_print(value, name + 1);
    return name;
}

/* Column i of a part. */
static bool add_column(struct prediction_columns *columns, enum prediction_part part, size_t i,
                       struct complaint *complaint) {
    char room[LEVEL_NAME];
    enum each each = list[part].each;
    bool vector = each == POINT && columns->vectors;
    const char *rest = vector             ? ""
                       : each == END      ? (i ? "high" : "low")
                       : each == POINT    ? point_name(columns->grid[i], room)
                       : each == CLASS    ? nim_model_class_name(columns->model, i)
                       : each == LEVEL    ? level_name(columns->level[i], room)
                       : each == FUNCTION ? function_name(columns->model, i, room)
                       : each == FIT      ? point_name((double)(i + 1), room)
                                          : "";
    size_t size = strlen(list[part].name) + strlen(rest) + 1;
    char *name = text_pool_take(&columns->names, size);
    if (!name)
        return complain_of_memory(complaint);
    snprintf(name, size, "%s%s", list[part].name, rest);
    size_t width = part == PREDICTED ? predicted_size(columns->model)
                   : each == TEXT    ? class_set_size(columns->model)
                                     : 0;
    columns->column[columns->count++] = (struct column){.name = name,
                                                        .kind = width ? COLUMN_TEXT : COLUMN_NUMBER,
                                                        .width = width,
                                                        .each = vector ? columns->points : 0,
                                                        .note = vector ? columns->grid_note : NULL};
    return true;
}

bool prediction_columns_list(struct prediction_columns *columns, struct complaint *complaint) {
    size_t most = 1, longest = predicted_size(columns->model), set = class_set_size(columns->model);
    for (int part = 0; part < PREDICTION_PARTS; part++)
        most += count_of(columns, list[part].each);
    columns->column = calloc(most, sizeof *columns->column);
    columns->text = malloc(longest > set ? longest : set);
    if (!columns->column || !columns->text)
        return complain_of_memory(complaint);
    for (int part = 0; part < PREDICTION_PARTS; part++) {
        size_t count = columns->wanted[part] ? count_of(columns, list[part].each) : 0;
        count = list[part].each == POINT && columns->vectors && count ? 1 : count;
        for (size_t i = 0; i < count; i++)
            if (!add_column(columns, part, i, complaint))
                return false;
    }
    return true;
}

void prediction_columns_free(struct prediction_columns *columns) {
    text_pool_free(&columns->names);
    free(columns->column);
    free(columns->text);
}

/* ---------------------------------------------------------------- numbers --------------------- */

nim_prediction prediction_columns_request(const struct prediction_columns *columns, size_t first) {
    nim_prediction request =
        NIM_PREDICTION(.levels = columns->level,
                       .level_count = columns->value[QUANTILE] ? columns->levels : 0,
                       .grid = columns->grid, .grid_count = columns->points,
                       .coverage = columns->coverage);
    for (int part = 0; part < PREDICTION_PARTS; part++)
        if (list[part].member && columns->value[part]) {
            double *from = columns->value[part] + first * prediction_width(columns, part);
            memcpy((char *)&request + list[part].member, &from, sizeof from);
        }
    return request;
}

void prediction_columns_complete(struct prediction_columns *columns, size_t rows) {
    double *const *value = columns->value;
    size_t cells = rows * prediction_width(columns, LATENT_DEVIATION);
    for (size_t k = 0; value[LATENT_DEVIATION] && k < cells; k++)
        value[LATENT_DEVIATION][k] = sqrt(value[LATENT_DEVIATION][k]);
}

static bool write_part(const struct prediction_columns *columns, enum prediction_part part,
                       size_t row, struct table_writer *writer, struct complaint *complaint) {
    enum prediction_part from = part == PREDICTED ? PROBABILITY : part;
    size_t width = prediction_width(columns, from);
    const double *value = columns->value[from] + row * width;
    if (part == PREDICTED)
        predicted_name(columns->model, value, columns->text);
    else if (part == PLAUSIBILITY)
        class_set_name(columns->model, value, 1.0 - columns->coverage, columns->text);
    if (list[part].each == TEXT)
        return table_write_text(writer, (struct span){columns->text, strlen(columns->text)},
                                complaint);
    for (size_t i = 0; i < width; i++)
        if (!table_write_number(writer, value[i], complaint))
            return false;
    return true;
}

bool prediction_columns_write(const struct prediction_columns *columns, size_t row,
                              struct table_writer *writer, struct complaint *complaint) {
    for (int part = 0; part < PREDICTION_PARTS; part++)
        if (columns->wanted[part] && !write_part(columns, part, row, writer, complaint))
            return false;
    return true;
}
