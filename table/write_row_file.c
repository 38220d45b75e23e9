/* SPDX-License-Identifier: Apache-2.0 */
/* Writes row files: a buffer of cells and, for columns of text, the different texts so far. */
#include "table/row_file.h"

#include "file/checksum.h"
#include "table/word_list.h"
#include "table/writer.h"
#include "text/json_writer.h"
#include "text/memory_file.h"
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

struct row_writer {
    struct table_writer writer;
    struct word_list *words; /* of each column */
    double *cell;
    size_t cells; /* in the buffer */
    uint32_t checksum;
};

static void write_bytes(struct row_writer *rows, const void *bytes, size_t size) {
    rows->checksum = checksum(rows->checksum, bytes, size);
    output_write(rows->writer.output, bytes, size);
}

/* ---------------------------------------------------------------- opening --------------------- */

/* JSON must be UTF-8, and our JSON reader does not support zero bytes. */
static bool fits_in_json(const struct row_writer *rows, const char *column, struct span text) {
    for (size_t i = 0, length; i < text.length; i += length) {
        length = text.text[i] ? utf8_length(text.text + i, text.length - i) : 0;
        if (length)
            continue;
        output_fail(rows->writer.output,
                    "column %s: text in a row file must be UTF-8, found '%.*s'", column,
                    text.length < 40 ? (int)text.length : 40, text.text);
        return false;
    }
    return true;
}

static void rows_open(struct table_writer *writer) {
    struct row_writer *rows = (struct row_writer *)writer;
    const struct row_file_head head = {.magic = ROW_FILE_MAGIC,
                                       .order = ROW_FILE_ORDER,
                                       .version = ROW_FILE_VERSION,
                                       .columns = writer->columns};
    const char *name = output_name(writer->output);
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0)
        output_fail(writer->output, "a row file is mapped and cannot be gzipped");
    if (!writer->columns)
        output_fail(writer->output, "a row file needs at least one column");
    rows->words = calloc(writer->columns + 1, sizeof *rows->words);
    rows->cell = malloc(CELLS * sizeof *rows->cell);
    if (!rows->words || !rows->cell)
        output_no_memory(writer->output);
    for (size_t i = 0; i < writer->columns; i++) {
        const char *column = writer->column[i].name;
        fits_in_json(rows, column, span_of(column));
    }
    write_bytes(rows, &head, sizeof head);
}

static void rows_close(struct table_writer *writer) {
    struct row_writer *rows = (struct row_writer *)writer;
    for (size_t i = 0; rows->words && i < writer->columns; i++)
        word_list_free(&rows->words[i]);
    free(rows->words);
    free(rows->cell);
}

/* ---------------------------------------------------------------- cells ----------------------- */

static void flush(struct row_writer *rows) {
    write_bytes(rows, rows->cell, rows->cells * sizeof *rows->cell);
    rows->cells = 0;
}

static void rows_number(struct table_writer *writer, double value) {
    struct row_writer *rows = (struct row_writer *)writer;
    rows->cell[rows->cells++] = value;
    if (rows->cells == CELLS)
        flush(rows);
}

/* A text that is missing is no word. */
static void rows_text(struct table_writer *writer, struct span text) {
    struct row_writer *rows = (struct row_writer *)writer;
    struct word_list *words = &rows->words[writer->at];
    const char *column = writer->column[writer->at].name;
    size_t number = 0, before = words->count;
    if (text.length && !word_list_find(words, text, &number)) {
        output_no_memory(writer->output);
        return;
    }
    if (text.length && number == before && !fits_in_json(rows, column, text))
        return;
    if (words->count > MOST_WORDS)
        output_fail(writer->output,
                    "row %zu: column %s: more than %d different texts; a row file is for numbers "
                    "and classes, so leave this column out (--columns)",
                    writer->row + 1, column, MOST_WORDS);
    rows_number(writer, text.length ? (double)number : (double)NAN);
}

/* ---------------------------------------------------------------- the end --------------------- */

static void show_column(struct json_writer *json, const struct column *column,
                        const struct word_list *words) {
    json_object(json, NULL);
    json_text(json, "name", column->name);
    if (column->unit && *column->unit)
        json_text(json, "unit", column->unit);
    if (column->kind == COLUMN_TEXT) {
        json_array(json, "words");
        for (size_t i = 0; i < words->count; i++)
            json_bytes(json, NULL, words->word[i].text, words->word[i].length);
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
            show_column(&json, &rows->writer.column[i], &rows->words[i]);
        json_close(&json);
        json_close(&json);
        good = !json.failed;
        for (long at = ftell(file); good && at % (long)sizeof(double) != 0; at++)
            good = fputc(' ', file) != EOF;
    }
    return memory_file_close(&memory, good, size);
}

static void rows_finish(struct table_writer *writer) {
    struct row_writer *rows = (struct row_writer *)writer;
    struct row_file_tail tail = {.rows = writer->row, .magic = ROW_FILE_MAGIC};
    size_t size;
    char *json = show_columns(rows, &size);
    if (!json) {
        output_no_memory(writer->output);
        return;
    }
    tail.json = size;
    flush(rows);
    write_bytes(rows, json, size);
    write_bytes(rows, &tail, SUMMED);
    free(json);
    tail.checksum = rows->checksum;
    output_write(writer->output, (const char *)&tail + SUMMED, sizeof tail - SUMMED);
}

const struct writer row_file_writer = {.size = sizeof(struct row_writer),
                                       .open = rows_open,
                                       .number = rows_number,
                                       .text = rows_text,
                                       .finish = rows_finish,
                                       .close = rows_close};
