/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FITS tables, binary and ASCII. cfitsio knows the structure of the file and its headers; the cells
 * are decoded here from blocks of whole rows, so that the file is read once however many columns
 * are used.
 *
 * Columns of numbers and logicals (as 1 and 0) are numbers, strings are text without the blanks or
 * NULs they are filled up with. A column of k elements a row becomes name_1 .. name_k (or name_1_1,
 * ... for a matrix) as long as k <= MOST_ELEMENTS. Left out are longer ones, bits, complex numbers
 * and arrays of variable length. 64-bit integers beyond 2^53 in the first rows make their column
 * text, since they are names and a double would change them.
 *
 * What is gzipped or comes through a pipe is copied to a temporary file first.
 */
#define _POSIX_C_SOURCE 200809L
#include "reader.h"

#include "big_endian.h"
#include "fits_error.h"
#include "number.h"
#include "spool.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fitsio.h>

enum {
    BLOCK = 1 << 20, /* bytes read at a time, more when a row is longer */
    MOST_ELEMENTS = 64,
    MOST_DIMENSIONS = 4,
    MOST_FIELDS = 999, /* of a FITS table */
};

/* Where and how the cells of one of our columns lie in a row. */
struct cell {
    char type; /* of binary tables: LBIJKEDA; of ASCII tables: 'a' text, 'n' number */
    size_t offset, width;
    double scale, zero; /* value = zero + scale * stored */
    bool has_null;
    int64_t null;          /* binary: the stored integer that stands for nothing */
    const char *null_text; /* ASCII: likewise; or NULL */
    int decimals;          /* ASCII: digits behind a point that is not written */
};

struct fits {
    struct table table;
    fitsfile *file;
    struct cell *cell; /* one a column of the table */
    size_t all_rows, row_bytes, block;
    unsigned char *bytes; /* of the rows at hand */
};

/* ---------------------------------------------------------------- cells ----------------------- */

static int64_t integer(const struct cell *cell, const unsigned char *bytes) {
    uint64_t bits = big_endian(bytes, cell->width);
    switch (cell->type) {
    case 'I':
        return (int16_t)bits;
    case 'J':
        return (int32_t)bits;
    case 'K':
        return (int64_t)bits;
    }
    return (int64_t)bits; /* B has no sign */
}

static bool is_scaled(const struct cell *cell) {
    return cell->scale != 1 || cell->zero != 0;
}

static struct span string(const struct cell *cell, const unsigned char *bytes) {
    const unsigned char *nul = memchr(bytes, 0, cell->width);
    struct span span = {(const char *)bytes, nul ? (size_t)(nul - bytes) : cell->width};
    return span_trim(span);
}

/* A field of an ASCII table; false when it is no number. Fortran may write 1.5D+03. */
static bool ascii_number(const struct cell *cell, const unsigned char *bytes, double *value) {
    char text[64];
    struct span span = string(cell, bytes);
    *value = NAN;
    if (!span.length || (cell->null_text && strlen(cell->null_text) == span.length &&
                         memcmp(cell->null_text, span.text, span.length) == 0))
        return true;
    if (span.length > sizeof text)
        return false;
    for (size_t i = 0; i < span.length; i++)
        text[i] = span.text[i] == 'D' || span.text[i] == 'd' ? 'e' : span.text[i];
    if (number_read(text, span.length, value) == NUMBER_NOT)
        return false;
    if (cell->decimals && !memchr(text, '.', span.length))
        *value /= pow(10, cell->decimals);
    return true;
}

/* The value of a cell; false when it is text that is no number. */
static bool decode(const struct cell *cell, const unsigned char *row, double *value) {
    const unsigned char *bytes = row + cell->offset;
    switch (cell->type) {
    case 'L':
        *value = *bytes == 'T' ? 1 : *bytes == 'F' ? 0 : NAN;
        return true;
    case 'B':
    case 'I':
    case 'J':
    case 'K': {
        int64_t stored = integer(cell, bytes);
        *value = cell->has_null && stored == cell->null ? NAN : (double)stored;
        break;
    }
    case 'E':
        *value = big_endian_float(bytes);
        break;
    case 'D':
        *value = big_endian_double(bytes);
        break;
    case 'n':
        if (!ascii_number(cell, bytes, value))
            return false;
        break;
    default: {
        struct span span = string(cell, bytes);
        return number_read(span.text, span.length, value) != NUMBER_NOT;
    }
    }
    if (is_scaled(cell))
        *value = cell->zero + cell->scale * *value;
    return true;
}

