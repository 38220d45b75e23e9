/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A FITS file with one binary table: numbers as 64-bit floats, text as strings as wide as the
 * longest.
 *
 * The number of rows and the width of text are in the header but known only at the end. So the rows
 * are first written to a temporary file. At the end this file is read twice, once for the checksum
 * and once to write the output. The output is written once, so it may be a pipe.
 */
#define _GNU_SOURCE
#include "table/writer.h"

#include "table/big_endian.h"
#include "table/fits_header.h"
#include "text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RECORD = FITS_RECORD,
    CARD = FITS_CARD,
    BLOCK = 100 * RECORD,
    MOST_COLUMNS = 999,
    LONGEST_NAME = 68, /* that fits in a card */
};

struct field {
    char *name, *unit; /* unit: or NULL */
    bool is_text;
    size_t width; /* bytes in a row: of text, the longest so far */
};

struct fits_writer {
    struct table_writer writer;
    struct field *field;
    FILE *rows; /* the cells in order: a double, or the length of a text and the text */
};

static const char *name_of(const struct fits_writer *fits) {
    return output_name(fits->writer.output);
}

static bool no_memory_for(const struct fits_writer *fits, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: out of memory", name_of(fits));
}

static bool complain_of_rows(const struct fits_writer *fits, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: the temporary file for its rows cannot be used: %s",
                    name_of(fits), errno ? strerror(errno) : "it was changed");
}

/* ---------------------------------------------------------------- opening --------------------- */

/* Headers are ASCII; a quote takes the room of two letters. */
static bool fits_in_card(const char *text) {
    size_t length = 0;
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            return false;
        length += *text == '\'' ? 2 : 1;
    }
    return length <= LONGEST_NAME;
}

/* A temporary file that is gone when it is closed. It is beside the output, where there is room for
 * a large table, or where the system keeps such files. */
static int open_temporary(const char *directory) {
    char *path = NULL;
    if (!directory)
        directory = getenv("TMPDIR");
    if (!directory || !*directory)
        directory = "/tmp";
    if (asprintf(&path, "%s/.nimgp-XXXXXX", directory) < 0)
        return -1;
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    free(path);
    return file;
}

static bool open_rows(struct fits_writer *fits, struct complaint *complaint) {
    errno = ENOMEM;
    int file = open_temporary(output_directory(fits->writer.output));
    if (file < 0)
        return complain(complaint, errno == ENOMEM ? BROKE_DOWN : BAD_INPUT,
                        "%s: cannot create a temporary file for its rows: %s", name_of(fits),
                        strerror(errno));
    fits->rows = fdopen(file, "w+b");
    if (fits->rows)
        return true;
    close(file);
    return no_memory_for(fits, complaint);
}

static bool copy_column(struct fits_writer *fits, size_t index, struct complaint *complaint) {
    const struct column *column = &fits->writer.column[index];
    struct field *field = &fits->field[index];
    if (!fits_in_card(column->name))
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: names in FITS are up to %d ASCII characters", name_of(fits),
                        column->name, LONGEST_NAME);
    field->is_text = column->kind == COLUMN_TEXT || column->empty;
    field->width = field->is_text ? 1 : 8;
    field->name = strdup(column->name);
    if (column->unit && fits_in_card(column->unit))
        field->unit = strdup(column->unit);
    return field->name != NULL || no_memory_for(fits, complaint);
}

static bool fits_open(struct table_writer *writer, enum table_format format,
                      struct complaint *complaint) {
    (void)format;
    struct fits_writer *fits = (struct fits_writer *)writer;
    if (writer->columns > MOST_COLUMNS)
        return complain(complaint, BAD_INPUT, "%s: %zu columns; a FITS table has at most %d",
                        name_of(fits), writer->columns, MOST_COLUMNS);
    fits->field = calloc(writer->columns + 1, sizeof *fits->field);
    if (!fits->field)
        return no_memory_for(fits, complaint);
    for (size_t i = 0; i < writer->columns; i++)
        if (!copy_column(fits, i, complaint))
            return false;
    return open_rows(fits, complaint);
}

static void fits_close(struct table_writer *writer) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    for (size_t i = 0; fits->field && i < writer->columns; i++) {
        free(fits->field[i].name);
        free(fits->field[i].unit);
    }
    free(fits->field);
    if (fits->rows)
        fclose(fits->rows);
}

/* ---------------------------------------------------------------- rows to the temporary file
 * ------------- */

static bool append(struct fits_writer *fits, const void *bytes, size_t size,
                   struct complaint *complaint) {
    errno = 0;
    return fwrite(bytes, 1, size, fits->rows) == size || complain_of_rows(fits, complaint);
}

