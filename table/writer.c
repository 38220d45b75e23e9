/* SPDX-License-Identifier: Apache-2.0 */
#include "table/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* By the name's ending, before a .gz there may be; CSV when it has none. False for others. */
static bool format_of(const char *path, enum table_format *format) {
    static const struct {
        const char *ending;
        enum table_format format;
    } endings[] = {
        {".csv", TABLE_CSV},      {".txt", TABLE_CSV},         {".dat", TABLE_CSV},
        {".tsv", TABLE_TSV},      {".tab", TABLE_TSV},         {".fits", TABLE_FITS},
        {".fit", TABLE_FITS},     {".fts", TABLE_FITS},        {".ecsv", TABLE_ECSV},
        {".vot", TABLE_VOTABLE},  {".votable", TABLE_VOTABLE}, {".xml", TABLE_VOTABLE},
        {".nimrows", TABLE_ROWS},
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].ending);
        *format = endings[i].format;
        if (length > tail && strncasecmp(name + length - tail, endings[i].ending, tail) == 0)
            return true;
    }
    *format = TABLE_CSV;
    while (length > 1 && name[length - 1] != '.')
        length--;
    return length <= 1; /* a point at the start ends nothing */
}

static const struct writer *const writers[] = {
    [TABLE_CSV] = &csv_writer,
    [TABLE_TSV] = &csv_writer,
    [TABLE_FITS] = &fits_writer,
    [TABLE_ECSV] = &csv_writer,
    [TABLE_VOTABLE] = &votable_writer,
    [TABLE_VOTABLE_BINARY] = &votable_writer,
    [TABLE_VOTABLE_BINARY2] = &votable_writer,
    [TABLE_ROWS] = &row_file_writer,
};

/* Replaces TABLE_ANY by the format of the extension. */
static bool settle_format(const char *path, enum table_format *format,
                          struct complaint *complaint) {
    if (*format != TABLE_ANY || format_of(path, format))
        return true;
    return complain(complaint, BAD_INPUT,
                    "%s: unknown extension; expected .csv, .tsv, .txt, .dat, .ecsv, .vot, .xml or "
                    ".fits, optionally followed by .gz, or .nimrows",
                    path);
}

bool table_writer_knows(const char *path, struct complaint *complaint) {
    enum table_format format = TABLE_ANY;
    return settle_format(path, &format, complaint);
}

struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint) {
    if (!settle_format(path, &format, complaint))
        return NULL;
    const struct writer *writer = writers[format];
    struct table_writer *table = calloc(1, writer->size);
    if (!table) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
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

bool writer_complain_of_text(const struct table_writer *writer, const char *column,
                             struct span found, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: row %zu: column %s: expected a number, found '%.*s'",
                    output_name(writer->output), writer->row + 1, column,
                    found.length < 40 ? (int)found.length : 40, found.text);
}

static bool complain_of_cells(const struct table_writer *writer, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: row %zu: expected %zu cells",
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
