/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VOTable 1.4 with one table: cells as text (TABLEDATA), or as bytes in base64 (BINARY, BINARY2).
 * Numbers have the datatype double, text is unicodeChar of any length, so that rows can be written
 * as they come. A missing cell is empty; in BINARY it is NaN or empty text, in BINARY2 it also has
 * a flag.
 */
#include "table/base64.h"
#include "table/big_endian.h"
#include "table/writer.h"

#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 }; /* of base64: letters of 48 bytes */

struct votable_writer {
    struct table_writer writer;
    /* Of the binary ones. */
    unsigned char *row; /* the row under way: flags, then cells */
    size_t row_filled, row_size;
    struct base64 base64;
};

static bool is_binary(const struct table_writer *writer) {
    return writer->format != TABLE_VOTABLE;
}

/* ---------------------------------------------------------------- text ------------------------ */

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

/* ---------------------------------------------------------------- bytes ----------------------- */

/* Room at the end of the row, all zero; NULL when out of memory. */
static unsigned char *add_bytes(struct votable_writer *votable, size_t size) {
    if (!votable->row || votable->row_filled + size > votable->row_size) {
        size_t wanted = 2 * (votable->row_filled + size) + 64;
        unsigned char *grown = realloc(votable->row, wanted);
        if (!grown) {
            output_no_memory(votable->writer.output);
            return NULL;
        }
        votable->row = grown;
        votable->row_size = wanted;
    }
    unsigned char *bytes = votable->row + votable->row_filled;
    memset(bytes, 0, size);
    votable->row_filled += size;
    return bytes;
}

static void flag_missing(struct votable_writer *votable) {
    if (votable->writer.format == TABLE_VOTABLE_BINARY2)
        votable->row[votable->writer.at / 8] |= (unsigned char)(0x80 >> votable->writer.at % 8);
}

static void add_number(struct votable_writer *votable, double value) {
    unsigned char *bytes = add_bytes(votable, 8);
    if (bytes)
        put_big_endian_double(bytes, value);
    if (bytes && isnan(value))
        flag_missing(votable);
}

static void put_unit(unsigned char *bytes, uint32_t unit) {
    bytes[0] = (unsigned char)(unit >> 8);
    bytes[1] = (unsigned char)unit;
}

/* UTF-16 with the highest byte first, and before it how many there are of two bytes. */
static void add_text(struct votable_writer *votable, struct span text) {
    size_t start = votable->row_filled, units = 0;
    unsigned char *bytes = add_bytes(votable, 4 + 2 * text.length);
    if (!bytes)
        return;
    for (size_t i = 0, length; i < text.length; i += length) {
        length = utf8_length(text.text + i, text.length - i);
        uint32_t code = utf8_code(text.text + i, length);
        if (code >= 0x10000) {
            put_unit(bytes + 4 + 2 * units++, 0xd800 + ((code - 0x10000) >> 10));
            code = 0xdc00 + ((code - 0x10000) & 0x3ff);
        }
        put_unit(bytes + 4 + 2 * units++, code);
    }
    put_unit(bytes, (uint32_t)(units >> 16));
    put_unit(bytes + 2, (uint32_t)units);
    votable->row_filled = start + 4 + 2 * units;
    if (!units)
        flag_missing(votable);
}

static void put_base64(struct votable_writer *votable) {
    char letters[LINE + 8];
    size_t piece = LINE / 4 * 3;
    for (size_t at = 0; at < votable->row_filled; at += piece) {
        size_t left = votable->row_filled - at;
        size_t length =
            base64_write(&votable->base64, votable->row + at, left < piece ? left : piece, letters);
        output_write(votable->writer.output, letters, length);
    }
}

/* ---------------------------------------------------------------- cells ----------------------- */

/* Before the first cell of a row, which starts with flags. */
static void begin_row(struct votable_writer *votable) {
    if (votable->writer.at || votable->writer.within)
        return;
    if (!is_binary(&votable->writer))
        output_text(votable->writer.output, "<TR>");
    votable->row_filled = 0;
    if (votable->writer.format == TABLE_VOTABLE_BINARY2)
        add_bytes(votable, (votable->writer.columns + 7) / 8);
}

/* Numbers of a vector are separated by blanks, and none is missing. */
static void votable_number(struct table_writer *writer, double value) {
    char text[NUMBER_LENGTH];
    begin_row((struct votable_writer *)writer);
    if (is_binary(writer)) {
        add_number((struct votable_writer *)writer, value);
        return;
    }
    output_text(writer->output, writer->within ? " " : "<TD>");
    if (isinf(value))
        output_text(writer->output, value > 0 ? "+Inf" : "-Inf");
    else if (!isnan(value))
        output_write(writer->output, text, number_write(value, text));
    if (writer->within + 1 == writer_each(writer, writer->at))
        output_text(writer->output, "</TD>");
}

static void votable_text(struct table_writer *writer, struct span text) {
    begin_row((struct votable_writer *)writer);
    if (!check_text(writer, text))
        return;
    if (is_binary(writer)) {
        add_text((struct votable_writer *)writer, text);
        return;
    }
    output_text(writer->output, "<TD>");
    put_escaped(writer->output, text);
    output_text(writer->output, "</TD>");
}

static void votable_end(struct table_writer *writer) {
    if (is_binary(writer))
        put_base64((struct votable_writer *)writer);
    output_text(writer->output, is_binary(writer) ? "\n" : "</TR>\n");
}

/* ---------------------------------------------------------------- the document ---------------- */

static const char *element(const struct table_writer *writer) {
    return writer->format == TABLE_VOTABLE          ? "TABLEDATA"
           : writer->format == TABLE_VOTABLE_BINARY ? "BINARY"
                                                    : "BINARY2";
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
            put_escaped(output, (struct span){column->note, strlen(column->note)});
            output_text(output, "</DESCRIPTION></FIELD>\n");
        }
    }
    writer->at = 0;
    output_text(output, "<DATA>\n<");
    output_text(output, element(writer));
    output_text(output, is_binary(writer) ? ">\n<STREAM encoding=\"base64\">\n" : ">\n");
}

static void votable_finish(struct table_writer *writer) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    char last[4];
    output_write(writer->output, last, base64_finish(&votable->base64, last));
    output_text(writer->output, is_binary(writer) ? "\n</STREAM>\n</" : "</");
    output_text(writer->output, element(writer));
    output_text(writer->output, ">\n</DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n");
}

static void votable_close(struct table_writer *writer) {
    free(((struct votable_writer *)writer)->row);
}

extern const struct writer votable_writer;
const struct writer votable_writer = {.size = sizeof(struct votable_writer),
                                      .vectors = true,
                                      .open = votable_open,
                                      .number = votable_number,
                                      .text = votable_text,
                                      .end = votable_end,
                                      .finish = votable_finish,
                                      .close = votable_close};
