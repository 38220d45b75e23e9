/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FITS tables, binary and ASCII (FITS standard 4.0, section 7), read from front to back.
 *
 * Columns of numbers and logicals (as 1 and 0) are numbers; strings are text without padding blanks
 * or NULs. A column of k elements per row becomes name_1 .. name_k (or name_1_1, ... for a matrix)
 * if k <= MOST_ELEMENTS. Longer columns, bits, complex numbers and arrays of variable length are
 * left out. If the first rows have 64-bit integers above 2^53, the column is text, because such
 * numbers are identifiers and a double would change them.
 *
 * Checksums, if the file has them, are verified when all rows have been read; the last call then
 * fails.
 */
#include "table/buffer_size.h"
#include "table/reader.h"

#include "table/big_endian.h"
#include "table/fits_header.h"
#include "text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BLOCK = BUFFER_SIZE(1 << 20), /* bytes read at a time, more when a row is longer */
    LONGEST_ROW = 64 << 20,       /* and the most a row may have */
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
    int64_t null;          /* binary: the stored integer of a missing cell */
    const char *null_text; /* ASCII: likewise; or NULL */
    int decimals;          /* ASCII: digits behind a point that is not written */
};

struct fits {
    struct table table;
    struct byte_stream *input;
    struct fits_header header;
    struct cell *cell; /* one a column of the table */
    bool ascii;
    size_t row_bytes, block; /* block: rows the buffer holds */
    uint64_t rows_left;      /* in the file */
    uint64_t heap, fill;     /* bytes of data behind the rows, and up to a whole record */
    bool ended;              /* all of this has been read */
    unsigned char *bytes;    /* rows */
    size_t loaded;           /* of them */
    size_t first, next;      /* of them: current rows, and rows not yet returned */
    struct fits_sum sum;     /* of header and data */
    struct fits_sum data_sum;
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

/* ---------------------------------------------------------------- parts ----------------------- */

/* Whether this part is the one asked for, "2" or "LAT_Point_Source_Catalog"; without a wish,
 * whether it is a table. */
static bool is_wanted(const struct fits_header *header, size_t number, const char *part) {
    char type[FITS_STRING] = "", name[FITS_STRING] = "", digits[32];
    if (!part)
        return number && fits_string(header, "XTENSION", 0, type) &&
               (strcmp(type, "BINTABLE") == 0 || strcmp(type, "TABLE") == 0);
    snprintf(digits, sizeof digits, "%zu", number);
    return strcmp(part, digits) == 0 ||
           (fits_string(header, "EXTNAME", 0, name) && strcasecmp(name, part) == 0);
}

/* Reads `size` bytes for nothing, or as many as there are; they are added to the sums when told. */
static bool pass_over(struct fits *fits, uint64_t size, uint64_t *missing, bool summed,
                      struct complaint *complaint) {
    unsigned char bytes[4 * FITS_RECORD];
    while (size) {
        size_t piece = size < sizeof bytes ? (size_t)size : sizeof bytes, got;
        if (!byte_stream_read(fits->input, bytes, piece, &got, complaint))
            return false;
        if (summed) {
            fits_sum_add(&fits->sum, bytes, got);
            fits_sum_add(&fits->data_sum, bytes, got);
        }
        size -= got;
        if (got < piece)
            break;
    }
    *missing = size;
    return true;
}

static uint64_t filled_up(uint64_t size) {
    return (size + FITS_RECORD - 1) / FITS_RECORD * FITS_RECORD;
}

static bool wrong(const struct fits *fits, const char *what, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: FITS: %s", fits->table.path, what);
}

/* Goes to the part that is wanted; its header stays in fits->header. */
static bool find_part(struct fits *fits, const char *part, struct complaint *complaint) {
    for (size_t number = 0;; number++) {
        uint64_t size, missing;
        fits_header_free(&fits->header);
        fits->sum = (struct fits_sum){0};
        enum fits_found found =
            fits_header_read(&fits->header, fits->input, !number, &fits->sum, complaint);
        if (found == FITS_WRONG)
            return false;
        if (found == FITS_NONE)
            return wrong(fits, part ? "there is no such part" : "there is no table", complaint);
        if (is_wanted(&fits->header, number, part))
            return true;
        if (!fits_data_size(&fits->header, &size))
            return wrong(fits, "a header does not give the size of its data", complaint);
        if (!pass_over(fits, filled_up(size), &missing, false, complaint))
            return false;
        if (missing > filled_up(size) - size)
            return wrong(fits, "the file ends within data; is it truncated?", complaint);
    }
}

/* What the header of a table must say. */
static bool read_sizes(struct fits *fits, int64_t *fields, struct complaint *complaint) {
    const struct fits_header *header = &fits->header;
    char type[FITS_STRING] = "";
    int64_t bits, axes, width, rows, heap, groups;
    bool packed = false;
    fits_string(header, "XTENSION", 0, type);
    fits->ascii = strcmp(type, "TABLE") == 0;
    if (!fits->ascii && strcmp(type, "BINTABLE") != 0)
        return wrong(fits, "this part of the file is not a table", complaint);
    if (fits_logical(header, "ZTABLE", &packed) && packed)
        return wrong(fits, "the table is compressed; unpack it first", complaint);
    if (!fits_integer(header, "BITPIX", 0, &bits) || bits != 8 ||
        !fits_integer(header, "NAXIS", 0, &axes) || axes != 2 ||
        !fits_integer(header, "NAXIS", 1, &width) || width < 0 ||
        !fits_integer(header, "NAXIS", 2, &rows) || rows < 0 ||
        !fits_integer(header, "PCOUNT", 0, &heap) || heap < 0 ||
        !fits_integer(header, "GCOUNT", 0, &groups) || groups != 1 ||
        !fits_integer(header, "TFIELDS", 0, fields) || *fields < 0 || *fields > MOST_FIELDS)
        return wrong(fits, "the header of the table is damaged", complaint);
    if (width > LONGEST_ROW)
        return wrong(fits, "a row is longer than 64 MiB", complaint);
    if (rows > INT64_MAX / 2 / (width ? width : 1))
        return wrong(fits, "the table is larger than any file", complaint);
    fits->row_bytes = (size_t)width;
    fits->rows_left = (uint64_t)rows;
    fits->heap = (uint64_t)heap;
    fits->fill =
        (FITS_RECORD - (uint64_t)(rows * width + heap % FITS_RECORD) % FITS_RECORD) % FITS_RECORD;
    return true;
}

/* ---------------------------------------------------------------- columns --------------------- */

/* A column of the file: one, several or none of ours. */
struct field {
    char name[FITS_STRING], unit[FITS_STRING];
    size_t elements;
    int dimensions; /* of its elements, the fastest first */
    size_t dimension[MOST_DIMENSIONS];
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

/* Digits at *p as a number, which moves behind them; `most` when it is larger. */
static size_t take_digits(const char **p, size_t most) {
    size_t value = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        value = value < most ? value * 10 + (size_t)(**p - '0') : value;
    return value < most ? value : most;
}

static bool complain_of_field(const struct fits *fits, const struct field *field, size_t number,
                              struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: FITS: column %zu %s: its format is not valid",
                    fits->table.path, number, field->name);
}

/* TDIMn, "(2,7)". One dimension where there is none that makes sense. */
static void read_dimensions(const struct fits *fits, size_t number, struct field *field) {
    char text[FITS_STRING] = "";
    size_t product = 1;
    int count = 0;
    fits_string(&fits->header, "TDIM", number, text);
    const char *p = text + strspn(text, " (");
    for (; *p >= '0' && *p <= '9' && count < MOST_DIMENSIONS; p += strspn(p, " ,")) {
        field->dimension[count] = take_digits(&p, MOST_ELEMENTS + 1);
        product *= field->dimension[count++];
    }
    if (*p == ')' && product == field->elements)
        field->dimensions = count;
    else
        field->dimension[0] = field->elements;
}

/* TFORMn, "14E": how many of what. Leaves `elements` at 0 where that is of no use to us. */
static bool describe_binary(struct fits *fits, size_t number, size_t *offset, struct field *field,
                            struct complaint *complaint) {
    char format[FITS_STRING] = "";
    struct cell *cell = &field->cell;
    fits_string(&fits->header, "TFORM", number, format);
    const char *p = format + strspn(format, " ");
    size_t most = 8 * fits->row_bytes + 1;
    size_t repeat = *p >= '0' && *p <= '9' ? take_digits(&p, most) : 1;
    cell->type = *p;
    cell->offset = *offset;
    size_t bytes = *p == 'X' ? (repeat + 7) / 8 : repeat * bytes_of(*p);
    if ((*p != 'X' && !bytes_of(*p)) || bytes > fits->row_bytes - *offset)
        return complain_of_field(fits, field, number, complaint);
    *offset += bytes;
    cell->width = *p == 'A' ? bytes : bytes_of(*p);
    if (strchr("BIJK", *p))
        cell->has_null = fits_integer(&fits->header, "TNULL", number, &cell->null);
    if (*p == 'A')
        field->elements = bytes > 0;
    else if (strchr("LBIJKED", *p) && repeat <= MOST_ELEMENTS)
        field->elements = repeat;
    read_dimensions(fits, number, field);
    return true;
}

/* TBCOLn, where it starts, and TFORMn, "F8.3". */
static bool describe_ascii(struct fits *fits, size_t number, struct field *field,
                           struct complaint *complaint) {
    char format[FITS_STRING] = "", null[FITS_STRING] = "";
    int64_t start = 0;
    struct cell *cell = &field->cell;
    fits_string(&fits->header, "TFORM", number, format);
    const char *p = format + strspn(format, " ");
    char type = *p;
    if (!type || !strchr("AIFED", type))
        return complain_of_field(fits, field, number, complaint);
    p++;
    cell->width = take_digits(&p, fits->row_bytes + 1);
    if (*p == '.' && type != 'A') {
        p++;
        cell->decimals = (int)take_digits(&p, 300);
    }
    if (!fits_integer(&fits->header, "TBCOL", number, &start) || start < 1 || !cell->width ||
        (uint64_t)start - 1 > fits->row_bytes ||
        cell->width > fits->row_bytes - ((size_t)start - 1))
        return complain_of_field(fits, field, number, complaint);
    cell->offset = (size_t)start - 1;
    cell->type = type == 'A' ? 'a' : 'n';
    if (fits_string(&fits->header, "TNULL", number, null)) {
        struct span trimmed = span_trim((struct span){null, strlen(null)});
        cell->null_text = text_pool_copy(&fits->table.names, trimmed.text, trimmed.length);
        if (!cell->null_text)
            return table_complain_of_memory(&fits->table, complaint);
    }
    field->elements = 1;
    return true;
}

static bool describe(struct fits *fits, size_t number, size_t *offset, struct field *field,
                     struct complaint *complaint) {
    fits_string(&fits->header, "TTYPE", number, field->name);
    fits_string(&fits->header, "TUNIT", number, field->unit);
    field->dimensions = 1;
    field->cell.scale = 1;
    fits_real(&fits->header, "TSCAL", number, &field->cell.scale);
    fits_real(&fits->header, "TZERO", number, &field->cell.zero);
    return fits->ascii ? describe_ascii(fits, number, field, complaint)
                       : describe_binary(fits, number, offset, field, complaint);
}

/* "Flux_3"; of two dimensions "Unc_Flux_3_1", the slowest first. Counted from 1. */
static void name_element(const struct field *field, size_t element, char *name, size_t size) {
    struct span trimmed = span_trim((struct span){field->name, strlen(field->name)});
    int length = snprintf(name, size, "%.*s", (int)trimmed.length, trimmed.text);
    size_t stride = field->elements;
    for (int i = field->dimensions - 1; i >= 0 && field->elements > 1; i--) {
        stride /= field->dimension[i];
        length += snprintf(name + length, size - (size_t)length, "_%zu", element / stride + 1);
        element %= stride;
    }
}

static bool add_column(struct fits *fits, const struct field *field, size_t element,
                       struct complaint *complaint) {
    struct table *table = &fits->table;
    char name[FITS_STRING + 4 * MOST_DIMENSIONS];
    struct span unit = span_trim((struct span){field->unit, strlen(field->unit)});
    name_element(field, element, name, sizeof name);
    struct cell *cell = &fits->cell[table->columns];
    struct column *column = &table->column[table->columns++];
    *cell = field->cell;
    cell->offset += element * cell->width;
    column->name = text_pool_copy(&table->names, name, strlen(name));
    column->unit = unit.length ? text_pool_copy(&table->names, unit.text, unit.length) : NULL;
    if (!column->name || (unit.length && !column->unit))
        return table_complain_of_memory(table, complaint);
    if (cell->type == 'A' || cell->type == 'a') {
        column->kind = COLUMN_TEXT;
        column->width = cell->width;
    }
    return true;
}

static bool make_columns(struct fits *fits, size_t fields, struct complaint *complaint) {
    size_t offset = 0, most = fields * MOST_ELEMENTS;
    fits->cell = calloc(most + 1, sizeof *fits->cell);
    if (!fits->cell || !table_make_columns(&fits->table, most, complaint))
        return table_complain_of_memory(&fits->table, complaint);
    fits->table.columns = 0; /* only as many as turn out to be there */
    for (size_t i = 1; i <= fields; i++) {
        struct field field = {.elements = 0};
        if (!describe(fits, i, &offset, &field, complaint))
            return false;
        for (size_t k = 0; k < field.elements; k++)
            if (!add_column(fits, &field, k, complaint))
                return false;
    }
    return fits->table.columns || wrong(fits, "no column holds numbers or text", complaint);
}

/* ---------------------------------------------------------------- rows ------------------------ */

/* Checksums of the file must be right. One that is blank or zero is ignored. */
static bool check_sums(const struct fits *fits, struct complaint *complaint) {
    char text[FITS_STRING] = "";
    if (fits_string(&fits->header, "DATASUM", 0, text) && *text) {
        const char *p = text + strspn(text, " ");
        if (take_digits(&p, SIZE_MAX / 16) != fits_sum_value(&fits->data_sum) || *p)
            return wrong(fits, "the table is damaged: its DATASUM is wrong", complaint);
    }
    uint32_t all = fits_sum_value(&fits->sum);
    if (fits_string(&fits->header, "CHECKSUM", 0, text) && text[strspn(text, "0 ")] && all &&
        all != UINT32_MAX)
        return wrong(fits, "the table is damaged: its CHECKSUM is wrong", complaint);
    return true;
}

/* Behind the last row: the heap, which is not used, what fills up the record, and the sums. A file
 * that is not plain is read to its end, so that gzip can see to its own sum and whoever writes into
 * a pipe is not cut off. */
static bool read_end(struct fits *fits, struct complaint *complaint) {
    uint64_t missing;
    if (fits->ended)
        return true;
    if (!pass_over(fits, fits->heap, &missing, true, complaint))
        return false;
    if (missing)
        return wrong(fits, "the file ends within data; is it truncated?", complaint);
    if (!pass_over(fits, fits->fill, &missing, true, complaint) || !check_sums(fits, complaint))
        return false;
    fits->ended = true;
    return byte_stream_is_plain_file(fits->input) ||
           pass_over(fits, UINT64_MAX, &missing, false, complaint);
}

static bool load(struct fits *fits, struct complaint *complaint) {
    size_t rows = fits->rows_left < fits->block ? (size_t)fits->rows_left : fits->block;
    size_t size = rows * fits->row_bytes, got;
    fits->loaded = fits->first = fits->next = 0;
    if (!rows)
        return read_end(fits, complaint);
    if (!byte_stream_read(fits->input, fits->bytes, size, &got, complaint))
        return false;
    if (got < size)
        return complain(complaint, BAD_INPUT,
                        "%s: row %zu: the file ends here; its header says %" PRIu64 " more rows",
                        fits->table.path, fits->table.before + got / fits->row_bytes + 1,
                        fits->rows_left - got / fits->row_bytes);
    fits_sum_add(&fits->sum, fits->bytes, size);
    fits_sum_add(&fits->data_sum, fits->bytes, size);
    fits->rows_left -= rows;
    fits->loaded = rows;
    return true;
}

/* Columns of names in 64 bits, by the first rows. */
static void judge_kinds(struct fits *fits) {
    for (size_t i = 0; i < fits->table.columns; i++)
        for (size_t row = 0; row < fits->loaded; row++) {
            char text[NUMBER_LENGTH];
            size_t length;
            if (!whole_number(&fits->cell[i], fits->bytes + row * fits->row_bytes, text,
                              sizeof text, &length) ||
                !number_is_name(text, length))
                continue;
            fits->table.column[i].kind = COLUMN_TEXT;
            fits->table.column[i].width = 20;
            break;
        }
}

static bool make_block(struct fits *fits, struct complaint *complaint) {
    size_t width = fits->row_bytes ? fits->row_bytes : 1;
    fits->block = width < BLOCK ? BLOCK / width : 1;
    fits->bytes = malloc(fits->block * width);
    return fits->bytes != NULL || table_complain_of_memory(&fits->table, complaint);
}

/* ---------------------------------------------------------------- the reader ------------------ */

static struct fits *create(struct byte_stream *input, const struct opening *opening,
                           struct complaint *complaint) {
    char name[1100];
    const char *part = opening->part;
    snprintf(name, sizeof name, "%s%s%s%s", byte_stream_name(input), part ? "[" : "",
             part ? part : "", part ? "]" : "");
    return table_create(sizeof(struct fits), &fits_reader, name, complaint);
}

static struct table *fits_open(struct byte_stream *input, const struct opening *opening,
                               struct complaint *complaint) {
    struct fits *fits = create(input, opening, complaint);
    int64_t fields;
    if (!fits) {
        byte_stream_close(input);
        return NULL;
    }
    fits->input = input;
    if (!find_part(fits, opening->part, complaint) || !read_sizes(fits, &fields, complaint) ||
        !make_columns(fits, (size_t)fields, complaint) || !make_block(fits, complaint) ||
        !load(fits, complaint)) {
        table_close(&fits->table);
        return NULL;
    }
    judge_kinds(fits);
    return &fits->table;
}

static void fits_close(struct table *table) {
    struct fits *fits = (struct fits *)table;
    byte_stream_close(fits->input);
    fits_header_free(&fits->header);
    free(fits->cell);
    free(fits->bytes);
}

static bool fits_next(struct table *table, size_t most, struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    if (fits->next == fits->loaded && !load(fits, complaint))
        return false;
    size_t left = fits->loaded - fits->next;
    fits->first = fits->next;
    table->rows = left < most ? left : most;
    fits->next += table->rows;
    return true;
}

static const unsigned char *row_at(const struct fits *fits, size_t row) {
    return fits->bytes + (fits->first + row) * fits->row_bytes;
}

static bool complain_of_cell(const struct fits *fits, size_t row, size_t column,
                             struct complaint *complaint) {
    const struct cell *cell = &fits->cell[column];
    return table_complain_of_text(&fits->table, row, column,
                                  string(cell, row_at(fits, row) + cell->offset), complaint);
}

static bool fits_numbers(struct table *table, size_t column, double *out, size_t stride,
                         struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    for (size_t row = 0; row < table->rows; row++)
        if (!decode(&fits->cell[column], row_at(fits, row), out + row * stride))
            return complain_of_cell(fits, row, column, complaint);
    return true;
}

static bool fits_text(struct table *table, size_t row, size_t column, struct span *span,
                      struct complaint *complaint) {
    struct fits *fits = (struct fits *)table;
    const struct cell *cell = &fits->cell[column];
    const unsigned char *bytes = row_at(fits, row);
    if (cell->type == 'A' || cell->type == 'a') {
        *span = string(cell, bytes + cell->offset);
        return true;
    }
    char digits[NUMBER_LENGTH];
    size_t length;
    if (whole_number(cell, bytes, digits, sizeof digits, &length)) {
        *span = (struct span){text_pool_copy(&table->cells, digits, length), length};
        return span->text != NULL || table_complain_of_memory(table, complaint);
    }
    double value;
    return decode(cell, bytes, &value) ? table_show_number(table, value, span, complaint)
                                       : complain_of_cell(fits, row, column, complaint);
}

const struct reader fits_reader = {
    .open = fits_open,
    .close = fits_close,
    .next = fits_next,
    .numbers = fits_numbers,
    .text = fits_text,
    .place = table_place_row,
};
