/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VOTable (IVOA VOTable 1.4): cells are text (TABLEDATA) or bytes in base64 (BINARY, and BINARY2
 * with flags of missing cells), read from front to back. External data (a STREAM with href) are
 * never fetched.
 *
 * A field of k numbers per row becomes name_1 .. name_k (name_1_1, ... if it has dimensions) if
 * k <= MOST_ELEMENTS. Longer fields, fields of variable length except strings, arrays of bits
 * and complex numbers are left out. If the first rows have 64-bit integers above 2^53, the column
 * is text.
 *
 * A buffer holds the cells of many rows; `ends` has the end of each cell. A cell of no bytes is
 * missing.
 */
#include "table/base64.h"
#include "table/big_endian.h"
#include "table/buffer_size.h"
#include "table/reader.h"
#include "table/votable_field.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BLOCK = BUFFER_SIZE(1 << 20), /* bytes of current cells, more if a row is longer */
    LONGEST_ROW = 64 << 20,
    MOST_FIELDS = COLUMN_LIMIT(1 << 16),
};

/* Where the document is, in the innermost of these elements. */
enum state {
    BEFORE,   /* the first element */
    DOCUMENT, /* up to the table that is wanted */
    ERROR,    /* an INFO, which tells of one */
    TABLE,
    DATA,
    BINARY,    /* or BINARY2 */
    TABLEDATA, /* from here on: rows */
    TR,
    TD,
    STREAM,
    AFTER /* the rows */
};

struct votable {
    struct table table;
    struct xml xml;
    enum state state;
    size_t level;       /* open elements, with that of the state */
    size_t field_level; /* likewise with a FIELD; 0 outside */
    const char *part;   /* the table that is wanted, or NULL */
    size_t tables;      /* so far */
    char said[256];     /* in the INFO */

    size_t fields;
    struct votable_field *field;
    bool binary, flags; /* cells are bytes; with flags of missing ones before */

    char *cells; /* of the rows in the buffer */
    size_t size, filled;
    uint32_t *ends; /* rows x fields */
    size_t ends_size;

    /* The row under way. */
    bool begun;
    size_t cell;                 /* cells so far */
    size_t row_start, row_ends;  /* where its cells start, and their ends */
    uint64_t taken, passed_over; /* bytes of it; those that are still to come for nothing */
    unsigned char missing[MOST_FIELDS / 8 + 1]; /* flags */

    struct base64 base64;
    unsigned char *bytes; /* of a STREAM, that make no whole cell yet */
    size_t bytes_size, bytes_filled;
};

static bool wrong(struct votable *votable, const char *what) {
    return table_fail(&votable->table, 0, "VOTable: %s", what);
}

static bool wrong_row(struct votable *votable, const char *what) {
    return table_fail(&votable->table, 0, "row %zu: %s",
                      votable->table.before + votable->table.loaded + 1, what);
}

/* The element that starts is that of a state. */
static bool enter(struct votable *votable, enum state state) {
    votable->state = state;
    votable->level = votable->xml.depth;
    return true;
}

/* ---------------------------------------------------------------- the buffer ------------------ */

static bool reserve(struct votable *votable, void *memory, size_t *size, size_t wanted,
                    size_t each) {
    void **array = memory;
    if (wanted <= *size)
        return true;
    void *grown = realloc(*array, 2 * wanted * each);
    if (!grown)
        return table_no_memory(&votable->table);
    *array = grown;
    *size = 2 * wanted;
    return true;
}

/* Bytes of a cell. */
static bool add_bytes(struct votable *votable, const void *bytes, size_t size) {
    if (size > LONGEST_ROW - (votable->filled - votable->row_start))
        return wrong_row(votable, "longer than 64 MiB");
    if (!reserve(votable, &votable->cells, &votable->size, votable->filled + size, 1))
        return false;
    if (size)
        memcpy(votable->cells + votable->filled, bytes, size);
    votable->filled += size;
    return true;
}