/* A 64-bit integer in full: its digits, where they are not more than a double holds. The convention
 * for unsigned ones is a zero of 2^63. */
static bool whole_number(const struct cell *cell, const unsigned char *row, char *text, size_t size,
                         size_t *length) {
    if (cell->type != 'K' || cell->scale != 1 || (cell->zero != 0 && cell->zero != 0x1p63))
        return false;
    int64_t stored = integer(cell, row + cell->offset);
    if (cell->has_null && stored == cell->null)
        return false;
    *length = (size_t)(cell->zero != 0 ? snprintf(text, size, "%" PRIu64,
                                                  (uint64_t)stored + ((uint64_t)1 << 63))
                                       : snprintf(text, size, "%" PRId64, stored));
    return true;
}

/* ---------------------------------------------------------------- the file -------------------- */

/* Moves to the HDU asked for, "2" or "LAT_Point_Source_Catalog"; without a wish to the first table.
 */
static bool select_hdu(struct fits *fits, const char *part, struct complaint *complaint) {
    int status = 0, count = 0, type = IMAGE_HDU;
    const char *path = fits->table.path;
    if (part && *part && part[strspn(part, "0123456789")] == '\0') {
        long number = strlen(part) < 6 ? strtol(part, NULL, 10) : 99999;
        fits_movabs_hdu(fits->file, (int)number + 1, &type, &status);
    } else if (part) {
        fits_movnam_hdu(fits->file, ANY_HDU, (char *)(uintptr_t)part, 0, &status);
        fits_get_hdu_type(fits->file, &type, &status);
    } else {
        while (type == IMAGE_HDU && status == 0)
            fits_movabs_hdu(fits->file, ++count, &type, &status);
    }
    if (status == END_OF_FILE || status == BAD_HDU_NUM) {
        fits_clear_errmsg();
        return complain(complaint, EXIT_BAD_INPUT, "%s: there is no %s in this FITS file", path,
                        part ? "such part" : "table");
    }
    if (status)
        return complain_of_fits(complaint, path, status);
    if (type == IMAGE_HDU)
        return complain(complaint, EXIT_BAD_INPUT,
                        "%s: this part of the file is an image, not a table", path);
    return true;
}

/* That the rows are all there, and are what was written where the file says what that was. */
static bool check_whole(struct fits *fits, const char *path, struct complaint *complaint) {
    LONGLONG head, data, end, rows, width;
    int status = 0, data_good = 0, all_good = 0, packed = 0;
    struct stat state;
    if (stat(path, &state) != 0)
        return complain(complaint, EXIT_BAD_INPUT, "%s: has vanished", fits->table.path);
    fits_get_hduaddrll(fits->file, &head, &data, &end, &status);
    fits_get_num_rowsll(fits->file, &rows, &status);
    fits_read_key(fits->file, TLONGLONG, "NAXIS1", &width, NULL, &status);
    if (status)
        return complain_of_fits(complaint, fits->table.path, status);
    if (rows < 0 || width < 0 || data < 0 || data > state.st_size ||
        (width && rows > (state.st_size - data) / width))
        return complain(complaint, EXIT_BAD_INPUT,
                        "%s: the file is truncated: its table needs %lld rows of %lld bytes",
                        fits->table.path, (long long)rows, (long long)width);
    fits->all_rows = (size_t)rows;
    fits->row_bytes = (size_t)width;
    if (fits_read_key(fits->file, TLOGICAL, "ZTABLE", &packed, NULL, &status) == 0 && packed)
        return complain(complaint, EXIT_BAD_INPUT, "%s: the table is compressed; unpack it first",
                        fits->table.path);
    status = 0;
    if (fits_verify_chksum(fits->file, &data_good, &all_good, &status) != 0)
        return complain_of_fits(complaint, fits->table.path, status);
    fits_clear_errmsg();
    if (data_good < 0 || all_good < 0)
        return complain(complaint, EXIT_BAD_INPUT,
                        "%s: the table is damaged: its check sum (%s) does not fit",
                        fits->table.path, data_good < 0 ? "DATASUM" : "CHECKSUM");
    return true;
}

static bool open_file(struct fits *fits, struct source *source, const struct opening *opening,
                      struct complaint *complaint) {
    char *spooled = NULL;
    int status = 0;
    if (!source_is_plain_file(source) && !spool_source(source, &spooled, complaint))
        return false;
    const char *path = spooled ? spooled : opening->path;
    bool good = fits_open_diskfile(&fits->file, path, READONLY, &status) == 0 ||
                complain_of_fits(complaint, fits->table.path, status);
    good = good && select_hdu(fits, opening->part, complaint) && check_whole(fits, path, complaint);
    if (spooled)
        unlink(spooled);
    free(spooled);
    return good;
}

