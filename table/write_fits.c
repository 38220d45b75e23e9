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

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RECORD = FITS_RECORD,
    CARD = FITS_CARD,
    MOST_COLUMNS = 999,
    LONGEST_NAME = 68, /* that fits in a card */
};

struct fits_writer {
    struct table_writer writer;
    size_t *width; /* of the columns, bytes in a row: of text, the longest so far */
    FILE *rows;    /* the cells in order: a double, or the length of a text and the text */
};

static bool is_text(const struct fits_writer *fits, size_t column) {
    return fits->writer.column[column].kind == COLUMN_TEXT;
}

static bool fail_on_rows(const struct fits_writer *fits) {
    output_fail(fits->writer.output, "the temporary file for its rows cannot be used: %s",
                errno ? strerror(errno) : "it was changed");
    return false;
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

static void open_rows(struct fits_writer *fits) {
    struct output *output = fits->writer.output;
    errno = ENOMEM;
    int file = open_temporary(output_directory(output));
    fits->rows = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (fits->rows)
        return;
    if (errno == ENOMEM)
        output_no_memory(output);
    else
        output_fail(output, "cannot create a temporary file for its rows: %s", strerror(errno));
    if (file >= 0)
        close(file);
}

static void fits_open(struct table_writer *writer) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    if (writer->columns > MOST_COLUMNS) {
        output_fail(writer->output, "%zu columns; a FITS table has at most %d", writer->columns,
                    MOST_COLUMNS);
        return;
    }
    fits->width = calloc(writer->columns + 1, sizeof *fits->width);
    if (!fits->width) {
        output_no_memory(writer->output);
        return;
    }
    for (size_t i = 0; i < writer->columns; i++) {
        fits->width[i] = is_text(fits, i) ? 1 : 8 * writer_each(writer, i);
        if (!fits_in_card(writer->column[i].name))
            output_fail(writer->output, "column %s: names in FITS are up to %d ASCII characters",
                        writer->column[i].name, LONGEST_NAME);
    }
    open_rows(fits);
}

static void fits_close(struct table_writer *writer) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    free(fits->width);
    if (fits->rows)
        fclose(fits->rows);
}

/* ---------------------------------------------------------------- rows ------------------------ */

static void append(struct fits_writer *fits, const void *bytes, size_t size) {
    errno = 0;
    if (fwrite(bytes, 1, size, fits->rows) != size)
        fail_on_rows(fits);
}

static void fits_number(struct table_writer *writer, double value) {
    append((struct fits_writer *)writer, &value, sizeof value);
}

static void fits_text(struct table_writer *writer, struct span text) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    if (text.length > fits->width[writer->at])
        fits->width[writer->at] = text.length;
    append(fits, &text.length, sizeof text.length);
    append(fits, text.text, text.length);
}

/* The next cell of the temporary file as FITS has it. */
static bool take_cell(struct fits_writer *fits, size_t column, unsigned char *out) {
    size_t length, width = fits->width[column];
    double value;
    if (!is_text(fits, column)) {
        for (size_t i = 0; i < width; i += 8) {
            if (fread(&value, sizeof value, 1, fits->rows) != 1)
                return fail_on_rows(fits);
            put_big_endian_double(out + i, value);
        }
        return true;
    }
    if (fread(&length, sizeof length, 1, fits->rows) != 1 || length > width ||
        fread(out, 1, length, fits->rows) != length)
        return fail_on_rows(fits);
    memset(out + length, 0, width - length);
    return true;
}

