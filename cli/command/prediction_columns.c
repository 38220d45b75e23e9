/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/prediction_columns.h"

#include "score/prediction_names.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What there is one column for; the most probable class, or a set of classes, is a text. */
enum each { ALONE, CLASS, LEVEL, POINT, FUNCTION, END, CHOICE, SET };

/* `name` is a column's name, or what it starts with; the cells are made of `from`. */
static const struct {
    const char *name;
    enum each each;
    enum predicted from;
} list[] = {
    {"p_", CLASS, PREDICTED_P},
    {"predicted", CHOICE, PREDICTED_P},
    {"entropy", ALONE, PREDICTED_ENTROPY},
    {"mean", ALONE, PREDICTED_MEAN},
    {"sd", ALONE, PREDICTED_DEVIATION},
    {"q", LEVEL, PREDICTED_QUANTILE},
    {"density", POINT, PREDICTED_DENSITY},
    {"entropy_measurement", ALONE, PREDICTED_MEASUREMENT},
    {"entropy_rest", ALONE, PREDICTED_REST},
    {"mean_", FUNCTION, PREDICTED_LATENT_MEAN},
    {"deviation_", FUNCTION, PREDICTED_LATENT_DEVIATION},
    {"set", SET, PREDICTED_PLAUSIBILITY},
    {"", END, PREDICTED_INTERVAL},
    {"novelty", ALONE, PREDICTED_NOVELTY},
    {"typical", ALONE, PREDICTED_TYPICAL},
};

enum { PARTS = sizeof list / sizeof *list };

/* How many columns part k of the list has. */
static size_t count_of(const struct prediction_columns *columns, const struct predictions *shape,
                       size_t k) {
    bool text = list[k].each == CHOICE || list[k].each == SET;
    bool vector = list[k].each == POINT && columns->vectors;
    return !(columns->shown >> list[k].from & 1) ? 0
           : text || vector                      ? 1
                                                 : predictions_width(shape, list[k].from);
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

/* Column i of part k. */
static bool add_column(struct prediction_columns *columns, const struct predictions *shape,
                       size_t k, size_t i, struct complaint *complaint) {
    char room[LEVEL_NAME];
    enum each each = list[k].each;
    bool vector = each == POINT && columns->vectors;
    const char *rest = vector             ? ""
                       : each == END      ? (i ? "high" : "low")
                       : each == POINT    ? point_name(shape->grid[i], room)
                       : each == CLASS    ? nim_model_class_name(columns->model, i)
                       : each == LEVEL    ? level_name(shape->level[i], room)
                       : each == FUNCTION ? function_name(columns->model, i, room)
                                          : "";
    size_t size = strlen(list[k].name) + strlen(rest) + 1;
    char *name = text_pool_take(&columns->names, size);
    if (!name)
        return complain_of_memory(complaint);
    snprintf(name, size, "%s%s", list[k].name, rest);
    size_t width = each == CHOICE ? predicted_size(columns->model)
                   : each == SET  ? class_set_size(columns->model)
                                  : 0;
    columns->column[columns->count++] = (struct column){.name = name,
                                                        .kind = width ? COLUMN_TEXT : COLUMN_NUMBER,
                                                        .width = width,
                                                        .each = vector ? shape->points : 0,
                                                        .note = vector ? columns->grid_note : NULL};
    return true;
}

bool prediction_columns_list(struct prediction_columns *columns, const struct predictions *shape,
                             struct complaint *complaint) {
    size_t most = 1, longest = predicted_size(columns->model), set = class_set_size(columns->model);
    for (size_t k = 0; k < PARTS; k++)
        most += count_of(columns, shape, k);
    columns->column = calloc(most, sizeof *columns->column);
    columns->text = malloc(longest > set ? longest : set);
    if (!columns->column || !columns->text)
        return complain_of_memory(complaint);
    for (size_t k = 0; k < PARTS; k++)
        for (size_t i = 0; i < count_of(columns, shape, k); i++)
            if (!add_column(columns, shape, k, i, complaint))
                return false;
    return true;
}

void prediction_columns_free(struct prediction_columns *columns) {
    text_pool_free(&columns->names);
    free(columns->column);
    free(columns->text);
}

/* ---------------------------------------------------------------- cells ----------------------- */

void prediction_columns_write(const struct prediction_columns *columns,
                              const struct predictions *predictions, size_t row,
                              struct table_writer *writer) {
    for (size_t k = 0; k < PARTS; k++) {
        if (!count_of(columns, predictions, k))
            continue;
        size_t width = predictions_width(predictions, list[k].from);
        const double *value = predictions->value[list[k].from] + row * width;
        if (list[k].each == CHOICE)
            predicted_name(columns->model, value, columns->text);
        else if (list[k].each == SET)
            class_set_name(columns->model, value, 1.0 - predictions->coverage, columns->text);
        if (list[k].each == CHOICE || list[k].each == SET)
            table_write_text(writer, span_of(columns->text));
        else
            for (size_t i = 0; i < width; i++)
                table_write_number(writer, value[i]);
    }
}
