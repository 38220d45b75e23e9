/* SPDX-License-Identifier: Apache-2.0 */
/* Writes row files: a buffer of cells and, for columns of text, the different texts so far. */
#include "table/row_file.h"

#include "file/checksum.h"
#include "table/word_list.h"
#include "table/writer.h"
#include "text/json_writer.h"
#include "text/memory_file.h"
#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CELLS = 1 << 16, /* of the buffer */
    SUMMED = offsetof(struct row_file_tail, checksum),
    MOST_WORDS = 1 << 20, /* of a column: a row file is for numbers and classes */
};

struct row_column {
    char *name, *unit; /* unit: or NULL */
    bool is_text;
    struct word_list words;
};

struct row_writer {
    struct table_writer writer;
    struct row_column *column;
    double *cell;
    size_t cells; /* in the buffer */
    uint32_t checksum;
};

static const char *name_of(const struct row_writer *rows) {
    return output_name(rows->writer.output);
}

static bool no_memory_for(const struct row_writer *rows, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory", name_of(rows));
}

static bool write_bytes(struct row_writer *rows, const void *bytes, size_t size,
                        struct complaint *complaint) {
    rows->checksum = checksum(rows->checksum, bytes, size);
    return output_write(rows->writer.output, bytes, size, complaint);
}

/* ---------------------------------------------------------------- opening --------------------- */

/* JSON must be UTF-8, and our JSON reader does not support zero bytes. */
static bool fits_in_json(const struct row_writer *rows, const char *column, struct span text,
                         struct complaint *complaint) {
    for (size_t i = 0, length; i < text.length; i += length) {
        length = text.text[i] ? utf8_length(text.text + i, text.length - i) : 0;
        if (!length)
            return complain(complaint, BAD_INPUT,
                            "%s: column %s: text in a row file must be UTF-8, found '%.*s'",
                            name_of(rows), column, text.length < 40 ? (int)text.length : 40,
                            text.text);
    }
    return true;
}

static bool copy_column(struct row_writer *rows, size_t index, struct complaint *complaint) {
    const struct column *given = &rows->writer.column[index];
    struct row_column *column = &rows->column[index];
    size_t length = strlen(given->name), unit = given->unit ? strlen(given->unit) : 0;
    if (!fits_in_json(rows, given->name, (struct span){given->name, length}, complaint))
        return false;
    column->is_text = given->kind == COLUMN_TEXT || given->empty;
    column->name = malloc(length + 1);
    column->unit = unit ? malloc(unit + 1) : NULL;
    if (!column->name || (unit && !column->unit))
        return no_memory_for(rows, complaint);
    memcpy(column->name, given->name, length + 1);
    if (unit)
        memcpy(column->unit, given->unit, unit + 1);
    return true;
}

static bool rows_open(struct table_writer *writer, enum table_format format,
                      struct complaint *complaint) {
    (void)format;
    struct row_writer *rows = (struct row_writer *)writer;
    const struct row_file_head head = {.magic = ROW_FILE_MAGIC,
                                       .order = ROW_FILE_ORDER,
                                       .version = ROW_FILE_VERSION,
                                       .columns = writer->columns};
    const char *name = name_of(rows);
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0)
        return complain(complaint, BAD_INPUT, "%s: a row file is mapped and cannot be gzipped",
                        name);
    if (!writer->columns)
        return complain(complaint, BAD_INPUT, "%s: a row file needs at least one column", name);
    rows->column = calloc(writer->columns, sizeof *rows->column);
    rows->cell = malloc(CELLS * sizeof *rows->cell);
    if (!rows->column || !rows->cell)
        return no_memory_for(rows, complaint);
    for (size_t i = 0; i < writer->columns; i++)
        if (!copy_column(rows, i, complaint))
            return false;
    return write_bytes(rows, &head, sizeof head, complaint);
}

static void rows_close(struct table_writer *writer) {
    struct row_writer *rows = (struct row_writer *)writer;
    for (size_t i = 0; rows->column && i < writer->columns; i++) {
        free(rows->column[i].name);
        free(rows->column[i].unit);
        word_list_free(&rows->column[i].words);
    }
    free(rows->column);
    free(rows->cell);
}

/* ---------------------------------------------------------------- cells ----------------------- */