/* All rows from the temporary file, into the sum, or to the output if it is NULL. */
static bool take_rows(struct fits_writer *fits, unsigned char *row, struct fits_sum *sum) {
    const struct table_writer *writer = &fits->writer;
    struct complaint ignored;
    errno = 0;
    if (fflush(fits->rows) != 0 || fseek(fits->rows, 0, SEEK_SET) != 0)
        return fail_on_rows(fits);
    for (size_t i = 0; i < writer->row && !output_failed(writer->output, &ignored); i++) {
        size_t used = 0;
        for (size_t k = 0; k < writer->columns; used += fits->width[k++])
            if (!take_cell(fits, k, row + used))
                return false;
        if (sum)
            fits_sum_add(sum, row, used);
        else
            output_write(writer->output, row, used);
    }
    return true;
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

static void add_field(struct header *header, const struct fits_writer *fits, size_t index) {
    const struct column *column = &fits->writer.column[index];
    char key[32], format[32];
    snprintf(key, sizeof key, "TTYPE%zu", index + 1);
    if (*column->name)
        add_string(header, key, column->name);
    snprintf(key, sizeof key, "TFORM%zu", index + 1);
    bool text = is_text(fits, index);
    snprintf(format, sizeof format, text ? "%zuA" : "%zuD", fits->width[index] / (text ? 1 : 8));
    add_string(header, key, format);
    snprintf(key, sizeof key, "TCOMM%zu", index + 1);
    if (column->note && fits_in_card(column->note))
        add_string(header, key, column->note);
    snprintf(key, sizeof key, "TUNIT%zu", index + 1);
    if (column->unit && fits_in_card(column->unit))
        add_string(header, key, column->unit);
}

/* Writes "END" and gives the size, a multiple of RECORD. */
static size_t end_header(struct header *header) {
    memcpy(header->text + CARD * header->cards++, "END", 3);
    return (CARD * header->cards + RECORD - 1) / RECORD * RECORD;
}

/* The primary part, which is empty but must be there, and the table's header behind it. `sum` is
 * that of the table's data; the check sum of all of the table is to be all ones. */
static size_t make_headers(const struct fits_writer *fits, size_t width, struct fits_sum sum,
                           char *text) {
    struct header primary = {.text = text}, table = {.text = text + RECORD};
    char digits[32];
    add_true(&primary, "SIMPLE");
    add_integer(&primary, "BITPIX", 8);
    add_integer(&primary, "NAXIS", 0);
    add_true(&primary, "EXTEND");
    end_header(&primary);
    add_string(&table, "XTENSION", "BINTABLE");
    add_integer(&table, "BITPIX", 8);
    add_integer(&table, "NAXIS", 2);
    add_integer(&table, "NAXIS1", width);
    add_integer(&table, "NAXIS2", fits->writer.row);
    add_integer(&table, "PCOUNT", 0);
    add_integer(&table, "GCOUNT", 1);
    add_integer(&table, "TFIELDS", fits->writer.columns);
    for (size_t i = 0; i < fits->writer.columns; i++)
        add_field(&table, fits, i);
    char *card = table.text + CARD * table.cards;
    add_string(&table, "CHECKSUM", "0000000000000000");
    snprintf(digits, sizeof digits, "%" PRIu32, fits_sum_value(&sum));
    add_string(&table, "DATASUM", digits);
    size_t size = end_header(&table);
    fits_sum_add(&sum, table.text, size);
    fits_encode_sum(fits_sum_value(&sum), card + 11);
    return RECORD + size;
}

static void fits_finish(struct table_writer *writer) {
    struct fits_writer *fits = (struct fits_writer *)writer;
    static const char zeros[RECORD];
    struct fits_sum sum = {0};
    size_t most = RECORD + (CARD * (4 * writer->columns + 16) / RECORD + 1) * RECORD, width = 0;
    for (size_t i = 0; i < writer->columns; i++)
        width += fits->width[i];
    size_t fill = (RECORD - width * writer->row % RECORD) % RECORD;
    unsigned char *row = malloc(width + 1);
    char *headers = malloc(most);
    if (!row || !headers) {
        output_no_memory(writer->output);
    } else if (take_rows(fits, row, &sum)) {
        fits_sum_add(&sum, zeros, fill);
        memset(headers, ' ', most);
        output_write(writer->output, headers, make_headers(fits, width, sum, headers));
        take_rows(fits, row, NULL);
        output_write(writer->output, zeros, fill);
    }
    free(row);
    free(headers);
}

const struct writer fits_writer = {.size = sizeof(struct fits_writer),
                                   .vectors = true,
                                   .open = fits_open,
                                   .number = fits_number,
                                   .text = fits_text,
                                   .finish = fits_finish,
                                   .close = fits_close};