static bool start_row(struct votable *votable) {
    votable->begun = true;
    votable->cell = 0;
    votable->taken = 0;
    votable->row_start = votable->filled;
    votable->row_ends = votable->table.loaded * votable->fields;
    return reserve(votable, &votable->ends, &votable->ends_size,
                   votable->row_ends + votable->fields, sizeof *votable->ends);
}

static void end_cell(struct votable *votable) {
    votable->ends[votable->row_ends + votable->cell++] = (uint32_t)votable->filled;
}

static void end_row(struct votable *votable) {
    votable->begun = false;
    votable->table.loaded++;
}

/* Leaves nothing in the buffer but the row under way. */
static void drop_rows(struct votable *votable) {
    size_t start = votable->begun ? votable->row_start : votable->filled;
    for (size_t i = 0; votable->begun && i < votable->cell; i++)
        votable->ends[i] = votable->ends[votable->row_ends + i] - (uint32_t)start;
    votable->filled -= start;
    memmove(votable->cells, votable->cells + start, votable->filled);
    votable->row_start = votable->row_ends = 0;
}

static bool is_full(const struct votable *votable) {
    return votable->filled >= BLOCK || votable->table.loaded * votable->fields >= BLOCK / 4;
}

/* ---------------------------------------------------------------- cells in base64 ------------- */

/* How many bytes the next cell has, and in how many others they say so; false where these are not
 * there. */
static bool measure_cell(const struct votable_field *field, const unsigned char *at, size_t there,
                         uint64_t *size, size_t *before) {
    uint64_t count = field->count;
    *before = field->variable ? 4 : 0;
    if (there < *before)
        return false;
    if (field->variable)
        count = big_endian(at, 4);
    *size = field->type == 'X' ? (count + 7) / 8 : count * field->bytes;
    return true;
}

/* The next cell, of which the bytes from *at on are there; *at moves behind what is taken. *any is
 * false where more must come first. Bytes of no use are passed over. */
static bool take_byte_cell(struct votable *votable, const unsigned char **at, size_t there,
                           bool *any) {
    const struct votable_field *field = &votable->field[votable->cell];
    size_t i = votable->cell, before;
    uint64_t size;
    bool kept = field->elements.count && !(votable->missing[i / 8] & 0x80 >> i % 8);
    *any = measure_cell(field, *at, there, &size, &before);
    if (!*any)
        return true;
    if (field->variable && big_endian(*at, 4) > INT32_MAX)
        return wrong_row(votable, "a cell of negative length");
    if (kept && size > LONGEST_ROW)
        return wrong_row(votable, "longer than 64 MiB");
    *any = !kept || size <= there - before;
    if (!*any)
        return true;
    if (kept && !add_bytes(votable, *at + before, (size_t)size))
        return false;
    size_t taken = size < there - before ? (size_t)size : there - before;
    *at += before + taken;
    votable->taken += before + size;
    votable->passed_over = size - taken;
    end_cell(votable);
    return true;
}

/* What comes next: bytes of no use, the flags of a row, or a cell. */
static bool take_some(struct votable *votable, const unsigned char **at, size_t there, bool *any) {
    size_t flags = votable->flags ? (votable->fields + 7) / 8 : 0;
    if (votable->passed_over) {
        size_t piece = votable->passed_over < there ? (size_t)votable->passed_over : there;
        *at += piece;
        votable->passed_over -= piece;
        *any = piece > 0;
        return true;
    }
    if (!votable->begun) {
        *any = there >= flags && there;
        if (!*any || !start_row(votable))
            return !*any;
        memcpy(votable->missing, *at, flags);
        *at += flags;
        votable->taken = flags;
        return true;
    }
    if (votable->cell < votable->fields)
        return take_byte_cell(votable, at, there, any);
    *any = true;
    end_row(votable);
    return votable->taken || wrong_row(votable, "data for fields that have no content");
}

