/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints and copies tables for scripts.
 *
 *     table_tool dump FILE FORMAT ROWS     all of it on standard output, as "length:bytes," pieces
 *     table_tool copy IN OUT FORMAT ROWS   numbers as numbers and text as text
 *
 * ROWS rows are read at a time. The dump: the number of columns; of each its name, kind (n or t),
 * and unit; then of every cell its text and its number in hexadecimal ("" if it is none,
 * "nan" if it is missing). An error message goes to standard error, and the exit code is 2.
 */
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void piece(const char *bytes, size_t length) {
    printf("%zu:", length);
    fwrite(bytes, 1, length, stdout);
    putchar(',');
}

static void word(const char *text) {
    piece(text, strlen(text));
}

static void dump_columns(const struct table *table) {
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", table_columns(table));
    word(digits);
    for (size_t i = 0; i < table_columns(table); i++) {
        const struct column *column = table_column(table, i);
        word(column->name);
        word(column->kind == COLUMN_NUMBER ? "n" : "t");
        word(column->unit ? column->unit : "");
    }
}

/* Numbers of a block, column after column; a column that is not all numbers gives none. */
static bool dump_rows(struct table *table, size_t rows, size_t most, double *number, bool *good,
                      struct complaint *complaint) {
    struct complaint ignored;
    for (size_t i = 0; i < table_columns(table); i++)
        good[i] = table_numbers(table, i, number + i * most, 1, &ignored);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < table_columns(table); i++) {
            struct span span;
            char hex[64];
            if (!table_text(table, row, i, &span, complaint))
                return false;
            piece(span.text, span.length);
            double value = number[i * most + row];
            snprintf(hex, sizeof hex, isnan(value) ? "nan" : "%a", value);
            word(good[i] ? hex : "");
        }
    return true;
}

static bool dump(struct table *table, size_t most, struct complaint *complaint) {
    size_t columns = table_columns(table), rows;
    double *number = malloc((columns * most + 1) * sizeof *number);
    bool *good = malloc(columns + 1), fine = number && good;
    dump_columns(table);
    do
        fine = fine && table_next(table, most, &rows, complaint) &&
               dump_rows(table, rows, most, number, good, complaint);
    while (fine && rows);
    free(number);
    free(good);
    return fine;
}

/* A column that has been empty so far may have text later. */
static bool is_number(const struct table *table, size_t column) {
    return table_column(table, column)->kind == COLUMN_NUMBER &&
           !table_column(table, column)->empty;
}

static bool copy_row(struct table *table, struct table_writer *writer, size_t row,
                     const double *number, size_t most, struct complaint *complaint) {
    for (size_t i = 0; i < table_columns(table); i++) {
        struct span span;
        if (is_number(table, i))
            table_write_number(writer, number[i * most + row]);
        else if (table_text(table, row, i, &span, complaint))
            table_write_text(writer, span);
        else
            return false;
    }
    return table_write_end(writer, complaint);
}

static bool copy_rows(struct table *table, struct table_writer *writer, size_t most,
                      struct complaint *complaint) {
    size_t rows;
    double *number = malloc((table_columns(table) * most + 1) * sizeof *number);
    bool fine = number != NULL;
    do {
        fine = fine && table_next(table, most, &rows, complaint);
        for (size_t i = 0; fine && rows && i < table_columns(table); i++)
            if (is_number(table, i))
                fine = table_numbers(table, i, number + i * most, 1, complaint);
        for (size_t row = 0; fine && row < rows; row++)
            fine = copy_row(table, writer, row, number, most, complaint);
    } while (fine && rows);
    free(number);
    return fine;
}

static bool copy(struct table *table, const char *out, enum table_format format, size_t most,
                 struct complaint *complaint) {
    size_t columns = table_columns(table);
    struct column *column = malloc((columns + 1) * sizeof *column);
    for (size_t i = 0; column && i < columns; i++)
        column[i] = *table_column(table, i);
    struct table_writer *writer =
        column ? table_writer_open(out, format, columns, column, complaint) : NULL;
    free(column);
    if (!writer)
        return false;
    if (copy_rows(table, writer, most, complaint))
        return table_writer_close(writer, complaint);
    table_writer_abandon(writer);
    return false;
}

int main(int count, char **words) {
    struct complaint complaint = {.kind = BAD_USAGE, .text = "usage: see the source"};
    enum table_format format;
    bool copies = count == 6 && strcmp(words[1], "copy") == 0;
    bool good = false;
    if ((copies || (count == 5 && strcmp(words[1], "dump") == 0)) &&
        table_format_named(words[count - 2], &format)) {
        size_t most = strtoul(words[count - 1], NULL, 10);
        struct table *table = table_open(words[2], copies ? TABLE_ANY : format, &complaint);
        if (table)
            good = copies ? copy(table, words[3], format, most, &complaint)
                          : dump(table, most, &complaint);
        table_close(table);
    }
    if (!good)
        fprintf(stderr, "%s\n", complaint.text);
    return good ? 0 : 2;
}
