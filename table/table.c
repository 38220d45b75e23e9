/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/reader.h"
#include "table/row_file.h"

#include "text/blank.h"
#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---------------------------------------------------------------- which format ---------------- */

static const struct {
    const char *name;
    const struct reader *reader;
} formats[] = {
    [TABLE_ANY] = {"any", NULL},
    [TABLE_CSV] = {"csv", &csv_reader},
    [TABLE_TSV] = {"tsv", &csv_reader},
    [TABLE_FITS] = {"fits", &fits_reader},
    [TABLE_ECSV] = {"ecsv", &csv_reader},
    [TABLE_VOTABLE] = {"votable", &votable_reader},
    [TABLE_VOTABLE_BINARY] = {"votable-binary", &votable_reader},
    [TABLE_VOTABLE_BINARY2] = {"votable-binary2", &votable_reader},
    [TABLE_ROWS] = {"rows", &row_file_reader},
};

bool table_format_named(const char *name, enum table_format *format) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *format = (enum table_format)i;
            return true;
        }
    return false;
}

/* Files that people mistake for tables we read; their first bytes tell. Those of the binary ones
 * may well start a header of names, so a byte that no text has must be near. */
static const struct {
    const char *bytes;
    size_t length;
    bool binary;
    const char *what;
} strangers[] = {
    {"PK\3\4", 4, true, "a zip archive or a spreadsheet"},
    {"BZh", 3, true, "compressed by bzip2, not gzip"},
    {"\xfd\x37zXZ", 5, true, "compressed by xz, not gzip"},
    {"\x28\xb5\x2f\xfd", 4, true, "compressed by zstd, not gzip"},
    {"PAR1", 4, true, "a Parquet file"},
    {"\x89HDF", 4, true, "an HDF5 file"},
    {"%PDF-", 5, false, "a PDF document"},
    {"<!DOCTYPE html", 14, false, "a web page"},
    {"<!doctype html", 14, false, "a web page"},
    {"<html", 5, false, "a web page"},
    {"\xff\xfe", 2, false, "text in UTF-16, not UTF-8"},
    {"\xfe\xff", 2, false, "text in UTF-16, not UTF-8"},
    {"\0\0\x08", 3, true, "an IDX file; experiments/to_csv.py makes a CSV file of it"},
};

static bool has_binary_byte(const char *head, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)head[i] < ' ' && head[i] != '\t' && head[i] != '\n' && head[i] != '\r')
            return true;
    return false;
}

static const char *stranger(const char *head, size_t length) {
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (length >= strangers[i].length &&
            memcmp(head, strangers[i].bytes, strangers[i].length) == 0 &&
            (!strangers[i].binary || has_binary_byte(head, length)))
            return strangers[i].what;
    return NULL;
}

/* Whether the name ends so, before a .gz there may be. */
static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    return length > tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

