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
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 18, LINE = 64 }; /* of base64: letters of 48 bytes */

struct votable_writer {
    struct table_writer writer;
    enum table_format format;
    bool *is_text; /* one a column */
    char *text;    /* to be written */
    size_t filled;

    /* Of the binary ones. */
    unsigned char *row; /* the row under way: flags, then cells */
    size_t row_filled, row_size;
    struct base64 base64;
};

static bool no_memory_for(const struct votable_writer *votable, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory",
                    output_name(votable->writer.output));
}

/* ---------------------------------------------------------------- text ------------------------ */

static bool put(struct votable_writer *votable, const char *text, size_t length,
                struct complaint *complaint) {
    if (votable->filled + length > BUFFER) {
        size_t filled = votable->filled;
        votable->filled = 0;
        if (!output_write(votable->writer.output, votable->text, filled, complaint))
            return false;
    }
    if (length > BUFFER)
        return output_write(votable->writer.output, text, length, complaint);
    if (length)
        memcpy(votable->text + votable->filled, text, length);
    votable->filled += length;
    return true;
}

static bool put_word(struct votable_writer *votable, const char *word,
                     struct complaint *complaint) {
    return put(votable, word, strlen(word), complaint);
}

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
static bool check_text(const struct votable_writer *votable, struct span text,
                       struct complaint *complaint) {
    for (size_t i = 0; i < text.length;) {
        unsigned char c = (unsigned char)text.text[i];
        size_t length = utf8_length(text.text + i, text.length - i);
        bool mark = length == 3 && memcmp(text.text + i, "\xef\xbf", 2) == 0 &&
                    (unsigned char)text.text[i + 2] >= 0xbe; /* U+FFFE, U+FFFF */
        if (!length || mark || (c < ' ' && c != '\t' && c != '\n' && c != '\r'))
            return complain(complaint, BAD_INPUT,
                            "%s: row %zu: column %zu: a text that is not UTF-8, or holds a control "
                            "character, cannot be written as VOTable",
                            output_name(votable->writer.output), votable->writer.row + 1,
                            votable->writer.at + 1);
        i += length;
    }
    return true;
}

static bool put_escaped(struct votable_writer *votable, struct span text,
                        struct complaint *complaint) {
    size_t start = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char *other = reference(text.text[i]);
        if (!other)
            continue;
        if (!put(votable, text.text + start, i - start, complaint) ||
            !put_word(votable, other, complaint))
            return false;
        start = i + 1;
    }
    return put(votable, text.text + start, text.length - start, complaint);
}

static bool put_attribute(struct votable_writer *votable, const char *name, const char *value,
                          struct complaint *complaint) {
    struct span span = {value, strlen(value)};
    return put_word(votable, name, complaint) && check_text(votable, span, complaint) &&
           put_escaped(votable, span, complaint) && put_word(votable, "\"", complaint);
}

/* ---------------------------------------------------------------- bytes ----------------------- */

static bool is_binary(const struct votable_writer *votable) {
    return votable->format != TABLE_VOTABLE;
}

/* Room at the end of the row, all zero. A place is returned for no bytes too: NULL means out of
 * memory. */
static unsigned char *add_bytes(struct votable_writer *votable, size_t size) {
    if (!votable->row || votable->row_filled + size > votable->row_size) {
        size_t wanted = 2 * (votable->row_filled + size) + 64;
        unsigned char *grown = realloc(votable->row, wanted);
        if (!grown)
            return NULL;
        votable->row = grown;
        votable->row_size = wanted;
    }
    unsigned char *bytes = votable->row + votable->row_filled;
    memset(bytes, 0, size);
    votable->row_filled += size;
    return bytes;
}

/* Starts a row with its flags. */
static bool start_row(struct votable_writer *votable) {
    size_t flags = votable->format == TABLE_VOTABLE_BINARY2 ? (votable->writer.columns + 7) / 8 : 0;
    votable->row_filled = 0;
    return add_bytes(votable, flags) != NULL;
}

static void flag_missing(struct votable_writer *votable) {
    if (votable->format == TABLE_VOTABLE_BINARY2)
        votable->row[votable->writer.at / 8] |= (unsigned char)(0x80 >> votable->writer.at % 8);
}

static bool add_number(struct votable_writer *votable, double value) {
    unsigned char *bytes = add_bytes(votable, 8);
    if (bytes)
        put_big_endian_double(bytes, value);
    if (bytes && isnan(value))
        flag_missing(votable);
    return bytes != NULL;
}

/* UTF-16 with the highest byte first, and before it how many there are of two bytes. */
static bool add_text(struct votable_writer *votable, struct span text) {
    size_t start = votable->row_filled, units = 0;
    if (!add_bytes(votable, 4 + 2 * text.length))
        return false;
    unsigned char *bytes = votable->row + start;
    for (size_t i = 0; i < text.length;) {
        size_t length = utf8_length(text.text + i, text.length - i);
        uint32_t code = utf8_code(text.text + i, length), high = 0;
        if (code >= 0x10000) {
            high = 0xd800 + ((code - 0x10000) >> 10);
            code = 0xdc00 + ((code - 0x10000) & 0x3ff);
        }
        for (int half = high ? 0 : 1; half < 2; half++) {
            uint32_t unit = half ? code : high;
            bytes[4 + 2 * units] = (unsigned char)(unit >> 8);
            bytes[5 + 2 * units++] = (unsigned char)unit;
        }
        i += length;
    }
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(units >> (24 - 8 * i));
    votable->row_filled = start + 4 + 2 * units;
    if (!units)
        flag_missing(votable);
    return true;
}

