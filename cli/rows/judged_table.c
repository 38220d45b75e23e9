/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/rows/judged_table.h"

#include "cli/rows/rows.h"
#include "cli/terminal/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool table_can_be_judged_apart(const struct table *table) {
    struct stat about; /* "stars.fits[2]" is a part of a file */
    return strcmp(table_path(table), "standard input") != 0 &&
           (stat(table_path(table), &about) != 0 || S_ISREG(about.st_mode));
}

/* A cell that is no number, or no text, is complained of when its column is read for use. */
static bool passes(bool fine, const struct complaint *complaint) {
    return fine || complaint->kind == BAD_INPUT;
}

static bool judge_texts(nim_judge *judge, struct table *table, size_t column, size_t rows,
                        struct complaint *complaint) {
    for (size_t i = 0; i < rows; i++) {
        struct span span = {"", 0};
        bool there = table_label(table, i, column, &span, complaint);
        if (!passes(there, complaint))
            return false;
        size_t length = there ? span.length : 0;
        if (!nim_judge_texts(judge, column, span.text, &length, 1))
            return complain_of_memory(complaint);
    }
    return true;
}

static bool judge_numbers(nim_judge *judge, struct table *table, size_t column, size_t rows,
                          double *value, struct complaint *complaint) {
    bool there = table_numbers(table, column, value, 1, complaint);
    for (size_t i = 0; !there && i < rows; i++)
        value[i] = (double)NAN;
    return passes(there, complaint) &&
           (nim_judge_numbers(judge, column, value, rows) || complain_of_memory(complaint));
}

static bool judge_block(nim_judge *judge, struct table *table, size_t rows, double *value,
                        struct complaint *complaint) {
    bool fine = !interrupted() || complain(complaint, INTERRUPTED, "interrupted");
    for (size_t j = 0; fine && j < table_columns(table); j++)
        fine = table_column(table, j)->kind == COLUMN_TEXT
                   ? judge_texts(judge, table, j, rows, complaint)
                   : judge_numbers(judge, table, j, rows, value, complaint);
    return fine;
}

/* The first rows of a table that was opened for this. */
static bool judge_file(nim_judge *judge, struct table *table, double *value, size_t block,
                       struct complaint *complaint) {
    size_t rows = 1;
    for (size_t seen = 0; rows && seen < NIM_MOST_JUDGED; seen += rows)
        if (!table_next(table, block, &rows, complaint) ||
            !judge_block(judge, table, rows, value, complaint))
            return false;
    return true;
}

nim_judge *table_judge(struct table *table, enum table_format format, size_t rows,
                       const struct column_names *names, struct complaint *complaint) {
    size_t block = rows ? rows : rows_of_block(table_columns(table));
    nim_judge *judge = nim_judge_create(names->names, table_columns(table));
    double *value = malloc(block * sizeof *value);
    bool fine = (judge && value) || complain_of_memory(complaint);
    struct table *again = fine && !rows ? table_open(table_path(table), format, complaint) : NULL;
    fine = fine && (rows ? judge_block(judge, table, rows, value, complaint)
                         : again && judge_file(judge, again, value, block, complaint));
    table_close(again);
    free(value);
    if (fine)
        return judge;
    nim_judge_free(judge);
    return NULL;
}