/* Text of a STREAM. */
static bool take_stream(struct votable *votable, struct span letters) {
    size_t made = 0, wanted = votable->bytes_filled + 3 * (letters.length + 3) / 4;
    if (!reserve(votable, &votable->bytes, &votable->bytes_size, wanted, 1))
        return false;
    if (!base64_read(&votable->base64, letters.text, letters.length,
                     votable->bytes + votable->bytes_filled, &made))
        return wrong_row(votable, "the data are not base64");
    const unsigned char *at = votable->bytes, *end = at + votable->bytes_filled + made;
    for (bool any = true; any;)
        if (!take_some(votable, &at, (size_t)(end - at), &any))
            return false;
    votable->bytes_filled = (size_t)(end - at);
    if (at > votable->bytes)
        memmove(votable->bytes, at, votable->bytes_filled);
    return true;
}

static bool end_stream(struct votable *votable) {
    votable->state = AFTER;
    if (!base64_is_whole(&votable->base64))
        return wrong_row(votable, "the base64 data end within a group of characters");
    return (!votable->bytes_filled && !votable->begun) ||
           wrong_row(votable, "the data end within it; is the file truncated?");
}

/* ---------------------------------------------------------------- elements that start --------- */

/* Services answer with a VOTable when something went wrong too, and say so after rows that are
 * not all there were. They also say when they sent as many rows as they are willing to send, and
 * there are more. */
static bool start_info(struct votable *votable, const struct xml_tag *tag) {
    const char *name = xml_attribute(tag, "name"), *value = xml_attribute(tag, "value");
    if (!name || strcmp(name, "QUERY_STATUS") != 0 || !value)
        return true;
    votable->table.cut_short = votable->table.cut_short || strcmp(value, "OVERFLOW") == 0;
    return strcmp(value, "ERROR") != 0 || enter(votable, ERROR);
}

/* Whether this table is the one asked for, "2" or by name or ID; without a wish, the first. */
static bool is_wanted(const struct votable *votable, const struct xml_tag *tag) {
    const char *name = xml_attribute(tag, "name"), *id = xml_attribute(tag, "ID");
    const char *part = votable->part;
    char digits[32];
    if (!part)
        return true;
    snprintf(digits, sizeof digits, "%zu", votable->tables);
    return strcmp(part, digits) == 0 || (name && strcasecmp(name, part) == 0) ||
           (id && strcasecmp(id, part) == 0);
}

/* Also its columns. */
static bool add_field(struct votable *votable, const struct xml_tag *tag) {
    struct table *table = &votable->table;
    if (votable->fields == MOST_FIELDS)
        return wrong(votable, "too many fields");
    struct votable_field *grown =
        table_grow(table, votable->field, votable->fields, sizeof *votable->field);
    if (!grown)
        return false;
    votable->field = grown;
    size_t index = votable->fields++;
    return votable_field_read(&grown[index], table, index, tag);
}

static bool start_in_table(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "FIELD") == 0) {
        votable->field_level = votable->xml.depth;
        return add_field(votable, tag);
    }
    if (strcmp(tag->name, "VALUES") == 0 && votable->field_level)
        votable_field_null(&votable->field[votable->fields - 1], tag);
    return strcmp(tag->name, "DATA") != 0 || enter(votable, DATA);
}

/* Rows begin: they wait until they are asked for. */
static bool start_rows(struct votable *votable, enum state state) {
    xml_pause(&votable->xml);
    return enter(votable, state);
}

static bool start_data(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "TABLEDATA") == 0)
        return start_rows(votable, TABLEDATA);
    votable->flags = strcmp(tag->name, "BINARY2") == 0;
    votable->binary = votable->flags || strcmp(tag->name, "BINARY") == 0;
    return votable->binary
               ? enter(votable, BINARY)
               : wrong(votable, "the data are neither TABLEDATA nor BINARY nor BINARY2");
}