static bool append_text(struct fits_writer *fits, struct span text, struct complaint *complaint) {
    struct field *field = &fits->field[fits->writer.at];
    if (text.length > field->width)
        field->width = text.length;
    return append(fits, &text.length, sizeof text.length, complaint) &&
           append(fits, text.text, text.length, complaint);
}

static bool fits_number(struct table_writer *writer, double value, struct complaint *complaint) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    if (!fits->field[writer->at].is_text)
        return append(fits, &value, sizeof value, complaint);
    char text[NUMBER_LENGTH];
    return append_text(fits, (struct span){text, isnan(value) ? 0 : number_write(value, text)},
                       complaint);
}

static bool fits_text(struct table_writer *writer, struct span text, struct complaint *complaint) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    if (fits->field[writer->at].is_text)
        return append_text(fits, text, complaint);
    double value;
    if (number_read(text.text, text.length, &value) == NUMBER_NOT)
        return writer_complain_of_text(writer, fits->field[writer->at].name, text, complaint);
    return append(fits, &value, sizeof value, complaint);
}

static bool fits_end(struct table_writer *writer, struct complaint *complaint) {
    (void)writer;
    (void)complaint;
    return true;
}

/* ---------------------------------------------------------------- rows come out --------------- */

/* The table's bytes in FITS order, in blocks, the last one filled up with zeros. */
struct drain {
    struct fits_writer *fits;
    unsigned char *block;
    size_t filled;
    struct fits_sum sum;
    bool writes; /* else it only sums */
    struct complaint *complaint;
};

static bool drain_flush(struct drain *drain) {
    size_t whole = (drain->filled + RECORD - 1) / RECORD * RECORD;
    memset(drain->block + drain->filled, 0, whole - drain->filled);
    fits_sum_add(&drain->sum, drain->block, whole);
    drain->filled = 0;
    return !drain->writes ||
           output_write(drain->fits->writer.output, drain->block, whole, drain->complaint);
}

/* `size` bytes from the waiting rows, or as many zeros when there is no file. */
static bool drain_bytes(struct drain *drain, FILE *from, size_t size) {
    while (size) {
        size_t room = BLOCK - drain->filled, piece = size < room ? size : room;
        if (!from)
            memset(drain->block + drain->filled, 0, piece);
        else if (fread(drain->block + drain->filled, 1, piece, from) != piece)
            return complain_of_rows(drain->fits, drain->complaint);
        drain->filled += piece;
        size -= piece;
        if (drain->filled == BLOCK && !drain_flush(drain))
            return false;
    }
    return true;
}

static bool drain_number(struct drain *drain) {
    unsigned char bytes[8];
    double value;
    if (fread(&value, sizeof value, 1, drain->fits->rows) != 1)
        return complain_of_rows(drain->fits, drain->complaint);
    if (BLOCK - drain->filled > sizeof bytes) {
        put_big_endian_double(drain->block + drain->filled, value);
        drain->filled += sizeof bytes;
        return true;
    }
    put_big_endian_double(bytes, value);
    for (size_t i = 0; i < sizeof bytes; i++) { /* a block may end within a number */
        drain->block[drain->filled++] = bytes[i];
        if (drain->filled == BLOCK && !drain_flush(drain))
            return false;
    }
    return true;
}

static bool drain_cell(struct drain *drain, const struct field *field) {
    size_t length;
    if (!field->is_text)
        return drain_number(drain);
    if (fread(&length, sizeof length, 1, drain->fits->rows) != 1 || length > field->width)
        return complain_of_rows(drain->fits, drain->complaint);
    return drain_bytes(drain, drain->fits->rows, length) &&
           drain_bytes(drain, NULL, field->width - length);
}

static bool drain_rows(struct drain *drain) {
    const struct table_writer *writer = &drain->fits->writer;
    errno = 0;
    if (fflush(drain->fits->rows) != 0 || fseek(drain->fits->rows, 0, SEEK_SET) != 0)
        return complain_of_rows(drain->fits, drain->complaint);
    for (size_t row = 0; row < writer->row; row++)
        for (size_t i = 0; i < writer->columns; i++)
            if (!drain_cell(drain, &drain->fits->field[i]))
                return false;
    return !drain->filled || drain_flush(drain);
}

/* ---------------------------------------------------------------- headers --------------------- */

/* Cards, 80 bytes each and blank where nothing is written. */
struct header {
    char *text;
    size_t cards;
};