/* ---------------------------------------------------------------- columns --------------------- */

/* A column of the file: one, several or none of ours. */
struct field {
    char name[FLEN_VALUE], unit[FLEN_VALUE];
    size_t elements;
    int dimensions; /* of its elements, the fastest first */
    long dimension[MOST_DIMENSIONS];
    struct cell cell; /* the first */
};

static size_t bytes_of(char type) {
    switch (type) {
    case 'L':
    case 'B':
    case 'A':
        return 1;
    case 'I':
        return 2;
    case 'J':
    case 'E':
        return 4;
    case 'K':
    case 'D':
    case 'C':
    case 'P':
        return 8;
    case 'M':
    case 'Q':
        return 16;
    }
    return 0;
}

/* TFORMn, "14E": how many of what. False when it cannot be. */
static bool read_format(const struct fits *fits, int number, size_t *repeat, char *type) {
    char key[FLEN_KEYWORD], format[FLEN_VALUE] = "";
    int status = 0;
    fits_make_keyn("TFORM", number, key, &status);
    if (fits_read_key(fits->file, TSTRING, key, format, NULL, &status) != 0)
        return false;
    const char *p = format + strspn(format, " ");
    *repeat = isdigit((unsigned char)*p) ? 0 : 1;
    for (; isdigit((unsigned char)*p); p++)
        if (*repeat <= 8 * fits->row_bytes)
            *repeat = *repeat * 10 + (size_t)(*p - '0');
    *type = (char)toupper((unsigned char)*p);
    return *repeat <= 8 * fits->row_bytes && (*type == 'X' || bytes_of(*type));
}

/* TNULLn, which integers may have. */
static void read_null(const struct fits *fits, int number, struct cell *cell) {
    char key[FLEN_KEYWORD];
    int status = 0;
    LONGLONG null = 0;
    if (!strchr("BIJK", cell->type))
        return;
    fits_make_keyn("TNULL", number, key, &status);
    cell->has_null = fits_read_key(fits->file, TLONGLONG, key, &null, NULL, &status) == 0;
    cell->null = null;
    fits_clear_errmsg();
}

/* TDIMn, "(2,7)". One dimension where there is none that makes sense. */
static void read_dimensions(const struct fits *fits, int number, struct field *field) {
    int status = 0;
    fits_read_tdim(fits->file, number, MOST_DIMENSIONS, &field->dimensions, field->dimension,
                   &status);
    size_t product = 1;
    for (int i = 0; !status && i < field->dimensions && i < MOST_DIMENSIONS; i++)
        product *= field->dimension[i] > 0 && field->dimension[i] <= MOST_ELEMENTS
                       ? (size_t)field->dimension[i]
                       : 0;
    fits_clear_errmsg();
    if (!status && product == field->elements && field->dimensions <= MOST_DIMENSIONS)
        return;
    field->dimensions = 1;
    field->dimension[0] = (long)field->elements;
}

/* Leaves `elements` at 0 where the field is of no use to us. */
static bool describe_binary(struct fits *fits, int number, size_t *offset, struct field *field,
                            struct complaint *complaint) {
    int status = 0;
    struct cell *cell = &field->cell;
    fits_get_bcolparmsll(fits->file, number, field->name, field->unit, NULL, NULL, &cell->scale,
                         &cell->zero, NULL, NULL, &status);
    if (status)
        return complain_of_fits(complaint, fits->table.path, status);
    size_t repeat = 0, left = fits->row_bytes - *offset;
    bool good = read_format(fits, number, &repeat, &cell->type);
    size_t bytes = cell->type == 'X' ? (repeat + 7) / 8 : repeat * bytes_of(cell->type);
    if (!good || bytes > left)
        return complain(complaint, EXIT_BAD_INPUT,
                        "%s: column %s: its format does not fit in a row", fits->table.path,
                        field->name);
    cell->offset = *offset;
    cell->width = cell->type == 'A' ? bytes : bytes_of(cell->type);
    *offset += bytes;
    read_null(fits, number, cell);
    if (cell->type == 'A')
        field->elements = bytes > 0;
    else if (strchr("LBIJKED", cell->type) && repeat <= MOST_ELEMENTS)
        field->elements = repeat;
    if (field->elements > 1)
        read_dimensions(fits, number, field);
    return true;
}