/* The STREAM of BINARY, where the bytes must be. */
static bool start_stream(struct votable *votable, const struct xml_tag *tag) {
    const char *encoding = xml_attribute(tag, "encoding");
    if (strcmp(tag->name, "STREAM") != 0)
        return wrong(votable, "binary data without a STREAM");
    if (xml_attribute(tag, "href"))
        return wrong(votable, "the data are elsewhere (href), which is not supported");
    if (!encoding || strcmp(encoding, "base64") != 0)
        return wrong(votable, "the data of a STREAM must be in base64");
    return start_rows(votable, STREAM);
}

static bool start_tr(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "TR") != 0)
        return wrong_row(votable, "an element other than a row (TR)");
    return start_row(votable) && enter(votable, TR);
}

static bool start_td(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "TD") != 0)
        return wrong_row(votable, "an element other than a cell (TD)");
    if (votable->cell == votable->fields)
        return wrong_row(votable, "more cells than there are fields");
    if (xml_attribute(tag, "encoding"))
        return wrong_row(votable, "a cell with its own encoding, which is not supported");
    return enter(votable, TD);
}

static bool start_element(struct table *table, const struct xml_tag *tag) {
    struct votable *votable = (struct votable *)table;
    bool info = strcmp(tag->name, "INFO") == 0, one = strcmp(tag->name, "TABLE") == 0;
    switch (votable->state) {
    case BEFORE:
        votable->state = DOCUMENT;
        return strcmp(tag->name, "VOTABLE") == 0 ||
               table_fail(table, 0, "is XML, but not a VOTable");
    case DOCUMENT:
        votable->tables += one;
        return info                             ? start_info(votable, tag)
               : one && is_wanted(votable, tag) ? enter(votable, TABLE)
                                                : true;
    case TABLE:
        return start_in_table(votable, tag);
    case DATA:
        return start_data(votable, tag);
    case BINARY:
        return start_stream(votable, tag);
    case TABLEDATA:
        return start_tr(votable, tag);
    case TR:
        return start_td(votable, tag);
    case STREAM:
        return wrong_row(votable, "an element within the data");
    case AFTER:
        return !info || start_info(votable, tag);
    case ERROR:
    case TD:
        break; /* only text counts */
    }
    return true;
}

/* ---------------------------------------------------------------- and what follows ------------ */

/* Text of a cell is kept when its field is of use. */
static bool take_text(struct table *table, struct span text) {
    struct votable *votable = (struct votable *)table;
    size_t used = strlen(votable->said), room = sizeof votable->said - 1 - used;
    if (votable->state == STREAM)
        return take_stream(votable, text);
    if (votable->state == ERROR)
        memcpy(votable->said + used, text.text, text.length < room ? text.length : room);
    return votable->state != TD || !votable->field[votable->cell].elements.count ||
           add_bytes(votable, text.text, text.length);
}

static bool end_tr(struct votable *votable) {
    struct table *table = &votable->table;
    if (votable->cell != votable->fields)
        return table_fail(table, 0, "row %zu: %zu cell%s for %zu fields",
                          table->before + table->loaded + 1, votable->cell, plural_s(votable->cell),
                          votable->fields);
    end_row(votable);
    return true;
}

/* That of the state ends; those within others are of no interest. */
static bool end_element(struct table *table) {
    struct votable *votable = (struct votable *)table;
    if (votable->xml.depth < votable->field_level)
        votable->field_level = 0;
    if (votable->xml.depth >= votable->level)
        return true;
    votable->level = votable->xml.depth; /* where it is not the end of the table */
    switch (votable->state) {
    case ERROR:
        return table_fail(table, 0, "the service that wrote it reports an error: %s",
                          votable->said);
    case BINARY:
        return wrong(votable, "binary data without a STREAM");
    case STREAM:
        votable->level = 0;
        return end_stream(votable);
    case TD:
        end_cell(votable);
        votable->state = TR;
        return true;
    case TR:
        votable->state = TABLEDATA;
        return end_tr(votable);
    default:
        votable->level = 0;
        votable->state = votable->fields ? AFTER : DOCUMENT;
        return true;
    }
}

/* ---------------------------------------------------------------- rows ------------------------ */