static bool put_base64(struct votable_writer *votable, const unsigned char *bytes, size_t size,
                       struct complaint *complaint) {
    char letters[LINE + 8];
    while (size) {
        size_t piece = size < LINE / 4 * 3 ? size : (size_t)(LINE / 4 * 3);
        size_t length = base64_write(&votable->base64, bytes, piece, letters);
        if (!put(votable, letters, length, complaint))
            return false;
        bytes += piece;
        size -= piece;
    }
    return true;
}

/* ---------------------------------------------------------------- cells ----------------------- */

static bool put_cell(struct votable_writer *votable, struct span text,
                     struct complaint *complaint) {
    return put_word(votable, "<TD>", complaint) && put_escaped(votable, text, complaint) &&
           put_word(votable, "</TD>", complaint);
}

static bool write_number(struct votable_writer *votable, double value,
                         struct complaint *complaint) {
    char text[NUMBER_LENGTH];
    if (is_binary(votable))
        return add_number(votable, value) || no_memory_for(votable, complaint);
    if (isnan(value))
        return put_cell(votable, (struct span){"", 0}, complaint);
    if (isinf(value))
        return put_cell(votable, (struct span){value > 0 ? "+Inf" : "-Inf", 4}, complaint);
    return put_cell(votable, (struct span){text, number_write(value, text)}, complaint);
}

static bool write_text(struct votable_writer *votable, struct span text,
                       struct complaint *complaint) {
    if (!check_text(votable, text, complaint))
        return false;
    return is_binary(votable) ? add_text(votable, text) || no_memory_for(votable, complaint)
                              : put_cell(votable, text, complaint);
}

static bool begin_cell(struct votable_writer *votable, struct complaint *complaint) {
    if (votable->writer.at)
        return true;
    return is_binary(votable) ? start_row(votable) || no_memory_for(votable, complaint)
                              : put_word(votable, "<TR>", complaint);
}

static bool votable_number(struct table_writer *writer, double value, struct complaint *complaint) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    char text[NUMBER_LENGTH];
    if (!begin_cell(votable, complaint))
        return false;
    if (!votable->is_text[writer->at])
        return write_number(votable, value, complaint);
    size_t length = isnan(value) ? 0 : number_write(value, text);
    return write_text(votable, (struct span){text, length}, complaint);
}

static bool votable_text(struct table_writer *writer, struct span text,
                         struct complaint *complaint) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    double value;
    if (!begin_cell(votable, complaint))
        return false;
    if (votable->is_text[writer->at])
        return write_text(votable, text, complaint);
    if (number_read(text.text, text.length, &value) == NUMBER_NOT)
        return complain(complaint, BAD_INPUT,
                        "%s: row %zu: column %zu: text in a column of numbers",
                        output_name(writer->output), writer->row + 1, writer->at + 1);
    return write_number(votable, value, complaint);
}

static bool votable_end(struct table_writer *writer, struct complaint *complaint) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    if (!is_binary(votable))
        return put_word(votable, "</TR>\n", complaint);
    return put_base64(votable, votable->row, votable->row_filled, complaint) &&
           put_word(votable, "\n", complaint);
}

/* ---------------------------------------------------------------- the document ---------------- */

static const char *element(const struct votable_writer *votable) {
    return votable->format == TABLE_VOTABLE          ? "TABLEDATA"
           : votable->format == TABLE_VOTABLE_BINARY ? "BINARY"
                                                     : "BINARY2";
}

static bool put_field(struct votable_writer *votable, const struct column *column,
                      struct complaint *complaint) {
    bool text = votable->is_text[votable->writer.at];
    return put_attribute(votable, "<FIELD name=\"", column->name, complaint) &&
           (!column->unit || put_attribute(votable, " unit=\"", column->unit, complaint)) &&
           put_word(votable,
                    text ? " datatype=\"unicodeChar\" arraysize=\"*\"/>\n"
                         : " datatype=\"double\"/>\n",
                    complaint);
}

static bool votable_open(struct table_writer *writer, enum table_format format,
                         struct complaint *complaint) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    votable->format = format;
    votable->text = calloc(1, BUFFER);
    votable->is_text = calloc(writer->columns + 1, sizeof *votable->is_text);
    if (!votable->text || !votable->is_text)
        return no_memory_for(votable, complaint);
    if (!put_word(votable,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n"
                  "<RESOURCE type=\"results\">\n<TABLE>\n",
                  complaint))
        return false;
    for (writer->at = 0; writer->at < writer->columns; writer->at++) {
        const struct column *column = &writer->column[writer->at];
        votable->is_text[writer->at] = column->kind == COLUMN_TEXT || column->empty;
        if (!put_field(votable, column, complaint))
            return false;
    }
    writer->at = 0;
    return put_word(votable, "<DATA>\n<", complaint) &&
           put_word(votable, element(votable), complaint) && put_word(votable, ">\n", complaint) &&
           (!is_binary(votable) || put_word(votable, "<STREAM encoding=\"base64\">\n", complaint));
}

static bool votable_finish(struct table_writer *writer, struct complaint *complaint) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    char last[4];
    size_t length = base64_finish(&votable->base64, last);
    bool good = put(votable, last, length, complaint) &&
                (!is_binary(votable) || put_word(votable, "\n</STREAM>\n", complaint)) &&
                put_word(votable, "</", complaint) &&
                put_word(votable, element(votable), complaint) &&
                put_word(votable, ">\n</DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n", complaint);
    return good && output_write(writer->output, votable->text, votable->filled, complaint);
}

static void votable_close(struct table_writer *writer) {
    struct votable_writer *votable = (struct votable_writer *)writer;
    free(votable->text);
    free(votable->is_text);
    free(votable->row);
}

const struct writer votable_writer = {votable_open,
                                      votable_number,
                                      votable_text,
                                      votable_end,
                                      votable_finish,
                                      votable_close,
                                      sizeof(struct votable_writer)};
