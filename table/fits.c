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
#include "table/field.h"
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
    MOST_FIELDS = 999,            /* of a FITS table */
};

/* Where and how the cells of a field lie in a row: its elements one behind the other. */
struct cell_place {
    char type; /* of binary tables: LBIJKEDA; of ASCII tables: A text, 'n' number */
    size_t offset, width;
    double scale, zero; /* value = zero + scale * stored */
    bool has_null;
    int64_t null;          /* binary: the stored integer of a missing cell */
    const char *null_text; /* ASCII: likewise; or NULL */
    int decimals;          /* ASCII: digits behind a point that is not written */
};

struct fits {
    struct table table;
    struct fits_header header;
    struct cell_place *cell; /* one a field */
    bool ascii;
    size_t row_bytes, block; /* block: rows the buffer holds */
    uint64_t rows_left;      /* in the file */
    uint64_t heap, fill;     /* bytes of data behind the rows, and up to a whole record */
    bool ended;              /* all of this has been read */
    unsigned char *bytes;    /* rows */
    struct fits_sum sum;     /* of header and data */
    struct fits_sum data_sum;
};

/* ---------------------------------------------------------------- cells ----------------------- */

static struct span string(const struct cell_place *cell, const unsigned char *bytes) {
    const unsigned char *nul = memchr(bytes, 0, cell->width);
    struct span span = {(const char *)bytes, nul ? (size_t)(nul - bytes) : cell->width};
    return span_trim(span);
}

