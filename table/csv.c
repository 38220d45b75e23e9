/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV and TSV as in RFC 4180: quoted cells may contain separators, newlines and doubled quotes. The
 * reader also accepts any line end, a byte order mark, blanks around quotes, empty lines, lines
 * starting with # before the header, and quotes inside cells that do not start with one.
 *
 * Without commas, tabs or semicolons in the header, blanks set columns apart: any number of them,
 * which blanks.h makes one.
 *
 * ECSV is such a file after a header that describes the columns (ecsv.h).
 */
#include "table/csv_rows.h"

#include "table/buffer_size.h"
#include "text/ascii.h"
#include "text/blank.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = COLUMN_LIMIT(1 << 18) };

/* ---------------------------------------------------------------- the header ------------------ */

static bool complain_of_ecsv(struct csv *csv) {
    return csv->ecsv.wrong
               ? table_fail(&csv->table, csv_line_of(csv, csv->begin), "%s", csv->ecsv.wrong)
               : table_no_memory(&csv->table);
}

/* A comment before the header: that of ECSV says something, if the very first line says that it is.
 */
static bool take_comment(struct csv *csv, size_t length) {
    bool counts = csv->ecsv.found || csv_line_of(csv, csv->begin) == 1;
    return !counts || ecsv_line(&csv->ecsv, csv->text + csv->begin, length) ||
           complain_of_ecsv(csv);
}