static bool flush(struct row_writer *rows, struct complaint *complaint) {
    size_t bytes = rows->cells * sizeof *rows->cell;
    rows->cells = 0;
    return write_bytes(rows, rows->cell, bytes, complaint);
}

static bool add_cell(struct row_writer *rows, double value, struct complaint *complaint) {
    rows->cell[rows->cells++] = value;
    return rows->cells < CELLS || flush(rows, complaint);
}

/* A text that is missing is no word. */
static bool add_word(struct row_writer *rows, struct span text, struct complaint *complaint) {
    struct row_column *column = &rows->column[rows->writer.at];
    size_t number = 0, before = column->words.count;
    if (!text.length)
        return add_cell(rows, (double)NAN, complaint);
    if (!word_list_find(&column->words, text, &number))
        return no_memory_for(rows, complaint);
    if (number == before && !fits_in_json(rows, column->name, text, complaint))
        return false;
    if (column->words.count > MOST_WORDS)
        return complain(complaint, BAD_INPUT,
                        "%s: row %zu: column %s: more than %d different texts; a row file is for "
                        "numbers and classes, so leave this column out (--columns)",
                        name_of(rows), rows->writer.row + 1, column->name, MOST_WORDS);
    return add_cell(rows, (double)number, complaint);
}

static bool rows_number(struct table_writer *writer, double value, struct complaint *complaint) {
    struct row_writer *rows = (struct row_writer *)writer;
    if (!rows->column[writer->at].is_text)
        return add_cell(rows, value, complaint);
    char text[NUMBER_LENGTH];
    return add_word(rows, (struct span){text, isnan(value) ? 0 : number_write(value, text)},
                    complaint);
}

static bool rows_text(struct table_writer *writer, struct span text, struct complaint *complaint) {
    struct row_writer *rows = (struct row_writer *)writer;
    if (rows->column[writer->at].is_text)
        return add_word(rows, text, complaint);
    double value;
    if (number_read(text.text, text.length, &value) == NUMBER_NOT)
        return writer_complain_of_text(writer, rows->column[writer->at].name, text, complaint);
    return add_cell(rows, value, complaint);
}

static bool rows_end(struct table_writer *writer, struct complaint *complaint) {
    (void)writer;
    (void)complaint;
    return true;
}

/* ---------------------------------------------------------------- the end --------------------- */

static void show_column(struct json_writer *json, const struct row_column *column) {
    json_object(json, NULL);
    json_text(json, "name", column->name);
    if (column->unit)
        json_text(json, "unit", column->unit);
    if (column->is_text) {
        json_array(json, "words");
        for (size_t i = 0; i < column->words.count; i++)
            json_bytes(json, NULL, column->words.word[i].text, column->words.word[i].length);
        json_close(json);
    }
    json_close(json);
}

/* The columns as JSON, to be freed; blanks behind it so that the size is a multiple of 8. */
static char *show_columns(const struct row_writer *rows, size_t *size) {
    struct memory_file memory;
    FILE *file = memory_file_open(&memory);
    bool good = file != NULL;
    if (file) {
        struct json_writer json = json_start_compact(file);
        json_object(&json, NULL);
        json_array(&json, "columns");
        for (size_t i = 0; i < rows->writer.columns; i++)
            show_column(&json, &rows->column[i]);
        json_close(&json);
        json_close(&json);
        good = !json.failed;
        for (long at = ftell(file); good && at % (long)sizeof(double) != 0; at++)
            good = fputc(' ', file) != EOF;
    }
    return memory_file_close(&memory, good, size);
}

static bool rows_finish(struct table_writer *writer, struct complaint *complaint) {
    struct row_writer *rows = (struct row_writer *)writer;
    struct row_file_tail tail = {.rows = writer->row, .magic = ROW_FILE_MAGIC};
    size_t size;
    char *json = show_columns(rows, &size);
    if (!json)
        return no_memory_for(rows, complaint);
    tail.json = size;
    bool good = flush(rows, complaint) && write_bytes(rows, json, size, complaint) &&
                write_bytes(rows, &tail, SUMMED, complaint);
    free(json);
    tail.checksum = rows->checksum;
    return good && output_write(writer->output, (const char *)&tail + SUMMED, sizeof tail - SUMMED,
                                complaint);
}

const struct writer row_file_writer = {rows_open,
                                       rows_number,
                                       rows_text,
                                       rows_end,
                                       rows_finish,
                                       rows_close,
                                       sizeof(struct row_writer)};