static bool describe_ascii(struct fits *fits, int number, struct field *field,
                           struct complaint *complaint) {
    char format[FLEN_VALUE] = "", null[FLEN_VALUE] = "";
    long start = 0, width = 0;
    int status = 0, type = 0, decimals = 0;
    struct cell *cell = &field->cell;
    fits_get_acolparms(fits->file, number, field->name, &start, field->unit, format, &cell->scale,
                       &cell->zero, null, NULL, &status);
    if (!status)
        fits_ascii_tform(format, &type, &width, &decimals, &status);
    if (status)
        return complain_of_fits(complaint, fits->table.path, status);
    if (start < 1 || width < 1 || (size_t)start - 1 > fits->row_bytes ||
        (size_t)width > fits->row_bytes - ((size_t)start - 1))
        return complain(complaint, EXIT_BAD_INPUT,
                        "%s: column %s: its format does not fit in a row", fits->table.path,
                        field->name);
    struct span trimmed = span_trim((struct span){null, strlen(null)});
    cell->type = type == TSTRING ? 'a' : 'n';
    cell->offset = (size_t)start - 1;
    cell->width = (size_t)width;
    cell->decimals = decimals > 0 && decimals < 300 ? decimals : 0;
    if (trimmed.length) {
        cell->null_text = texts_copy(&fits->table.names, trimmed.text, trimmed.length);
        if (!cell->null_text)
            return table_complain_of_memory(&fits->table, complaint);
    }
    field->elements = 1;
    return true;
}

/* "Flux_3"; of two dimensions "Unc_Flux_3_1", the slowest first. Counted from 1. */
static void name_element(const struct field *field, size_t element, char *name, size_t size) {
    struct span trimmed = span_trim((struct span){field->name, strlen(field->name)});
    int length = snprintf(name, size, "%.*s", (int)trimmed.length, trimmed.text);
    size_t stride = field->elements;
    for (int i = field->dimensions - 1; i >= 0 && field->elements > 1; i--) {
        stride /= (size_t)field->dimension[i];
        length += snprintf(name + length, size - (size_t)length, "_%zu", element / stride + 1);
        element %= stride;
    }
}

static bool add_column(struct fits *fits, const struct field *field, size_t element,
                       struct complaint *complaint) {
    struct table *table = &fits->table;
    char name[FLEN_VALUE + 4 * MOST_DIMENSIONS];
    struct span unit = span_trim((struct span){field->unit, strlen(field->unit)});
    name_element(field, element, name, sizeof name);
    struct cell *cell = &fits->cell[table->columns];
    struct column *column = &table->column[table->columns++];
    *cell = field->cell;
    cell->offset += element * cell->width;
    column->name = texts_copy(&table->names, name, strlen(name));
    column->unit = unit.length ? texts_copy(&table->names, unit.text, unit.length) : NULL;
    if (!column->name || (unit.length && !column->unit))
        return table_complain_of_memory(table, complaint);
    if (cell->type == 'A' || cell->type == 'a') {
        column->kind = COLUMN_TEXT;
        column->width = cell->width;
    }
    return true;
}

static bool make_columns(struct fits *fits, struct complaint *complaint) {
    int fields = 0, type = 0, status = 0;
    size_t offset = 0;
    if (fits_get_num_cols(fits->file, &fields, &status) != 0 ||
        fits_get_hdu_type(fits->file, &type, &status) != 0)
        return complain_of_fits(complaint, fits->table.path, status);
    if (fields < 0 || fields > MOST_FIELDS)
        return complain(complaint, EXIT_BAD_INPUT, "%s: %d columns; FITS tables have at most %d",
                        fits->table.path, fields, MOST_FIELDS);
    size_t most = (size_t)fields * MOST_ELEMENTS;
    fits->cell = calloc(most + 1, sizeof *fits->cell);
    if (!fits->cell || !table_make_columns(&fits->table, most, complaint))
        return table_complain_of_memory(&fits->table, complaint);
    fits->table.columns = 0; /* only as many as turn out to be there */
    for (int i = 1; i <= fields; i++) {
        struct field field = {.elements = 0};
        if (type == ASCII_TBL ? !describe_ascii(fits, i, &field, complaint)
                              : !describe_binary(fits, i, &offset, &field, complaint))
            return false;
        for (size_t k = 0; k < field.elements; k++)
            if (!add_column(fits, &field, k, complaint))
                return false;
    }
    if (!fits->table.columns)
        return complain(complaint, EXIT_BAD_INPUT, "%s: there is no column of numbers or text",
                        fits->table.path);
    return true;
}