/* Moves `begin` to the first line that is neither empty nor a comment. */
static bool find_header(struct csv *csv) {
    csv->ecsv.pool = &csv->table.names;
    if (csv->filled >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->begin = 3;
    for (;;) {
        char *line = csv->text + csv->begin;
        char *end = csv->begin < csv->filled ? memchr(line, '\n', csv->filled - csv->begin) : NULL;
        if (!end && csv->ended)
            return table_fail(&csv->table, 0, "there is no header line");
        if (!end) {
            if (!csv_refill(csv))
                return false;
            continue;
        }
        size_t blanks = 0;
        while (is_blank(line[blanks]))
            blanks++;
        if (*line != '#' && line[blanks] != '\n')
            return true;
        if (*line == '#' && !take_comment(csv, (size_t)(end - line)))
            return false;
        csv->begin += (size_t)(end - line) + 1;
    }
}

/* The most frequent of tab, comma and semicolon outside quotes, the comma if there are none. */
static char sniff_separator(const struct csv *csv) {
    static const char candidates[] = {',', '\t', ';'};
    size_t counts[sizeof candidates] = {0}, best = 0;
    bool quoted = false;
    for (size_t i = csv->begin; i < csv->filled; i++) {
        char c = csv->text[i];
        quoted ^= c == '"';
        if (quoted)
            continue;
        if (c == '\n')
            break;
        for (size_t k = 0; k < sizeof candidates; k++)
            counts[k] += c == candidates[k];
    }
    for (size_t k = 1; k < sizeof candidates; k++)
        if (counts[k] > counts[best])
            best = k;
    return candidates[best];
}

/* The columns of ECSV are described in the order of the header. */
static bool name_columns(struct csv *csv, size_t cells) {
    const struct ecsv *ecsv = &csv->ecsv;
    bool same = !ecsv->found || ecsv->columns == cells;
    for (size_t i = 0; i < cells; i++) {
        struct span name = csv_span(csv, 0, i), unit = {"", 0};
        const char *lone = memchr(span_trim(name).text, '\r', span_trim(name).length);
        if (lone && lone[1] != '\n')
            return table_fail(&csv->table, csv->header,
                              "lines end in carriage returns only; expected newlines");
        if (ecsv->found && same && ecsv->column[i].unit)
            unit = span_of(ecsv->column[i].unit);
        if (!table_add_column(&csv->table, name, unit))
            return false;
        same =
            same && (!ecsv->found || strcmp(ecsv->column[i].name, csv->table.column[i].name) == 0);
    }
    return same || table_fail(&csv->table, csv->header,
                              "the column names differ from those in the ECSV header");
}

/* From the header on, if blanks set the columns apart. */
static void squeeze(struct csv *csv) {
    char *text = csv->text + csv->begin;
    size_t length = csv->filled - csv->begin;
    if (!blanks_separate(text, length))
        return;
    csv->squeezed = true;
    csv->separator = ' ';
    csv->blanks = (struct blanks){.line_starts = true};
    csv->filled = csv->begin + blanks_squeeze(&csv->blanks, text, length, text);
}

static bool csv_open(struct table *table, const struct opening *opening) {
    struct csv *csv = (struct csv *)table;
    enum table_format format = opening->format;
    csv->line = 1;
    if (!csv_refill(csv) || !find_header(csv))
        return false;
    if (!csv->ecsv.found && format == TABLE_ECSV)
        return table_fail(table, 0, "is not ECSV: its first line is not # %%ECSV 1.0");
    if (csv->ecsv.found && !ecsv_end(&csv->ecsv))
        return complain_of_ecsv(csv);
    csv->separator = csv->ecsv.found       ? csv->ecsv.separator
                     : format == TABLE_CSV ? ','
                     : format == TABLE_TSV ? '\t'
                                           : sniff_separator(csv);
    if (!csv->ecsv.found && format == TABLE_ANY)
        squeeze(csv);
    if (!csv_take(csv, 1))
        return false;
    size_t cells = 1;
    if (!table->loaded)
        return table_fail(table, 0, "there is no header line");
    while (csv->text[csv->ends[cells - 1]] != '\n')
        cells++;
    csv->header = csv_line_of(csv, csv->starts[0]);
    table->loaded = 0;
    return cells > MOST_COLUMNS ? table_fail(table, csv->header, "%zu columns; expected at most %d",
                                             cells, MOST_COLUMNS)
                                : name_columns(csv, cells);
}

/* Whether a column's own name is also the text of one of its first cells. */
static bool is_its_own_cell(const struct csv *csv, size_t column) {
    const char *name = csv->table.column[column].name;
    size_t length = strlen(name);
    for (size_t row = 0; length && row < csv->table.loaded; row++) {
        struct span span = span_trim(csv_span(csv, row, column));
        if (span.length == length && memcmp(span.text, name, length) == 0)
            return true;
    }
    return false;
}

/*
 * A file without a header would lose its first row, and learn under wrong names. Numbers may be
 * names too: 0, 1, 2, ..., or wavelengths before a label. So a first line with numbers in it is a
 * row of values when all of it is numbers that are not whole or not ascending, or when a text in it
 * comes again below, as the name of a class does.
 */
static bool is_row_of_values(const struct csv *csv) {
    double before = -HUGE_VAL;
    size_t numbers = 0, texts = 0;
    bool again = false, counts = true;
    for (size_t i = 0; i < csv->table.columns; i++) {
        const char *name = csv->table.column[i].name;
        double value;
        if (number_read(name, strlen(name), &value) == NUMBER_READ) {
            numbers++;
            counts = counts && !strpbrk(name, ".-eE") && value > before;
            before = value;
        } else if (*name) {
            texts++;
        }
    }
    for (size_t i = 0; numbers && texts && !again && i < csv->table.columns; i++) {
        double value;
        const char *name = csv->table.column[i].name;
        again = number_read(name, strlen(name), &value) != NUMBER_READ && is_its_own_cell(csv, i);
    }
    return numbers && (texts ? again : !counts);
}

/* ---------------------------------------------------------------- the reader ------------------ */

/* By the first rows: numbers unless some cell is text, or an integer that a double cannot hold.
 * ECSV says what is text itself. */
static void judge(const struct csv *csv, size_t index) {
    struct column *column = &csv->table.column[index];
    column->empty = !csv->ecsv.found;
    if (csv->ecsv.found && csv->ecsv.column[index].kind == ECSV_TEXT)
        column->kind = COLUMN_TEXT;
    for (size_t row = 0; row < csv->table.loaded; row++) {
        struct span span = csv_span(csv, row, index);
        double value;
        enum number_reading reading = number_read_quickly(span.text, span.length, &value);
        column->empty &= reading == NUMBER_MISSING;
        bool text = reading == NUMBER_NOT && !csv->ecsv.found;
        if (text || (span.length > 15 && number_is_name(span.text, span.length))) {
            column->kind = COLUMN_TEXT;
            return;
        }
    }
}

static bool csv_judge(struct table *table) {
    struct csv *csv = (struct csv *)table;
    if (!csv->ecsv.found && is_row_of_values(csv))
        return table_fail(table, csv->header,
                          "expected a header of column names, found a row of values");
    for (size_t i = 0; i < table->columns; i++)
        judge(csv, i);
    return true;
}

static void csv_close(struct table *table) {
    struct csv *csv = (struct csv *)table;
    ecsv_free(&csv->ecsv);
    free(csv->block);
    free(csv->starts);
    free(csv->ends);
}

static bool csv_load(struct table *table) {
    return csv_take((struct csv *)table, SIZE_MAX);
}

static bool is_logical(const struct csv *csv, size_t column) {
    return csv->ecsv.found && csv->ecsv.column[column].kind == ECSV_LOGICAL;
}

static size_t csv_numbers(struct table *table, size_t column, double *out, size_t stride) {
    const struct csv *csv = (struct csv *)table;
    size_t row = 0;
    if (is_logical(csv, column))
        return 0;
    for (; row < table->rows; row++) {
        struct span span = csv_span(csv, table->first + row, column);
        if (number_read_quickly(span.text, span.length, out + row * stride) == NUMBER_NOT)
            break;
    }
    return row;
}

/* True and False as 1 and 0. */
static bool csv_cell(struct table *table, size_t row, size_t column, struct cell *out,
                     struct complaint *complaint) {
    const struct csv *csv = (struct csv *)table;
    struct span span = span_trim(csv_span(csv, row, column));
    *out = (struct cell){.kind = CELL_TEXT, .text = span};
    if (!is_logical(csv, column))
        return true;
    bool yes = span.length == 4 && ascii_starts(span.text, "true");
    bool no = span.length == 5 && ascii_starts(span.text, "false");
    out->kind = CELL_NUMBER;
    out->number = yes ? 1 : 0;
    return yes || no || number_read(span.text, span.length, &out->number) != NUMBER_NOT ||
           table_complain_of_text(table, row, column, span, complaint);
}

static size_t csv_line(const struct table *table, size_t row) {
    const struct csv *csv = (const struct csv *)table;
    return csv_line_of(csv, csv->starts[row]);
}

const struct reader csv_reader = {
    .size = sizeof(struct csv),
    .open = csv_open,
    .load = csv_load,
    .judge = csv_judge,
    .cell = csv_cell,
    .close = csv_close,
    .numbers = csv_numbers,
    .line = csv_line,
};