/* No name of a column starts so. */
static bool starts_xml(const char *head, size_t length) {
    static const char *const starts[] = {"<?xml", "<VOTABLE", "<vot:VOTABLE", "<!DOCTYPE VOTABLE"};
    size_t mark = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (length - mark >= strlen(starts[i]) &&
            memcmp(head + mark, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* The mark of the byte order behind the magic makes sure that it is no column of that name. */
static bool starts_row_file(const char *head, size_t length) {
    const char *order = head + ROW_FILE_MAGIC_SIZE;
    return length > ROW_FILE_MAGIC_SIZE && memcmp(head, ROW_FILE_MAGIC, ROW_FILE_MAGIC_SIZE) == 0 &&
           (*order == 1 || *order == 8);
}

static enum table_format format_of(const char *path, const char *head, size_t length) {
    if (starts_row_file(head, length))
        return TABLE_ROWS;
    if (length >= 9 && memcmp(head, "SIMPLE  =", 9) == 0)
        return TABLE_FITS;
    if (starts_xml(head, length))
        return TABLE_VOTABLE;
    if (length >= 7 && memcmp(head, "# %ECSV", 7) == 0)
        return TABLE_ECSV;
    return ends_in(path, ".tsv") ? TABLE_TSV : TABLE_ANY;
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

static struct table *open_source(struct byte_stream *input, struct opening *opening,
                                 struct complaint *complaint) {
    size_t length;
    const char *head = byte_stream_head(input, &length), *name = byte_stream_name(input);
    const char *what = stranger(head, length);
    bool good = false;
    if (!length)
        complain(complaint, BAD_INPUT, "%s: the file is empty", name);
    else if (ends_in(opening->path, ".libsvm") || ends_in(opening->path, ".svm"))
        complain(complaint, BAD_INPUT,
                 "%s: LIBSVM files are not read; experiments/to_csv.py makes a CSV file of it",
                 name);
    else if (what)
        complain(complaint, BAD_INPUT, "%s: is not a table, but %s", name, what);
    else
        good = true;
    if (good && opening->format == TABLE_ANY)
        opening->format = format_of(opening->path, head, length);
    const struct reader *reader = formats[opening->format].reader;
    if (good && opening->part && reader != &fits_reader && reader != &votable_reader)
        good =
            complain(complaint, BAD_INPUT, "%s: only FITS files and VOTables have parts like [%s]",
                     name, opening->part);
    if (!good) {
        byte_stream_close(input);
        return NULL;
    }
    return (reader ? reader : &csv_reader)->open(input, opening, complaint);
}

struct table *table_open(const char *path, enum table_format format, struct complaint *complaint) {
    struct opening opening = {.path = path, .format = format};
    char *whole = split_part(path, &opening.part);
    if (!whole) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    opening.path = whole;
    struct byte_stream *input = byte_stream_open(opening.path, complaint);
    struct table *table = input ? open_source(input, &opening, complaint) : NULL;
    free(whole);
    if (!table || column_index_build(&table->index, table->column, table->columns))
        return table;
    table_complain_of_memory(table, complaint);
    table_close(table);
    return NULL;
}

void *table_create(size_t size, const struct reader *reader, const char *path,
                   struct complaint *complaint) {
    struct table *table = calloc(1, size);
    if (table) {
        table->reader = reader;
        table->path = text_pool_copy(&table->names, path, strlen(path));
    }
    if (!table || !table->path) {
        free(table);
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    return table;
}

void table_close(struct table *table) {
    if (!table)
        return;
    table->reader->close(table);
    column_index_free(&table->index);
    text_pool_free(&table->names);
    text_pool_free(&table->cells);
    free(table->column);
    free(table);
}

bool table_make_columns(struct table *table, size_t columns, struct complaint *complaint) {
    table->column = calloc(columns ? columns : 1, sizeof *table->column);
    if (!table->column)
        return table_complain_of_memory(table, complaint);
    table->columns = columns;
    return true;
}

/* ---------------------------------------------------------------- columns --------------------- */

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

bool table_next(struct table *table, size_t most, size_t *rows, struct complaint *complaint) {
    table->before += table->rows;
    table->rows = 0;
    text_pool_reuse(&table->cells);
    *rows = 0;
    if (most && !table->reader->next(table, most, complaint)) {
        table->rows = 0;
        return false;
    }
    *rows = table->rows;
    return true;
}

bool table_numbers(struct table *table, size_t column, double *out, size_t stride,
                   struct complaint *complaint) {
    assert(column < table->columns);
    return table->reader->numbers(table, column, out, stride, complaint);
}

bool table_text(struct table *table, size_t row, size_t column, struct span *span,
                struct complaint *complaint) {
    assert(row < table->rows && column < table->columns);
    return table->reader->text(table, row, column, span, complaint);
}

bool table_label(struct table *table, size_t row, size_t column, struct span *span,
                 struct complaint *complaint) {
    assert(row < table->rows && column < table->columns);
    return (table->reader->label ? table->reader->label : table->reader->text)(table, row, column,
                                                                               span, complaint);
}

bool table_shorten_label(struct table *table, size_t column, struct span *span,
                         struct complaint *complaint) {
    double value;
    if (table->column[column].kind == COLUMN_TEXT)
        return true;
    enum number_reading reading = number_read(span->text, span->length, &value);
    if (reading == NUMBER_MISSING)
        span->length = 0;
    return reading != NUMBER_READ || !isfinite(value) ||
           table_show_number(table, value, span, complaint);
}

const double *table_cells(const struct table *table) {
    return table->reader->cells ? table->reader->cells(table) : NULL;
}

void table_place(const struct table *table, size_t row, char *text, size_t size) {
    table->reader->place(table, row, text, size);
}

void table_place_row(const struct table *table, size_t row, char *text, size_t size) {
    snprintf(text, size, "%s: row %zu", table->path, table->before + row + 1);
}

bool table_show_number(struct table *table, double value, struct span *span,
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

struct span span_trim(struct span span) {
    while (span.length && is_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length && is_blank(span.text[span.length - 1]))
        span.length--;
    return span;
}

/* ---------------------------------------------------------------- complaints ------------------ */

bool table_complain_of_text(const struct table *table, size_t row, size_t column, struct span found,
                            struct complaint *complaint) {
    enum { SHOWN = 40 };
    char place[600], number[32];
    table_place(table, row, place, sizeof place);
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

bool table_complain_of_memory(const struct table *table, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory", table->path);
}
