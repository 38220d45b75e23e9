/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/score/outside_probabilities.h"

#include "cli/rows/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-6 /* what printing may have cost the sum */

/* The columns whose names begin with p_. */
static bool find_classes(struct outside_probabilities *outside, const struct table *table,
                         size_t *column, struct complaint *complaint) {
    for (size_t i = 0; i < table_columns(table); i++) {
        const char *name = table_column_name(table, i);
        if (strncmp(name, "p_", 2) != 0 || !name[2])
            continue;
        column[outside->classes.count] = i;
        if (!name_list_add(&outside->classes, name + 2, strlen(name + 2), complaint))
            return false;
    }
    return outside->classes.count >= 2 ||
           complain(complaint, BAD_INPUT,
                    "%s: expected a column p_CLASS for each of at least two classes",
                    table_path(table));
}

/* A column of text, or named like an identifier, that `predict` does not write itself. */
static bool find_id(struct outside_probabilities *outside, const struct table *table, long *column,
                    struct complaint *complaint) {
    *column = NO_COLUMN;
    for (size_t i = 0; *column == NO_COLUMN && i < table_columns(table); i++) {
        const struct column *candidate = table_column(table, i);
        if (nim_name_is_identity(candidate->name) ||
            (candidate->kind == COLUMN_TEXT && strcmp(candidate->name, "predicted") != 0))
            *column = (long)i;
    }
    if (*column == NO_COLUMN)
        return true;
    outside->id = strdup(table_column_name(table, (size_t)*column));
    return outside->id || complain_of_memory(complaint);
}

static bool check_row(const struct outside_probabilities *outside, const struct table *table,
                      size_t row, const double *p, struct complaint *complaint) {
    double sum = 0.0, least = 0.0;
    for (size_t c = 0; c < outside->classes.count; c++) {
        sum += p[c];
        least = fmin(least, p[c]);
    }
    if (fabs(sum - 1.0) <= ROUNDING && least >= 0.0)
        return true;
    char place[256];
    table_place(table, row, place, sizeof place);
    return complain(complaint, BAD_INPUT, "%s: expected probabilities that sum to 1, found %g",
                    place, sum);
}

/* Numbers that do not ascend from 1 on, in whole steps, are something else. */
static void check_numbers(struct outside_probabilities *outside) {
    double last = 0.0;
    for (size_t i = 0; outside->number && i < outside->rows; i++) {
        double number = outside->number[i];
        if (!(number > last && number < 1e15 && number == floor(number))) {
            free(outside->number);
            outside->number = NULL;
        }
        last = number;
    }
}

static bool read_numbers(struct outside_probabilities *outside, struct table *table, size_t rows,
                         struct complaint *complaint) {
    long column = table_find(table, "row");
    if (column < 0 || table_column(table, (size_t)column)->kind != COLUMN_NUMBER)
        return true;
    double *number = realloc(outside->number, (outside->rows + rows) * sizeof *number);
    if (!number)
        return complain_of_memory(complaint);
    outside->number = number;
    return table_numbers(table, (size_t)column, number + outside->rows, 1, complaint);
}

static bool read_block(struct outside_probabilities *outside, struct table *table,
                       const size_t *column, long id, size_t rows, struct complaint *complaint) {
    size_t classes = outside->classes.count;
    double *p = realloc(outside->p, (outside->rows + rows) * classes * sizeof *p);
    if (!p)
        return complain_of_memory(complaint);
    outside->p = p;
    if (!read_numbers(outside, table, rows, complaint))
        return false;
    p += outside->rows * classes;
    for (size_t c = 0; c < classes; c++)
        if (!table_numbers(table, column[c], p + c, classes, complaint))
            return false;
    for (size_t i = 0; i < rows; i++) {
        struct span name;
        if (!check_row(outside, table, i, p + i * classes, complaint))
            return false;
        if (id != NO_COLUMN && (!table_text(table, i, (size_t)id, &name, complaint) ||
                                !name_list_add(&outside->name, name.text, name.length, complaint)))
            return false;
    }
    outside->rows += rows;
    return true;
}

bool outside_probabilities_read(struct outside_probabilities *outside, const char *path,
                                struct complaint *complaint) {
    struct table *table = table_open(path, TABLE_ANY, complaint);
    if (!table)
        return false;
    size_t rows = 1, *column = calloc(table_columns(table) + 1, sizeof *column);
    long id = NO_COLUMN;
    bool fine = column ? find_classes(outside, table, column, complaint) &&
                             find_id(outside, table, &id, complaint)
                       : complain_of_memory(complaint);
    while (fine && rows)
        fine = table_next(table, ROWS_BLOCK, &rows, complaint) &&
               (!rows || read_block(outside, table, column, id, rows, complaint));
    check_numbers(outside);
    free(column);
    table_close(table);
    return fine;
}

size_t outside_probabilities_find(const struct outside_probabilities *outside, size_t row) {
    size_t low = 0, high = outside->rows;
    double number = (double)row + 1.0;
    if (!outside->number)
        return row < outside->rows ? row : outside->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (outside->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < outside->rows && outside->number[low] <= number ? low : outside->rows;
}

void outside_probabilities_free(struct outside_probabilities *outside) {
    name_list_free(&outside->classes);
    name_list_free(&outside->name);
    free(outside->id);
    free(outside->number);
    free(outside->p);
}