/* The next card, "KEY     = ". */
static char *add_card(struct header *header, const char *key) {
    char *card = header->text + CARD * header->cards++;
    memcpy(card, key, strlen(key));
    memcpy(card + 8, "= ", 2);
    return card;
}

/* Integers end in column 30. */
static void add_integer(struct header *header, const char *key, size_t value) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%zu", value);
    memcpy(add_card(header, key) + 30 - length, digits, (size_t)length);
}

static void add_true(struct header *header, const char *key) {
    add_card(header, key)[29] = 'T';
}

/* Strings are at least eight letters wide, and quotes in them doubled. Fits, by fits_in_card. */
static void add_string(struct header *header, const char *key, const char *value) {
    char *p = add_card(header, key) + 10, *least = p + 9;
    *p++ = '\'';
    for (; *value; value++) {
        if (*value == '\'')
            *p++ = '\'';
        *p++ = *value;
    }
    *(p < least ? least : p) = '\'';
}

static void add_field(struct header *header, const struct field *field, size_t number) {
    char key[32], format[32];
    snprintf(key, sizeof key, "TTYPE%zu", number);
    if (*field->name)
        add_string(header, key, field->name);
    snprintf(key, sizeof key, "TFORM%zu", number);
    snprintf(format, sizeof format, field->is_text ? "%zuA" : "1D", field->width);
    add_string(header, key, format);
    snprintf(key, sizeof key, "TUNIT%zu", number);
    if (field->unit)
        add_string(header, key, field->unit);
}

/* Writes "END" and gives the size, a multiple of RECORD. */
static size_t end_header(struct header *header) {
    memcpy(header->text + CARD * header->cards++, "END", 3);
    return (CARD * header->cards + RECORD - 1) / RECORD * RECORD;
}

/* The primary part, which is empty but must be there, and the table's header behind it. `sum` is
 * that of the table's data; the check sum of all of the table is to be all ones. */
static size_t make_headers(const struct fits_writer *fits, struct fits_sum sum, char *text) {
    struct header primary = {.text = text}, table = {.text = text + RECORD};
    char digits[32];
    size_t width = 0;
    add_true(&primary, "SIMPLE");
    add_integer(&primary, "BITPIX", 8);
    add_integer(&primary, "NAXIS", 0);
    add_true(&primary, "EXTEND");
    end_header(&primary);
    for (size_t i = 0; i < fits->writer.columns; i++)
        width += fits->field[i].width;
    add_string(&table, "XTENSION", "BINTABLE");
    add_integer(&table, "BITPIX", 8);
    add_integer(&table, "NAXIS", 2);
    add_integer(&table, "NAXIS1", width);
    add_integer(&table, "NAXIS2", fits->writer.row);
    add_integer(&table, "PCOUNT", 0);
    add_integer(&table, "GCOUNT", 1);
    add_integer(&table, "TFIELDS", fits->writer.columns);
    for (size_t i = 0; i < fits->writer.columns; i++)
        add_field(&table, &fits->field[i], i + 1);
    char *card = table.text + CARD * table.cards;
    add_string(&table, "CHECKSUM", "0000000000000000");
    snprintf(digits, sizeof digits, "%" PRIu32, fits_sum_value(&sum));
    add_string(&table, "DATASUM", digits);
    size_t size = end_header(&table);
    fits_sum_add(&sum, table.text, size);
    fits_encode_sum(fits_sum_value(&sum), card + 11);
    return RECORD + size;
}

static bool write_headers(const struct fits_writer *fits, struct fits_sum sum,
                          struct complaint *complaint) {
    size_t most = RECORD + (CARD * (3 * fits->writer.columns + 16) / RECORD + 1) * RECORD;
    char *text = malloc(most);
    if (!text)
        return no_memory_for(fits, complaint);
    memset(text, ' ', most);
    size_t size = make_headers(fits, sum, text);
    bool good = output_write(fits->writer.output, text, size, complaint);
    free(text);
    return good;
}

static bool fits_finish(struct table_writer *writer, struct complaint *complaint) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    struct drain drain = {.fits = fits, .block = malloc(BLOCK), .complaint = complaint};
    bool good = (drain.block != NULL || no_memory_for(fits, complaint)) && drain_rows(&drain) &&
                write_headers(fits, drain.sum, complaint);
    drain.writes = true;
    good = good && drain_rows(&drain);
    free(drain.block);
    return good;
}

const struct writer fits_writer = {fits_open,
                                   fits_number,
                                   fits_text,
                                   fits_end,
                                   fits_finish,
                                   fits_close,
                                   sizeof(struct fits_writer)};
