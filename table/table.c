/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/table.h"

#include "table/formats.h"
#include "text/blank.h"
#include "text/growing.h"
#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- complaints ------------------ */

bool table_fail(struct table *table, size_t line, const char *format, ...) {
    char text[sizeof table->complaint.text], place[32] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (line)
        snprintf(place, sizeof place, ":%zu", line);
    return complain(&table->complaint, BAD_INPUT, "%s%s: %s", table->path, place, text);
}

bool table_complain_of_memory(const struct table *table, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory", table->path);
}

bool table_no_memory(struct table *table) {
    return table_complain_of_memory(table, &table->complaint);
}

static void write_place(const struct table *table, size_t row, char *text, size_t size) {
    if (table->reader->line)
        snprintf(text, size, "%s:%zu", table->path, table->reader->line(table, row));
    else
        snprintf(text, size, "%s: row %zu", table->path, table->before + row + 1);
}

void table_place(const struct table *table, size_t row, char *text, size_t size) {
    write_place(table, table->first + row, text, size);
}

bool table_complain_of_text(const struct table *table, size_t row, size_t column, struct span found,
                            struct complaint *complaint) {
    enum { SHOWN = 40 };
    char place[600], number[32];
    write_place(table, row, place, sizeof place);
    const char *name = table->column[column].name;
    if (!*name) {
        snprintf(number, sizeof number, "%zu", column + 1);
        name = number;
    }
    found = span_trim(found);
    size_t shown = found.length <= SHOWN ? found.length : SHOWN;
    while (shown < found.length && shown && ((unsigned char)found.text[shown] & 0xc0) == 0x80)
        shown--; /* no half character */
    return complain(complaint, BAD_INPUT, "%s: column %.200s: expected a number, found '%.*s%s'",
                    place, name, (int)shown, found.text, shown < found.length ? "..." : "");
}

/* ---------------------------------------------------------------- columns --------------------- */

struct span span_of(const char *text) {
    return (struct span){text, strlen(text)};
}

struct span span_trim(struct span span) {
    while (span.length && is_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length && is_blank(span.text[span.length - 1]))
        span.length--;
    return span;
}

void *table_grow(struct table *table, void *array, size_t count, size_t size) {
    void *grown = grow_by_one(array, count, size);
    if (!grown)
        table_no_memory(table);
    return grown;
}

bool table_add_column(struct table *table, struct span name, struct span unit) {
    struct column *grown = table_grow(table, table->column, table->columns, sizeof *table->column);
    if (!grown)
        return false;
    name = span_trim(name);
    unit = span_trim(unit);
    table->column = grown;
    struct column *column = &grown[table->columns];
    *column = (struct column){.name = text_pool_copy(&table->names, name.text, name.length)};
    if (unit.length)
        column->unit = text_pool_copy(&table->names, unit.text, unit.length);
    if (!column->name || (unit.length && !column->unit))
        return table_no_memory(table);
    table->columns++;
    return true;
}

bool table_judge_digits(struct table *table) {
    for (size_t i = 0; i < table->columns; i++)
        for (size_t row = 0; row < table->loaded; row++) {
            struct cell cell;
            struct complaint ignored;
            if (table->column[i].kind == COLUMN_TEXT)
                break;
            if (table->reader->cell(table, row, i, &cell, &ignored) && cell.kind == CELL_DIGITS)
                table->column[i].kind = COLUMN_TEXT;
        }
    return true;
}

const char *table_path(const struct table *table) {
    return table->path;
}

bool table_cut_short(const struct table *table) {
    return table->cut_short;
}

size_t table_columns(const struct table *table) {
    return table->columns;
}

const struct column *table_column(const struct table *table, size_t index) {
    assert(index < table->columns);
    return &table->column[index];
}

const char *table_column_name(const struct table *table, size_t index) {
    return table_column(table, index)->name;
}

long table_find(const struct table *table, const char *name) {
    if (!*name)
        return NO_COLUMN; /* that is what nameless columns have */
    return column_index_find(&table->index, name);
}

/* ---------------------------------------------------------------- rows ------------------------ */

static void load(struct table *table) {
    table->before += table->loaded;
    table->loaded = table->first = table->rows = 0;
    table->failed = !table->reader->load(table);
}

bool table_next(struct table *table, size_t most, size_t *rows, struct complaint *complaint) {
    table->first += table->rows;
    table->rows = *rows = 0;
    text_pool_reuse(&table->cells);
    if (!most)
        return true;
    if (table->first == table->loaded && !table->failed)
        load(table);
    size_t left = table->loaded - table->first;
    if (!left && table->failed) {
        *complaint = table->complaint;
        return false;
    }
    *rows = table->rows = left < most ? left : most;
    return true;
}

static bool read_number(struct table *table, size_t row, size_t column, double *value,
                        struct complaint *complaint) {
    struct cell cell;
    if (!table->reader->cell(table, table->first + row, column, &cell, complaint))
        return false;
    *value = cell.number;
    return cell.kind == CELL_NUMBER ||
           number_read(cell.text.text, cell.text.length, value) != NUMBER_NOT ||
           table_complain_of_text(table, table->first + row, column, cell.text, complaint);
}