/* ---------------------------------------------------------------- rows ------------------------ */

static bool read_block(struct fits *fits, size_t first, size_t rows, struct complaint *complaint) {
    int status = 0;
    if (fits_read_tblbytes(fits->file, (LONGLONG)first + 1, 1, (LONGLONG)(rows * fits->row_bytes),
                           fits->bytes, &status) == 0)
        return true;
    return complain_of_fits(complaint, fits->table.path, status);
}

/* Columns of names in 64 bits, by the first rows. */
static bool judge_kinds(struct fits *fits, struct complaint *complaint) {
    size_t rows = fits->all_rows < fits->block ? fits->all_rows : fits->block;
    if (rows && !read_block(fits, 0, rows, complaint))
        return false;
    for (size_t i = 0; i < fits->table.columns; i++)
        for (size_t row = 0; row < rows; row++) {
            char text[NUMBER_LENGTH];
            size_t length;
            if (!whole_number(&fits->cell[i], fits->bytes + row * fits->row_bytes, text,
                              sizeof text, &length))
                continue;
            if (!number_is_name(text, length))
                continue;
            fits->table.column[i].kind = COLUMN_TEXT;
            fits->table.column[i].width = 20;
            break;
        }
    return true;
}

static bool make_block(struct fits *fits, struct complaint *complaint) {
    size_t width = fits->row_bytes ? fits->row_bytes : 1;
    fits->block = width < BLOCK ? BLOCK / width : 1;
    fits->bytes = malloc(fits->block * width);
    return fits->bytes != NULL || table_complain_of_memory(&fits->table, complaint);
}

static struct fits *create(struct source *source, const struct opening *opening,
                           struct complaint *complaint) {
    char name[1100];
    const char *part = opening->part;
    snprintf(name, sizeof name, "%s%s%s%s", source_name(source), part ? "[" : "", part ? part : "",
             part ? "]" : "");
    return table_create(sizeof(struct fits), &fits_reader, name, complaint);
}

static struct table *fits_open(struct source *source, const struct opening *opening,
                               struct complaint *complaint) {
    struct fits *fits = create(source, opening, complaint);
    bool good = fits && open_file(fits, source, opening, complaint) &&
                make_columns(fits, complaint) && make_block(fits, complaint) &&
                judge_kinds(fits, complaint);
    source_close(source);
    if (!good && fits)
        table_close(&fits->table);
    return good ? &fits->table : NULL;
}

static void fits_close(struct table *table) {
    struct fits *fits = (struct fits *)table;
    int status = 0;
    if (fits->file)
        fits_close_file(fits->file, &status);
    fits_clear_errmsg();
    free(fits->cell);
    free(fits->bytes);
}

static bool fits_next(struct table *table, size_t most, struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    size_t rows = fits->all_rows - table->before;
    rows = rows < most ? rows : most;
    rows = rows < fits->block ? rows : fits->block;
    table->rows = rows;
    return !rows || read_block(fits, table->before, rows, complaint);
}

static bool fits_numbers(struct table *table, size_t column, double *out, size_t stride,
                         struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    const struct cell *cell = &fits->cell[column];
    for (size_t row = 0; row < table->rows; row++) {
        const unsigned char *bytes = fits->bytes + row * fits->row_bytes;
        if (!decode(cell, bytes, out + row * stride))
            return table_complain_of_text(table, row, column, string(cell, bytes + cell->offset),
                                          complaint);
    }
    return true;
}

static bool fits_text(struct table *table, size_t row, size_t column, struct span *span,
                      struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    const struct cell *cell = &fits->cell[column];
    const unsigned char *bytes = fits->bytes + row * fits->row_bytes;
    if (cell->type == 'A' || cell->type == 'a') {
        *span = string(cell, bytes + cell->offset);
        return true;
    }
    char *text = texts_take(&table->cells, NUMBER_LENGTH);
    if (!text)
        return table_complain_of_memory(table, complaint);
    *span = (struct span){text, 0};
    double value;
    if (whole_number(cell, bytes, text, NUMBER_LENGTH, &span->length))
        return true;
    if (!decode(cell, bytes, &value))
        return table_complain_of_text(table, row, column, string(cell, bytes + cell->offset),
                                      complaint);
    span->length = isnan(value) ? 0 : number_write(value, text);
    return true;
}

const struct reader fits_reader = {fits_open,    fits_close, fits_next,
                                   fits_numbers, fits_text,  table_place_row};
