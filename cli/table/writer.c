/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static enum table_format format_of(const char *path) {
    static const struct {
        const char *ending;
        enum table_format format;
    } endings[] = {
        {".fits", TABLE_FITS},   {".fit", TABLE_FITS},    {".fts", TABLE_FITS},
        {".tsv", TABLE_TSV},     {".tab", TABLE_TSV},     {".fits.gz", TABLE_FITS},
        {".fit.gz", TABLE_FITS}, {".fts.gz", TABLE_FITS}, {".tsv.gz", TABLE_TSV},
        {".tab.gz", TABLE_TSV},
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, endings[i].ending))
            return endings[i].format;
    return TABLE_CSV;
}

static const struct writer *writer_of(enum table_format format) {
    return format == TABLE_CSV || format == TABLE_TSV ? &csv_writer
           : format == TABLE_FITS                     ? &fits_writer
                                                      : NULL;
}

struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint) {
    if (format == TABLE_ANY)
        format = format_of(path);
    const struct writer *writer = writer_of(format);
    if (!writer) {
        complain(complaint, EXIT_USAGE, "%s: tables are written as csv, tsv or fits only", path);
        return NULL;
    }
    struct table_writer *table = calloc(1, writer->size);
    if (!table) {
        complain(complaint, EXIT_NUMERICAL, "%s: memory ran out", path);
        return NULL;
    }
    table->writer = writer;
    table->columns = columns;
    table->column = column;
    table->output = output_open(path, complaint);
    bool good = table->output && writer->open(table, format, complaint);
    table->column = NULL;
    if (!good) {
        table_writer_abandon(table);
        return NULL;
    }
    return table;
}

static bool complain_of_cells(const struct table_writer *writer, struct complaint *complaint) {
    return complain(complaint, EXIT_NUMERICAL, "%s: row %zu: more or fewer than %zu cells",
                    output_name(writer->output), writer->row + 1, writer->columns);
}

bool table_write_number(struct table_writer *writer, double value, struct complaint *complaint) {
    if (writer->at == writer->columns)
        return complain_of_cells(writer, complaint);
    bool good = writer->writer->number(writer, value, complaint);
    writer->at++;
    return good;
}

bool table_write_text(struct table_writer *writer, struct span text, struct complaint *complaint) {
    if (writer->at == writer->columns)
        return complain_of_cells(writer, complaint);
    bool good = writer->writer->text(writer, text, complaint);
    writer->at++;
    return good;
}

bool table_write_end(struct table_writer *writer, struct complaint *complaint) {
    if (writer->at < writer->columns)
        return complain_of_cells(writer, complaint);
    bool good = writer->writer->end(writer, complaint);
    writer->at = 0;
    writer->row++;
    return good;
}

bool table_writer_close(struct table_writer *writer, struct complaint *complaint) {
    if ((writer->at && !complain_of_cells(writer, complaint)) ||
        !writer->writer->finish(writer, complaint)) {
        table_writer_abandon(writer);
        return false;
    }
    struct output *output = writer->output;
    writer->writer->close(writer);
    free(writer);
    return output_close(output, complaint);
}

void table_writer_abandon(struct table_writer *writer) {
    if (!writer)
        return;
    writer->writer->close(writer);
    output_abandon(writer->output);
    free(writer);
}
