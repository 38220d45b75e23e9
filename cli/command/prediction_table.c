/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/prediction_table.h"

#include "cli/model/files.h"
#include "score/prediction_names.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What there is one column for; the most probable class, or a set of classes, is a text. */
enum each { ALONE, CLASS, LEVEL, POINT, FUNCTION, END, FIT, CHOICE, CLASS_SET };

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
    {"set", CLASS_SET, PREDICTED_PLAUSIBILITY},
    {"", END, PREDICTED_INTERVAL},
    {"novelty", ALONE, PREDICTED_NOVELTY},
    {"typical", ALONE, PREDICTED_TYPICAL},
    {"weight", FIT, PREDICTED_FIT_WEIGHT},
};

enum { PARTS = sizeof list / sizeof *list };

/* How many columns part k of the list has. */
static size_t count_of(const struct prediction_table *out, const struct predictions *shape,
                       size_t k) {
    bool text = list[k].each == CHOICE || list[k].each == CLASS_SET;
    bool vector = list[k].each == POINT && out->vectors;
    return !(out->shown >> list[k].from & 1) ? 0
           : text || vector                  ? 1
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
static bool add_column(struct prediction_table *out, const struct predictions *shape, size_t k,
                       size_t i, struct complaint *complaint) {
    char room[LEVEL_NAME];
    enum each each = list[k].each;
    bool vector = each == POINT && out->vectors;
    const char *rest = vector             ? ""
                       : each == END      ? (i ? "high" : "low")
                       : each == POINT    ? point_name(shape->grid[i], room)
                       : each == CLASS    ? nim_model_class_name(out->model, i)
                       : each == LEVEL    ? level_name(shape->level[i], room)
                       : each == FUNCTION ? function_name(out->model, i, room)
                       : each == FIT      ? point_name((double)(i + 1), room)
                                          : "";
    size_t size = strlen(list[k].name) + strlen(rest) + 1;
    char *name = text_pool_take(&out->names, size);
    if (!name)
        return complain_of_memory(complaint);
    snprintf(name, size, "%s%s", list[k].name, rest);
    bool text = each == CHOICE || each == CLASS_SET;
    out->column[out->count++] = (struct column){.name = name,
                                                .kind = text ? COLUMN_TEXT : COLUMN_NUMBER,
                                                .each = vector ? shape->points : 0,
                                                .note = vector ? out->grid_note : NULL};
    return true;
}

static bool list_columns(struct prediction_table *out, const struct predictions *shape,
                         struct complaint *complaint) {
    size_t most = 3;
    for (size_t k = 0; k < PARTS; k++)
        most += count_of(out, shape, k);
    out->column = calloc(most, sizeof *out->column);
    out->text = malloc(class_set_size(out->model));
    if (!out->column || !out->text)
        return complain_of_memory(complaint);
    if (out->folds) {
        out->column[out->count++] = (struct column){.name = "row"};
        out->column[out->count++] = (struct column){.name = "fold"};
    }
    for (size_t k = 0; k < PARTS; k++)
        for (size_t i = 0; i < count_of(out, shape, k); i++)
            if (!add_column(out, shape, k, i, complaint))
                return false;
    return true;
}

/* ---------------------------------------------------------------- the file -------------------- */

bool prediction_table_open(struct prediction_table *out, const struct arguments *arguments,
                           struct table *from, const struct predictions *shape,
                           struct complaint *complaint) {
    const char *path = argument_text(arguments, "output"), *input;
    out->vectors = table_writer_has_vectors(path);
    if (!list_columns(out, shape, complaint) ||
        !output_table_choose(&out->output, arguments, from, out->count, out->column, complaint))
        return false;
    for (size_t i = 0; (input = argument_operand(arguments, i)); i++)
        if (!file_check_apart(path, input, complaint))
            return false;
    return output_table_open(&out->output, path, 0, out->count, out->column, complaint);
}

static void write_predictions(const struct prediction_table *out,
                              const struct predictions *predictions, size_t row) {
    struct table_writer *writer = out->output.writer;
    for (size_t k = 0; k < PARTS; k++) {
        if (!count_of(out, predictions, k))
            continue;
        size_t width = predictions_width(predictions, list[k].from);
        const double *value = predictions->value[list[k].from] + row * width;
        if (list[k].each == CHOICE)
            predicted_name(out->model, value, out->text);
        else if (list[k].each == CLASS_SET)
            class_set_name(out->model, value, 1.0 - predictions->coverage, out->text);
        if (list[k].each == CHOICE || list[k].each == CLASS_SET)
            table_write_text(writer, span_of(out->text));
        else
            for (size_t i = 0; i < width; i++)
                table_write_number(writer, value[i]);
    }
}

bool prediction_table_write(struct prediction_table *out, const struct rows *rows,
                            const struct predictions *predictions, const size_t *fold,
                            struct complaint *complaint) {
    struct table_writer *writer = out->output.writer;
    for (size_t k = 0; writer && k < rows->count; k++) {
        if (!output_table_copy(&out->output, rows->place[k], complaint))
            return false;
        if (out->folds) {
            table_write_number(writer, (double)(rows->first + rows->place[k]) + 1.0);
            table_write_number(writer, (double)fold[k] + 1.0);
        }
        write_predictions(out, predictions, k);
        if (!table_write_end(writer, complaint))
            return false;
    }
    return true;
}

bool prediction_table_close(struct prediction_table *out, struct complaint *complaint) {
    return output_table_close(&out->output, complaint);
}

void prediction_table_free(struct prediction_table *out) {
    output_table_free(&out->output);
    text_pool_free(&out->names);
    free(out->column);
    free(out->text);
}