bool table_numbers(struct table *table, size_t column, double *out, size_t stride,
                   struct complaint *complaint) {
    assert(column < table->columns);
    const struct reader *reader = table->reader;
    size_t row = reader->numbers ? reader->numbers(table, column, out, stride) : 0;
    for (; row < table->rows; row++)
        if (!read_number(table, row, column, out + row * stride, complaint))
            return false;
    return true;
}

static bool show_number(struct table *table, double value, struct span *span,
                        struct complaint *complaint) {
    *span = (struct span){"", 0};
    if (isnan(value))
        return true;
    char *text = text_pool_take(&table->cells, NUMBER_LENGTH);
    if (!text)
        return table_complain_of_memory(table, complaint);
    *span = (struct span){text, number_write(value, text)};
    return true;
}

static bool show_cell(struct table *table, size_t row, size_t column, bool shortest,
                      struct span *span, struct complaint *complaint) {
    struct cell cell;
    assert(row < table->rows && column < table->columns);
    if (!table->reader->cell(table, table->first + row, column, &cell, complaint))
        return false;
    bool number = cell.kind == CELL_NUMBER;
    *span = cell.text;
    if (cell.kind == CELL_TEXT && table->column[column].kind == COLUMN_NUMBER) {
        enum number_reading reading = number_read(span->text, span->length, &cell.number);
        if (reading == NUMBER_MISSING)
            span->length = 0;
        number = shortest && reading == NUMBER_READ && isfinite(cell.number);
    }
    return !number || show_number(table, cell.number, span, complaint);
}

bool table_text(struct table *table, size_t row, size_t column, struct span *span,
                struct complaint *complaint) {
    return show_cell(table, row, column, false, span, complaint);
}

bool table_label(struct table *table, size_t row, size_t column, struct span *span,
                 struct complaint *complaint) {
    if (!show_cell(table, row, column, true, span, complaint))
        return false;
    if (text_is_missing(span->text, span->length))
        span->length = 0;
    return true;
}

const double *table_cells(const struct table *table) {
    return table->reader->cells ? table->reader->cells(table) : NULL;
}

/* ---------------------------------------------------------------- opening --------------------- */

/* "stars.fits[2]" where there is no such file: "stars.fits" and "2". */
static char *split_part(const char *path, const char **part) {
    size_t length = strlen(path);
    const char *bracket = strrchr(path, '[');
    char *copy = strdup(path);
    if (!copy || !bracket || bracket == path || path[length - 1] != ']' || access(path, F_OK) == 0)
        return copy;
    copy[length - 1] = '\0';
    copy[bracket - path] = '\0';
    *part = copy + (bracket - path) + 1;
    return copy;
}

static bool name_part(struct table *table, const char *part) {
    char name[1100];
    if (!part)
        return true;
    snprintf(name, sizeof name, "%s[%s]", table->path, part);
    const char *copy = text_pool_copy(&table->names, name, strlen(name));
    table->path = copy ? copy : table->path;
    return copy || table_no_memory(table);
}

static bool read_first_rows(struct table *table) {
    load(table);
    return table->loaded || !table->failed;
}

/* Owns the input, also on failure. */
static struct table *open_format(struct byte_stream *input, const struct opening *opening,
                                 struct complaint *complaint) {
    const struct reader *reader = formats[opening->format].reader;
    const char *name = byte_stream_name(input);
    struct table *table = calloc(1, reader->size);
    if (!table) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", name);
        byte_stream_close(input);
        return NULL;
    }
    table->reader = reader;
    table->input = input;
    table->path = name;
    if (name_part(table, opening->part) && reader->open(table, opening) && read_first_rows(table) &&
        (!reader->judge || reader->judge(table)) &&
        (column_index_build(&table->index, table->column, table->columns) ||
         table_no_memory(table)))
        return table;
    *complaint = table->complaint;
    table_close(table);
    return NULL;
}

static struct table *open_source(struct opening *opening, struct complaint *complaint) {
    struct byte_stream *input = byte_stream_open(opening->path, complaint);
    size_t length;
    if (!input)
        return NULL;
    const char *head = byte_stream_head(input, &length), *name = byte_stream_name(input);
    if (format_recognise(opening->path, head, length, name, &opening->format, complaint) &&
        (!opening->part || formats[opening->format].reader->has_parts ||
         complain(complaint, BAD_INPUT, "%s: only FITS files and VOTables have parts like [%s]",
                  name, opening->part)))
        return open_format(input, opening, complaint);
    byte_stream_close(input);
    return NULL;
}

struct table *table_open(const char *path, enum table_format format, struct complaint *complaint) {
    struct opening opening = {.format = format};
    char *whole = split_part(path, &opening.part);
    if (!whole) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    opening.path = whole;
    struct table *table = open_source(&opening, complaint);
    free(whole);
    return table;
}

void table_close(struct table *table) {
    if (!table)
        return;
    table->reader->close(table);
    byte_stream_close(table->input);
    column_index_free(&table->index);
    text_pool_free(&table->names);
    text_pool_free(&table->cells);
    free(table->column);
    free(table);
}
