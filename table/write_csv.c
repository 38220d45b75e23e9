/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: lines end in a newline, and only cells that need quotes have them. ECSV is CSV after
 * a header that describes the columns (ecsv.h). */
#include "table/writer.h"

#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char separator(const struct table_writer *writer) {
    return writer->format == TABLE_TSV ? '\t' : ',';
}

/* Also where a reader would take away blanks or the whole line: an empty one, or one that starts
 * with the mark of a comment. */
static bool needs_quotes(const struct table_writer *writer, struct span text) {
    if (!text.length)
        return writer->columns == 1;
    char first = text.text[0], last = text.text[text.length - 1];
    if (first == ' ' || first == '\t' || last == ' ' || last == '\t' || first == '#')
        return true;
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] == separator(writer) || text.text[i] == '"' || text.text[i] == '\n' ||
            text.text[i] == '\r')
            return true;
    return false;
}

static void put_quoted(struct output *output, struct span text) {
    output_text(output, "\"");
    while (text.length) { /* pieces up to a quote, which is then written again */
        const char *quote = memchr(text.text, '"', text.length);
        size_t length = quote ? (size_t)(quote - text.text) + 1 : text.length;
        output_write(output, text.text, length);
        if (quote)
            output_text(output, "\"");
        text.text += length;
        text.length -= length;
    }
    output_text(output, "\"");
}

static void put_separator(struct table_writer *writer) {
    char c = separator(writer);
    output_write(writer->output, &c, writer->at > 0);
}

static void csv_text(struct table_writer *writer, struct span text) {
    put_separator(writer);
    if (needs_quotes(writer, text))
        put_quoted(writer->output, text);
    else
        output_write(writer->output, text.text, text.length);
}

static void csv_number(struct table_writer *writer, double value) {
    char text[NUMBER_LENGTH];
    if (isnan(value)) {
        csv_text(writer, (struct span){"", 0});
        return;
    }
    put_separator(writer);
    output_write(writer->output, text, number_write(value, text));
}

static void csv_end(struct table_writer *writer) {
    output_text(writer->output, "\n");
}

/* A name or unit within the double quotes of YAML. */
static void put_yaml(struct output *output, const char *text) {
    for (; *text; text++) {
        char escaped[8] = {*text};
        if (*text == '"' || *text == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)*text);
        output_text(output, escaped);
    }
}

static void put_ecsv_header(struct table_writer *writer) {
    struct output *output = writer->output;
    output_text(output, "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n");
    for (size_t i = 0; i < writer->columns; i++) {
        const struct column *column = &writer->column[i];
        output_text(output, "# - {name: \"");
        put_yaml(output, column->name);
        if (column->unit) {
            output_text(output, "\", unit: \"");
            put_yaml(output, column->unit);
        }
        output_text(output, column->kind == COLUMN_TEXT ? "\", datatype: string}\n"
                                                        : "\", datatype: float64}\n");
    }
    output_text(output, "# schema: astropy-2.0\n");
}

static void csv_open(struct table_writer *writer) {
    if (writer->format == TABLE_ECSV)
        put_ecsv_header(writer);
    for (writer->at = 0; writer->at < writer->columns; writer->at++) {
        const char *name = writer->column[writer->at].name;
        csv_text(writer, span_of(name));
    }
    writer->at = 0;
    csv_end(writer);
}

const struct writer csv_writer = {.size = sizeof(struct table_writer),
                                  .as_it_is = true,
                                  .open = csv_open,
                                  .number = csv_number,
                                  .text = csv_text,
                                  .end = csv_end};
