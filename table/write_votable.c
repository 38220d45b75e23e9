/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VOTable 1.4 with one table, whose cells are text (TABLEDATA). Numbers have the datatype double,
 * text is unicodeChar of any length, so that rows can be written as they come. A missing cell is
 * empty.
 */
#include "table/writer.h"

#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What XML has another spelling for, or NULL. A carriage return would be read as a newline. */
static const char *reference(char c) {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\r' ? "&#13;"
                       : NULL;
}

/* XML holds UTF-8 without control characters. */
static bool check_text(const struct table_writer *writer, struct span text) {
    for (size_t i = 0, length; i < text.length; i += length) {
        unsigned char c = (unsigned char)text.text[i];
        length = utf8_length(text.text + i, text.length - i);
        bool mark = length == 3 && memcmp(text.text + i, "\xef\xbf", 2) == 0 &&
                    (unsigned char)text.text[i + 2] >= 0xbe; /* U+FFFE, U+FFFF */
        if (length && !mark && (c >= ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        output_fail(writer->output,
                    "row %zu: column %zu: a text that is not UTF-8, or holds a control character, "
                    "cannot be written as VOTable",
                    writer->row + 1, writer->at + 1);
        return false;
    }
    return true;
}

static void put_escaped(struct output *output, struct span text) {
    size_t start = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char *other = reference(text.text[i]);
        if (!other)
            continue;
        output_write(output, text.text + start, i - start);
        output_text(output, other);
        start = i + 1;
    }
    output_write(output, text.text + start, text.length - start);
}

static void put_attribute(struct table_writer *writer, const char *name, const char *value) {
    struct span span = {value, strlen(value)};
    output_text(writer->output, name);
    if (check_text(writer, span))
        put_escaped(writer->output, span);
    output_text(writer->output, "\"");
}

static void begin_cell(struct table_writer *writer) {
    output_text(writer->output, writer->at ? "<TD>" : "<TR><TD>");
}

/* Numbers of a vector are separated by blanks, and none is missing. */
static void votable_number(struct table_writer *writer, double value) {
    char text[NUMBER_LENGTH];
    if (writer->within)
        output_text(writer->output, " ");
    else
        begin_cell(writer);
    if (isinf(value))
        output_text(writer->output, value > 0 ? "+Inf" : "-Inf");
    else if (!isnan(value))
        output_write(writer->output, text, number_write(value, text));
    if (writer->within + 1 == writer_each(writer, writer->at))
        output_text(writer->output, "</TD>");
}

static void votable_text(struct table_writer *writer, struct span text) {
    if (!check_text(writer, text))
        return;
    begin_cell(writer);
    put_escaped(writer->output, text);
    output_text(writer->output, "</TD>");
}

static void votable_end(struct table_writer *writer) {
    output_text(writer->output, "</TR>\n");
}

static void votable_open(struct table_writer *writer) {
    struct output *output = writer->output;
    char size[48];
    output_text(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n"
                        "<RESOURCE type=\"results\">\n<TABLE>\n");
    for (writer->at = 0; writer->at < writer->columns; writer->at++) {
        const struct column *column = &writer->column[writer->at];
        put_attribute(writer, "<FIELD name=\"", column->name);
        if (column->unit)
            put_attribute(writer, " unit=\"", column->unit);
        output_text(output, column->kind == COLUMN_TEXT
                                ? " datatype=\"unicodeChar\" arraysize=\"*\""
                                : " datatype=\"double\"");
        snprintf(size, sizeof size, " arraysize=\"%zu\"", column->each);
        if (column->each)
            output_text(output, size);
        output_text(output, column->note ? "><DESCRIPTION>" : "/>\n");
        if (column->note) {
            put_escaped(output, span_of(column->note));
            output_text(output, "</DESCRIPTION></FIELD>\n");
        }
    }
    writer->at = 0;
    output_text(output, "<DATA>\n<TABLEDATA>\n");
}

static void votable_finish(struct table_writer *writer) {
    output_text(writer->output, "</TABLEDATA>\n</DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n");
}

const struct writer votable_writer = {.size = sizeof(struct table_writer),
                                      .vectors = true,
                                      .open = votable_open,
                                      .number = votable_number,
                                      .text = votable_text,
                                      .end = votable_end,
                                      .finish = votable_finish};
