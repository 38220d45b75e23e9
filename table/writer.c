/* SPDX-License-Identifier: Apache-2.0 */
#include "table/writer.h"

#include "table/formats.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool table_writer_knows(const char *path, struct complaint *complaint) {
    enum table_format format = TABLE_ANY;
    return format_to_write(path, &format, complaint);
}

bool table_writer_has_vectors(const char *path) {
    enum table_format format = TABLE_ANY;
    struct complaint ignored;
    return format_to_write(path, &format, &ignored) && formats[format].writer->vectors;
}

static const char *copy_text(struct table_writer *writer, const char *text) {
    const char *copy = text ? text_pool_copy(&writer->names, text, strlen(text)) : NULL;
    if (text && !copy)
        output_no_memory(writer->output);
    return copy;
}

static void copy_columns(struct table_writer *writer, const struct column *column) {
    writer->column = calloc(writer->columns + 1, sizeof *writer->column);
    if (!writer->column)
        output_no_memory(writer->output);
    for (size_t i = 0; writer->column && i < writer->columns; i++)
        writer->column[i] = (struct column){.name = copy_text(writer, column[i].name),
                                            .unit = copy_text(writer, column[i].unit),
                                            .note = copy_text(writer, column[i].note),
                                            .each = column[i].each,
                                            .kind = column[i].empty ? COLUMN_TEXT : column[i].kind};
}

struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint) {
    if (!format_to_write(path, &format, complaint))
        return NULL;
    const struct writer *kind = formats[format].writer;
    struct table_writer *writer = calloc(1, kind->size);
    if (!writer) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    writer->writer = kind;
    writer->format = format;
    writer->columns = columns;
    writer->output = output_open(path, complaint);
    if (writer->output) {
        copy_columns(writer, column);
        if (!output_failed(writer->output, complaint))
            kind->open(writer);
        if (!output_failed(writer->output, complaint))
            return writer;
    }
    table_writer_abandon(writer);
    return NULL;
}

static void fail_on_cells(struct table_writer *writer) {
    output_fail(writer->output, "row %zu: expected %zu cells", writer->row + 1, writer->columns);
}

static bool is_text(const struct table_writer *writer) {
    return writer->column[writer->at].kind == COLUMN_TEXT;
}

void table_write_number(struct table_writer *writer, double value) {
    char text[NUMBER_LENGTH];
    if (writer->at == writer->columns) {
        fail_on_cells(writer);
        return;
    }
    if (!is_text(writer))
        writer->writer->number(writer, value);
    else
        writer->writer->text(writer,
                             (struct span){text, isnan(value) ? 0 : number_write(value, text)});
    if (++writer->within == writer_each(writer, writer->at)) {
        writer->within = 0;
        writer->at++;
    }
}

void table_write_text(struct table_writer *writer, struct span text) {
    double value;
    if (writer->at == writer->columns)
        fail_on_cells(writer);
    else if (is_text(writer) || writer->writer->as_it_is)
        writer->writer->text(writer, text);
    else if (number_read(text.text, text.length, &value) != NUMBER_NOT)
        writer->writer->number(writer, value);
    else
        output_fail(writer->output, "row %zu: column %s: expected a number, found '%.*s'",
                    writer->row + 1, writer->column[writer->at].name,
                    text.length < 40 ? (int)text.length : 40, text.text);
    writer->at += writer->at < writer->columns;
}

bool table_write_cells(struct table_writer *writer, struct table *from, size_t row, size_t count,
                       const size_t *column, struct complaint *complaint) {
    struct span cell;
    for (size_t i = 0; i < count; i++) {
        if (!table_text(from, row, column[i], &cell, complaint))
            return false;
        table_write_text(writer, cell);
    }
    return true;
}

bool table_write_end(struct table_writer *writer, struct complaint *complaint) {
    if (writer->at < writer->columns)
        fail_on_cells(writer);
    else if (writer->writer->end)
        writer->writer->end(writer);
    writer->at = 0;
    writer->row++;
    return !output_failed(writer->output, complaint);
}

static void free_writer(struct table_writer *writer) {
    if (writer->writer->close)
        writer->writer->close(writer);
    text_pool_free(&writer->names);
    free(writer->column);
    free(writer);
}

bool table_writer_close(struct table_writer *writer, struct complaint *complaint) {
    struct output *output = writer->output;
    if (writer->at)
        fail_on_cells(writer);
    if (writer->writer->finish && !output_failed(output, complaint))
        writer->writer->finish(writer);
    free_writer(writer);
    return output_close(output, complaint);
}

void table_writer_abandon(struct table_writer *writer) {
    if (!writer)
        return;
    output_abandon(writer->output);
    free_writer(writer);
}