/* What is behind the rows must be well formed, or the file was cut. */
static bool votable_load(struct table *table) {
    struct votable *votable = (struct votable *)table;
    drop_rows(votable);
    while (!votable->xml.ended && !is_full(votable))
        if (!xml_read(&votable->xml))
            return false;
    return true;
}

/* ---------------------------------------------------------------- cells ----------------------- */

static struct span cell_at(const struct votable *votable, size_t row, size_t field) {
    const uint32_t *end = votable->ends + row * votable->fields + field;
    size_t start = row || field ? end[-1] : 0;
    return (struct span){votable->cells + start, *end - start};
}

/* UTF-16 with the highest byte first as UTF-8; half a pair becomes a question mark. */
static bool show_unicode(struct table *table, struct span cell, struct span *span,
                         struct complaint *complaint) {
    const unsigned char *bytes = (const unsigned char *)cell.text;
    char *text = text_pool_take(&table->cells, cell.length / 2 * 3 + 1), *put = text;
    if (!text)
        return table_complain_of_memory(table, complaint);
    for (size_t i = 0; i + 1 < cell.length; i += 2) {
        uint32_t code = (uint32_t)big_endian(bytes + i, 2), next = 0;
        if (!code)
            break;
        if (code >= 0xd800 && code < 0xdc00 && i + 3 < cell.length)
            next = (uint32_t)big_endian(bytes + i + 2, 2);
        if (next >= 0xdc00 && next < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
            i += 2;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = '?';
        }
        put += utf8_write(code, put);
    }
    *span = (struct span){text, (size_t)(put - text)};
    return true;
}

static bool votable_cell(struct table *table, size_t row, size_t column, struct cell *out,
                         struct complaint *complaint) {
    const struct votable *votable = (struct votable *)table;
    const struct column *place = &table->column[column];
    const struct votable_field *field = &votable->field[place->field];
    struct span cell = cell_at(votable, row, place->field);
    *out = (struct cell){.number = NAN};
    if (votable_is_text(field)) {
        bool unicode = votable->binary && field->type == 'U';
        if (unicode && !show_unicode(table, cell, &cell, complaint))
            return false;
        const char *nul = votable->binary && cell.length ? memchr(cell.text, 0, cell.length) : NULL;
        cell.length = nul ? (size_t)(nul - cell.text) : cell.length;
        out->kind = CELL_TEXT;
        out->text = votable_trim(cell);
        return true;
    }
    if (!cell.length)
        return true;
    if (votable->binary)
        return votable_read_bytes(field,
                                  (const unsigned char *)cell.text + place->element * field->bytes,
                                  table, out, complaint);
    return votable_read_text(field, cell, place->element, out) ||
           table_complain_of_text(table, row, column, cell, complaint);
}

/* ---------------------------------------------------------------- the reader ------------------ */

static bool votable_open(struct table *table, const struct opening *opening) {
    static const struct xml_reader reader = {start_element, end_element, take_text};
    struct votable *votable = (struct votable *)table;
    votable->part = opening->part;
    if (!xml_open(&votable->xml, table, &reader))
        return false;
    while (!votable->xml.ended && votable->state < TABLEDATA)
        if (!xml_read(&votable->xml))
            return false;
    return (votable->fields ||
            wrong(votable, votable->part ? "there is no such table" : "there is no table")) &&
           (table->columns || wrong(votable, "no field holds numbers or text")) &&
           reserve(votable, &votable->cells, &votable->size, BLOCK, 1);
}

static void votable_close(struct table *table) {
    struct votable *votable = (struct votable *)table;
    xml_close(&votable->xml);
    free(votable->field);
    free(votable->cells);
    free(votable->ends);
    free(votable->bytes);
}

const struct reader votable_reader = {
    .size = sizeof(struct votable),
    .has_parts = true,
    .open = votable_open,
    .load = votable_load,
    .judge = table_judge_digits,
    .cell = votable_cell,
    .close = votable_close,
};
