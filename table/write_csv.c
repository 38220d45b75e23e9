/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: lines end in a newline, and only cells that need quotes have them. ECSV is CSV after
 * a header that describes the columns (ecsv.h). */
#include "table/writer.h"

#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 18 };

struct csv_writer {
    struct table_writer writer;
    char separator;
    char *text;
    size_t filled;
};

static bool flush(struct csv_writer *csv, struct complaint *complaint) {
    size_t filled = csv->filled;
    csv->filled = 0;
    return output_write(csv->writer.output, csv->text, filled, complaint);
}

/* Room for `size` more bytes, fewer than the buffer has. */
static bool make_room(struct csv_writer *csv, size_t size, struct complaint *complaint) {
    return csv->filled + size <= BUFFER || flush(csv, complaint);
}

static bool put(struct csv_writer *csv, const char *text, size_t length,
                struct complaint *complaint) {
    if (length > BUFFER / 2)
        return flush(csv, complaint) && output_write(csv->writer.output, text, length, complaint);
    if (!make_room(csv, length, complaint))
        return false;
    if (length)
        memcpy(csv->text + csv->filled, text, length);
    csv->filled += length;
    return true;
}

static bool put_word(struct csv_writer *csv, const char *word, struct complaint *complaint) {
    return put(csv, word, strlen(word), complaint);
}

static bool put_separator(struct csv_writer *csv, struct complaint *complaint) {
    return !csv->writer.at || put(csv, &csv->separator, 1, complaint);
}

/* Also where a reader would take away blanks or the whole line: an empty one, or one that starts
 * with the mark of a comment. */
static bool needs_quotes(const struct csv_writer *csv, struct span text) {
    if (!text.length)
        return csv->writer.columns == 1;
    char first = text.text[0], last = text.text[text.length - 1];
    if (first == ' ' || first == '\t' || last == ' ' || last == '\t' || first == '#')
        return true;
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] == csv->separator || text.text[i] == '"' || text.text[i] == '\n' ||
            text.text[i] == '\r')
            return true;
    return false;
}

static bool put_quoted(struct csv_writer *csv, struct span text, struct complaint *complaint) {
    if (!put(csv, "\"", 1, complaint))
        return false;
    while (text.length) { /* pieces up to a quote, which is then written again */
        const char *quote = memchr(text.text, '"', text.length);
        size_t length = quote ? (size_t)(quote - text.text) + 1 : text.length;
        if (!put(csv, text.text, length, complaint) || (quote && !put(csv, "\"", 1, complaint)))
            return false;
        text.text += length;
        text.length -= length;
    }
    return put(csv, "\"", 1, complaint);
}

static bool csv_text(struct table_writer *writer, struct span text, struct complaint *complaint) {
    struct csv_writer *csv = (struct csv_writer *)writer;
    if (!put_separator(csv, complaint))
        return false;
    return needs_quotes(csv, text) ? put_quoted(csv, text, complaint)
                                   : put(csv, text.text, text.length, complaint);
}

static bool csv_number(struct table_writer *writer, double value, struct complaint *complaint) {
    struct csv_writer *csv = (struct csv_writer *)writer;
    if (isnan(value))
        return csv_text(writer, (struct span){"", 0}, complaint);
    if (!put_separator(csv, complaint) || !make_room(csv, NUMBER_LENGTH, complaint))
        return false;
    csv->filled += number_write(value, csv->text + csv->filled);
    return true;
}

static bool csv_end(struct table_writer *writer, struct complaint *complaint) {
    return put((struct csv_writer *)writer, "\n", 1, complaint);
}

/* A name or unit within the double quotes of YAML. */
static bool put_yaml(struct csv_writer *csv, const char *text, struct complaint *complaint) {
    for (; *text; text++) {
        char escaped[8] = {*text};
        if (*text == '"' || *text == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)*text);
        if (!put_word(csv, escaped, complaint))
            return false;
    }
    return put_word(csv, "\"", complaint);
}

static bool put_ecsv_header(struct csv_writer *csv, struct complaint *complaint) {
    if (!put_word(csv, "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n", complaint))
        return false;
    for (size_t i = 0; i < csv->writer.columns; i++) {
        const struct column *column = &csv->writer.column[i];
        bool text = column->kind == COLUMN_TEXT || column->empty;
        if (!put_word(csv, "# - {name: \"", complaint) || !put_yaml(csv, column->name, complaint) ||
            (column->unit && (!put_word(csv, ", unit: \"", complaint) ||
                              !put_yaml(csv, column->unit, complaint))) ||
            !put_word(csv, text ? ", datatype: string}\n" : ", datatype: float64}\n", complaint))
            return false;
    }
    return put_word(csv, "# schema: astropy-2.0\n", complaint);
}

static bool csv_open(struct table_writer *writer, enum table_format format,
                     struct complaint *complaint) {
    struct csv_writer *csv = (struct csv_writer *)writer;
    csv->separator = format == TABLE_TSV ? '\t' : ',';
    csv->text = calloc(1, BUFFER);
    if (!csv->text)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", output_name(writer->output));
    if (format == TABLE_ECSV && !put_ecsv_header(csv, complaint))
        return false;
    for (writer->at = 0; writer->at < writer->columns; writer->at++) {
        const char *name = writer->column[writer->at].name;
        if (!csv_text(writer, (struct span){name, strlen(name)}, complaint))
            return false;
    }
    writer->at = 0;
    return csv_end(writer, complaint);
}

static bool csv_finish(struct table_writer *writer, struct complaint *complaint) {
    return flush((struct csv_writer *)writer, complaint);
}

static void csv_close(struct table_writer *writer) {
    free(((struct csv_writer *)writer)->text);
}

const struct writer csv_writer = {
    csv_open, csv_number, csv_text, csv_end, csv_finish, csv_close, sizeof(struct csv_writer)};