/* A field of an ASCII table; false when it is no number. Fortran may write 1.5D+03. */
static bool ascii_number(const struct cell_place *cell, const unsigned char *bytes, double *value) {
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

static bool fits_cell(struct table *table, size_t row, size_t column, struct cell *out,
                      struct complaint *complaint) {
    const struct fits *fits = (struct fits *)table;
    const struct column *place = &table->column[column];
    const struct cell_place *cell = &fits->cell[place->field];
    const unsigned char *bytes =
        fits->bytes + row * fits->row_bytes + cell->offset + place->element * cell->width;
    *out = (struct cell){.number = NAN};
    if (cell->type == 'A') {
        out->kind = CELL_TEXT;
        out->text = string(cell, bytes);
        return true;
    }
    if (cell->type == 'L') {
        out->number = *bytes == 'T' ? 1 : *bytes == 'F' ? 0 : NAN;
        return true;
    }
    if (cell->type == 'n') {
        if (!ascii_number(cell, bytes, &out->number))
            return table_complain_of_text(table, row, column, string(cell, bytes), complaint);
    } else if (!cell->has_null || field_integer(cell->type, bytes) != cell->null) {
        if (cell->type == 'K' && cell->scale == 1 && (cell->zero == 0 || cell->zero == 0x1p63))
            return field_take_long(table, field_integer('K', bytes), cell->zero != 0, out,
                                   complaint);
        out->number = field_real(cell->type, bytes);
    }
    if (cell->scale != 1 || cell->zero != 0)
        out->number = cell->zero + cell->scale * out->number;
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
static bool pass_over(struct fits *fits, uint64_t size, uint64_t *missing, bool summed) {
    unsigned char bytes[4 * FITS_RECORD];
    while (size) {
        size_t piece = size < sizeof bytes ? (size_t)size : sizeof bytes, got;
        if (!byte_stream_read(fits->table.input, bytes, piece, &got, &fits->table.complaint))
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

static bool wrong(struct fits *fits, const char *what) {
    return table_fail(&fits->table, 0, "FITS: %s", what);
}

/* Goes to the part that is wanted; its header stays in fits->header. */
static bool find_part(struct fits *fits, const char *part) {
    for (size_t number = 0;; number++) {
        uint64_t size, missing;
        fits_header_free(&fits->header);
        fits->sum = (struct fits_sum){0};
        enum fits_found found = fits_header_read(&fits->header, &fits->table, !number, &fits->sum);
        if (found == FITS_WRONG)
            return false;
        if (found == FITS_NONE)
            return wrong(fits, part ? "there is no such part" : "there is no table");
        if (is_wanted(&fits->header, number, part))
            return true;
        if (!fits_data_size(&fits->header, &size))
            return wrong(fits, "a header does not give the size of its data");
        if (!pass_over(fits, filled_up(size), &missing, false))
            return false;
        if (missing > filled_up(size) - size)
            return wrong(fits, "the file ends within data; is it truncated?");
    }
}

/* What the header of a table must say. */
static bool read_sizes(struct fits *fits, int64_t *fields) {
    const struct fits_header *header = &fits->header;
    char type[FITS_STRING] = "";
    int64_t bits, axes, width, rows, heap, groups;
    bool packed = false;
    fits_string(header, "XTENSION", 0, type);
    fits->ascii = strcmp(type, "TABLE") == 0;
    if (!fits->ascii && strcmp(type, "BINTABLE") != 0)
        return wrong(fits, "this part of the file is not a table");
    if (fits_logical(header, "ZTABLE", &packed) && packed)
        return wrong(fits, "the table is compressed; unpack it first");
    if (!fits_integer(header, "BITPIX", 0, &bits) || bits != 8 ||
        !fits_integer(header, "NAXIS", 0, &axes) || axes != 2 ||
        !fits_integer(header, "NAXIS", 1, &width) || width < 0 ||
        !fits_integer(header, "NAXIS", 2, &rows) || rows < 0 ||
        !fits_integer(header, "PCOUNT", 0, &heap) || heap < 0 ||
        !fits_integer(header, "GCOUNT", 0, &groups) || groups != 1 ||
        !fits_integer(header, "TFIELDS", 0, fields) || *fields < 0 || *fields > MOST_FIELDS)
        return wrong(fits, "the header of the table is damaged");
    if (width > LONGEST_ROW)
        return wrong(fits, "a row is longer than 64 MiB");
    if (rows > INT64_MAX / 2 / (width ? width : 1))
        return wrong(fits, "the table is larger than any file");
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
    struct elements elements;
    struct cell_place cell;
};

/* Digits at *p as a number, which moves behind them; `most` when it is larger. */
static size_t take_digits(const char **p, size_t most) {
    size_t value = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        value = value < most ? value * 10 + (size_t)(**p - '0') : value;
    return value < most ? value : most;
}

static bool complain_of_field(struct fits *fits, const struct field *field, size_t number) {
    return table_fail(&fits->table, 0, "FITS: column %zu %s: its format is not valid", number,
                      field->name);
}

/* TDIMn, "(2,7)". One dimension where there is none that makes sense. */
static void read_dimensions(const struct fits *fits, size_t number, struct elements *elements) {
    char text[FITS_STRING] = "";
    size_t product = 1;
    int count = 0;
    fits_string(&fits->header, "TDIM", number, text);
    const char *p = text + strspn(text, " (");
    for (; *p >= '0' && *p <= '9' && count < MOST_DIMENSIONS; p += strspn(p, " ,")) {
        elements->dimension[count] = take_digits(&p, MOST_ELEMENTS + 1);
        product *= elements->dimension[count++];
    }
    elements->dimensions = *p == ')' && product == elements->count ? count : 1;
    if (elements->dimensions == 1)
        elements->dimension[0] = elements->count;
}

/* TFORMn, "14E": how many of what. Leaves `elements` at 0 where that is of no use to us. */
static bool describe_binary(struct fits *fits, size_t number, size_t *offset, struct field *field) {
    char format[FITS_STRING] = "";
    struct cell_place *cell = &field->cell;
    fits_string(&fits->header, "TFORM", number, format);
    const char *p = format + strspn(format, " ");
    size_t most = 8 * fits->row_bytes + 1;
    size_t repeat = *p >= '0' && *p <= '9' ? take_digits(&p, most) : 1;
    cell->type = *p;
    cell->offset = *offset;
    size_t bytes = *p == 'X' ? (repeat + 7) / 8 : repeat * field_bytes(*p);
    if ((*p != 'X' && !field_bytes(*p)) || bytes > fits->row_bytes - *offset)
        return complain_of_field(fits, field, number);
    *offset += bytes;
    cell->width = *p == 'A' ? bytes : field_bytes(*p);
    if (strchr("BIJK", *p))
        cell->has_null = fits_integer(&fits->header, "TNULL", number, &cell->null);
    if (*p == 'A')
        field->elements.count = bytes > 0;
    else if (strchr("LBIJKED", *p) && repeat <= MOST_ELEMENTS)
        field->elements.count = repeat;
    read_dimensions(fits, number, &field->elements);
    return true;
}

/* TBCOLn, where it starts, and TFORMn, "F8.3". */
static bool describe_ascii(struct fits *fits, size_t number, struct field *field) {
    char format[FITS_STRING] = "", null[FITS_STRING] = "";
    int64_t start = 0;
    struct cell_place *cell = &field->cell;
    fits_string(&fits->header, "TFORM", number, format);
    const char *p = format + strspn(format, " ");
    char type = *p;
    if (!type || !strchr("AIFED", type))
        return complain_of_field(fits, field, number);
    p++;
    cell->width = take_digits(&p, fits->row_bytes + 1);
    if (*p == '.' && type != 'A') {
        p++;
        cell->decimals = (int)take_digits(&p, 300);
    }
    if (!fits_integer(&fits->header, "TBCOL", number, &start) || start < 1 || !cell->width ||
        (uint64_t)start - 1 > fits->row_bytes ||
        cell->width > fits->row_bytes - ((size_t)start - 1))
        return complain_of_field(fits, field, number);
    cell->offset = (size_t)start - 1;
    cell->type = type == 'A' ? 'A' : 'n';
    if (fits_string(&fits->header, "TNULL", number, null)) {
        struct span trimmed = span_trim((struct span){null, strlen(null)});
        cell->null_text = text_pool_copy(&fits->table.names, trimmed.text, trimmed.length);
        if (!cell->null_text)
            return table_no_memory(&fits->table);
    }
    field->elements.count = 1;
    return true;
}

static bool describe(struct fits *fits, size_t number, size_t *offset, struct field *field) {
    fits_string(&fits->header, "TTYPE", number, field->name);
    fits_string(&fits->header, "TUNIT", number, field->unit);
    field->cell.scale = 1;
    fits_real(&fits->header, "TSCAL", number, &field->cell.scale);
    fits_real(&fits->header, "TZERO", number, &field->cell.zero);
    return fits->ascii ? describe_ascii(fits, number, field)
                       : describe_binary(fits, number, offset, field);
}

static bool make_columns(struct fits *fits, size_t fields) {
    size_t offset = 0;
    fits->cell = calloc(fields + 1, sizeof *fits->cell);
    if (!fits->cell)
        return table_no_memory(&fits->table);
    for (size_t i = 0; i < fields; i++) {
        struct field field = {.name = ""};
        if (!describe(fits, i + 1, &offset, &field))
            return false;
        fits->cell[i] = field.cell;
        if (!field_add_columns(&fits->table, span_trim(span_of(field.name)), span_of(field.unit),
                               &field.elements,
                               field.cell.type == 'A' ? COLUMN_TEXT : COLUMN_NUMBER, i))
            return false;
    }
    return fits->table.columns || wrong(fits, "no column holds numbers or text");
}

/* ---------------------------------------------------------------- rows ------------------------ */

/* Checksums of the file must be right. One that is blank or zero is ignored. */
static bool check_sums(struct fits *fits) {
    char text[FITS_STRING] = "";
    if (fits_string(&fits->header, "DATASUM", 0, text) && *text) {
        const char *p = text + strspn(text, " ");
        if (take_digits(&p, SIZE_MAX / 16) != fits_sum_value(&fits->data_sum) || *p)
            return wrong(fits, "the table is damaged: its DATASUM is wrong");
    }
    uint32_t all = fits_sum_value(&fits->sum);
    if (fits_string(&fits->header, "CHECKSUM", 0, text) && text[strspn(text, "0 ")] && all &&
        all != UINT32_MAX)
        return wrong(fits, "the table is damaged: its CHECKSUM is wrong");
    return true;
}

/* Behind the last row: the heap, which is not used, what fills up the record, and the sums. A file
 * that is not plain is read to its end, so that gzip can see to its own sum and whoever writes into
 * a pipe is not cut off. */
static bool read_end(struct fits *fits) {
    uint64_t missing;
    if (fits->ended)
        return true;
    if (!pass_over(fits, fits->heap, &missing, true))
        return false;
    if (missing)
        return wrong(fits, "the file ends within data; is it truncated?");
    if (!pass_over(fits, fits->fill, &missing, true) || !check_sums(fits))
        return false;
    fits->ended = true;
    return byte_stream_is_plain_file(fits->table.input) ||
           pass_over(fits, UINT64_MAX, &missing, false);
}

static bool fits_load(struct table *table) {
    struct fits *fits = (struct fits *)table;
    size_t rows = fits->rows_left < fits->block ? (size_t)fits->rows_left : fits->block;
    size_t size = rows * fits->row_bytes, got;
    if (!rows)
        return read_end(fits);
    if (!byte_stream_read(table->input, fits->bytes, size, &got, &table->complaint))
        return false;
    if (got < size)
        return table_fail(
            table, 0, "row %zu: the file ends here; its header says %" PRIu64 " more rows",
            table->before + got / fits->row_bytes + 1, fits->rows_left - got / fits->row_bytes);
    fits_sum_add(&fits->sum, fits->bytes, size);
    fits_sum_add(&fits->data_sum, fits->bytes, size);
    fits->rows_left -= rows;
    table->loaded = rows;
    return true;
}

static bool make_block(struct fits *fits) {
    size_t width = fits->row_bytes ? fits->row_bytes : 1;
    fits->block = width < BLOCK ? BLOCK / width : 1;
    fits->bytes = malloc(fits->block * width);
    return fits->bytes != NULL || table_no_memory(&fits->table);
}

/* ---------------------------------------------------------------- the reader ------------------ */

static bool fits_open(struct table *table, const struct opening *opening) {
    struct fits *fits = (struct fits *)table;
    int64_t fields;
    return find_part(fits, opening->part) && read_sizes(fits, &fields) &&
           make_columns(fits, (size_t)fields) && make_block(fits);
}

static void fits_close(struct table *table) {
    struct fits *fits = (struct fits *)table;
    fits_header_free(&fits->header);
    free(fits->cell);
    free(fits->bytes);
}

const struct reader fits_reader = {
    .size = sizeof(struct fits),
    .has_parts = true,
    .open = fits_open,
    .load = fits_load,
    .judge = table_judge_digits,
    .cell = fits_cell,
    .close = fits_close,
};
