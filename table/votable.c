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
 */
#include "table/big_endian.h"
#include "table/votable_rows.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

    bool binary; /* cells are bytes */
    struct votable_rows rows;
};

static bool wrong(struct votable *votable, const char *what) {
    return table_fail(&votable->table, 0, "VOTable: %s", what);
}

static bool wrong_row(struct votable *votable, const char *what) {
    return votable_wrong_row(&votable->rows, what);
}

/* The element that starts is that of a state. */
static bool enter(struct votable *votable, enum state state) {
    votable->state = state;
    votable->level = votable->xml.depth;
    return true;
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
    if (votable->rows.fields == MOST_FIELDS)
        return wrong(votable, "too many fields");
    struct votable_field *grown =
        table_grow(table, votable->rows.field, votable->rows.fields, sizeof *votable->rows.field);
    if (!grown)
        return false;
    votable->rows.field = grown;
    size_t index = votable->rows.fields++;
    return votable_field_read(&grown[index], table, index, tag);
}

static bool start_in_table(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "FIELD") == 0) {
        votable->field_level = votable->xml.depth;
        return add_field(votable, tag);
    }
    if (strcmp(tag->name, "VALUES") == 0 && votable->field_level)
        votable_field_null(&votable->rows.field[votable->rows.fields - 1], tag);
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
    votable->rows.flags = strcmp(tag->name, "BINARY2") == 0;
    votable->binary = votable->rows.flags || strcmp(tag->name, "BINARY") == 0;
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
    return votable_start_row(&votable->rows) && enter(votable, TR);
}

static bool start_td(struct votable *votable, const struct xml_tag *tag) {
    if (strcmp(tag->name, "TD") != 0)
        return wrong_row(votable, "an element other than a cell (TD)");
    if (votable->rows.cell == votable->rows.fields)
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
        return votable_take_stream(&votable->rows, text);
    if (votable->state == ERROR)
        memcpy(votable->said + used, text.text, text.length < room ? text.length : room);
    return votable->state != TD || !votable->rows.field[votable->rows.cell].elements.count ||
           votable_add_bytes(&votable->rows, text.text, text.length);
}

static bool end_tr(struct votable *votable) {
    struct table *table = &votable->table;
    if (votable->rows.cell != votable->rows.fields)
        return table_fail(table, 0, "row %zu: %zu cell%s for %zu fields",
                          table->before + table->loaded + 1, votable->rows.cell,
                          plural_s(votable->rows.cell), votable->rows.fields);
    votable_end_row(&votable->rows);
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
        votable->state = AFTER;
        return votable_end_stream(&votable->rows);
    case TD:
        votable_end_cell(&votable->rows);
        votable->state = TR;
        return true;
    case TR:
        votable->state = TABLEDATA;
        return end_tr(votable);
    default:
        votable->level = 0;
        votable->state = votable->rows.fields ? AFTER : DOCUMENT;
        return true;
    }
}

/* ---------------------------------------------------------------- rows ------------------------ */

/* What is behind the rows must be well formed, or the file was cut. */
static bool votable_load(struct table *table) {
    struct votable *votable = (struct votable *)table;
    votable_drop_rows(&votable->rows);
    while (!votable->xml.ended && !votable_is_full(&votable->rows))
        if (!xml_read(&votable->xml))
            return false;
    return true;
}

/* ---------------------------------------------------------------- cells ----------------------- */

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
    const struct votable_field *field = &votable->rows.field[place->field];
    struct span cell = votable_cell_at(&votable->rows, row, place->field);
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
    if (!votable_rows_open(&votable->rows, table) || !xml_open(&votable->xml, table, &reader))
        return false;
    while (!votable->xml.ended && votable->state < TABLEDATA)
        if (!xml_read(&votable->xml))
            return false;
    return (votable->rows.fields ||
            wrong(votable, votable->part ? "there is no such table" : "there is no table")) &&
           (table->columns || wrong(votable, "no field holds numbers or text"));
}

static void votable_close(struct table *table) {
    struct votable *votable = (struct votable *)table;
    xml_close(&votable->xml);
    votable_rows_free(&votable->rows);
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
