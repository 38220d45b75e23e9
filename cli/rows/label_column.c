/* SPDX-License-Identifier: Apache-2.0 */
/* Which column is the target, if nobody says. */
#include "cli/rows/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool column_label(const struct table *table, const char *wanted, const char *learned,
                  const char *usual, size_t *column, struct complaint *complaint) {
    const char *name = wanted ? wanted : learned ? learned : usual;
    if (wanted || table_find(table, name) != NO_COLUMN)
        return column_find(table, name, column, complaint);
    return complain(complaint, BAD_INPUT, "%s: no column '%s'%s; --label names the column",
                    table_path(table), name, learned ? ", the label in training" : "");
}

/* ---------------------------------------------------------------- the default label ----------- */

enum { MOST_GUESSED = 30 }; /* different values of a column of numbers that may be classes */

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The number of different values of a column of numbers in the current rows. */
static bool count_values(struct table *table, size_t rows, size_t column, size_t *different,
                         struct complaint *complaint) {
    double *value = malloc((rows + 1) * sizeof *value);
    size_t known = 0;
    bool fine =
        value ? table_numbers(table, column, value, 1, complaint) : complain_of_memory(complaint);
    for (size_t i = 0; fine && i < rows; i++)
        if (!isnan(value[i]))
            value[known++] = value[i];
    *different = 0;
    if (fine)
        qsort(value, known, sizeof *value, by_size);
    for (size_t i = 0; fine && i < known; i++)
        *different += i == 0 || value[i] > value[i - 1];
    free(value);
    return fine;
}

static bool complain_no_label(const struct table *table, const char *usual, const char *why,
                              const char *hint, struct complaint *complaint) {
    struct name_list texts = {0};
    char names[256];
    bool fine = true;
    for (size_t i = 0; fine && i < table_columns(table); i++)
        if (table_column(table, i)->kind == COLUMN_TEXT)
            fine = name_list_add(&texts, table_column_name(table, i),
                                 strlen(table_column_name(table, i)), complaint);
    name_list_show(&texts, 8, names, sizeof names);
    if (fine)
        complain(complaint, BAD_INPUT,
                 "%s: no column '%s', and the last column, %s, %s; --label names the label%s%s%s",
                 table_path(table), usual, table_column_name(table, table_columns(table) - 1), why,
                 hint, texts.count ? "; columns of text: " : "", names);
    name_list_free(&texts);
    return false;
}

bool column_guess_label(struct table *table, size_t rows, const char *usual, size_t *column,
                        struct complaint *complaint) {
    size_t last = table_columns(table) - 1, different = 0;
    char why[64];
    *column = last;
    if (nim_name_says_error(table_column_name(table, last)))
        return complain_no_label(table, usual, "looks like errors", "", complaint);
    if (table_column(table, last)->kind == COLUMN_TEXT)
        return true;
    if (!count_values(table, rows, last, &different, complaint))
        return false;
    snprintf(why, sizeof why, "has %zu different values", different);
    return different <= MOST_GUESSED ||
           complain_no_label(table, usual, why, ", --task regress learns numbers", complaint);
}
