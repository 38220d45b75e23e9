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
    DECODED = 3 * (BUFFER_SIZE(1 << 14) / 4), /* bytes of base64 at a time */
};

enum serialisation { NO_ROWS, TABLEDATA, BINARY, BINARY2 };

/* Which element of which field a column is. */
struct place {
    size_t field, element;
};

struct votable {
    struct table table;
    struct xml xml;
    size_t fields;
    struct votable_field *field;
    struct place *place; /* one a column */
    enum serialisation serialisation;
    bool ended; /* all rows have been read, and what is behind them */

    char *cells; /* of the rows in the buffer */
    size_t size, filled;
    uint32_t *ends; /* rows x fields */
    size_t ends_size;

    struct base64 base64;
    struct span letters; /* base64 that is still to be decoded */
    unsigned char decoded[DECODED + 3];
    size_t decoded_at, decoded_end;
    bool stream_ended;
};

static bool wrong(struct votable *votable, const char *what) {
    return table_fail(&votable->table, 0, "VOTable: %s", what);
}

static bool wrong_row(struct votable *votable, const char *what) {
    return table_fail(&votable->table, 0, "row %zu: %s",
                      votable->table.before + votable->table.loaded + 1, what);
}

static bool is_binary(const struct votable *votable) {
    return votable->serialisation == BINARY || votable->serialisation == BINARY2;
}

/* ---------------------------------------------------------------- the buffer ------------------ */

/* Room for `size` more bytes of the row under way, which started at `start`. */
static bool make_room(struct votable *votable, size_t start, uint64_t size) {
    if (size > LONGEST_ROW - (votable->filled - start))
        return wrong_row(votable, "longer than 64 MiB");
    if (votable->filled + size <= votable->size)
        return true;
    size_t wanted = 2 * (votable->filled + (size_t)size);
    char *grown = realloc(votable->cells, wanted);
    if (!grown)
        return table_no_memory(&votable->table);
    votable->cells = grown;
    votable->size = wanted;
    return true;
}

/* Room for where the cells of one more row end. */
static bool make_ends(struct votable *votable) {
    size_t wanted = (votable->table.loaded + 1) * votable->fields;
    if (wanted <= votable->ends_size)
        return true;
    uint32_t *grown = realloc(votable->ends, 2 * wanted * sizeof *grown);
    if (!grown)
        return table_no_memory(&votable->table);
    votable->ends = grown;
    votable->ends_size = 2 * wanted;
    return true;
}

static void end_cell(struct votable *votable, size_t field) {
    votable->ends[votable->table.loaded * votable->fields + field] = (uint32_t)votable->filled;
}

/* ---------------------------------------------------------------- cells as text --------------- */

/* The text of a TD up to its end; kept when the field is of use. */
static bool take_cell(struct votable *votable, size_t field, size_t row_start) {
    struct xml *xml = &votable->xml;
    size_t depth = xml->depth;
    if (xml_attribute(xml, "encoding"))
        return wrong_row(votable, "a cell with its own encoding, which is not supported");
    while (xml_next(xml)) {
        if (xml->event == XML_END && xml->depth < depth) {
            end_cell(votable, field);
            return true;
        }
        if (xml->event != XML_TEXT || !votable->field[field].elements.count)
            continue;
        if (!make_room(votable, row_start, xml->text.length))
            return false;
        memcpy(votable->cells + votable->filled, xml->text.text, xml->text.length);
        votable->filled += xml->text.length;
    }
    return false;
}

/* The cells of a TR. */
static bool take_cells(struct votable *votable) {
    struct xml *xml = &votable->xml;
    size_t depth = xml->depth, count = 0, start = votable->filled;
    while (xml_next(xml)) {
        if (xml->event == XML_END && xml->depth < depth) {
            if (count == votable->fields)
                return true;
            return table_fail(&votable->table, 0, "row %zu: %zu cell%s for %zu fields",
                              votable->table.before + votable->table.loaded + 1, count,
                              plural_s(count), votable->fields);
        }
        if (xml->event != XML_START)
            continue;
        if (strcmp(xml->name, "TD") != 0)
            return wrong_row(votable, "an element other than a cell (TD)");
        if (count == votable->fields)
            return wrong_row(votable, "more cells than there are fields");
        if (!take_cell(votable, count++, start))
            return false;
    }
    return false;
}

static bool take_text_row(struct votable *votable, bool *any) {
    struct xml *xml = &votable->xml;
    while (xml_next(xml)) {
        *any = xml->event == XML_START;
        if (xml->event == XML_END)
            return true;
        if (*any && strcmp(xml->name, "TR") != 0)
            return wrong_row(votable, "an element other than a row (TR)");
        if (*any)
            return take_cells(votable);
    }
    return false;
}

/* ---------------------------------------------------------------- cells in base64 ------------- */

/* Some decoded bytes, none only at the end of the data. */
static bool decode_some(struct votable *votable) {
    struct xml *xml = &votable->xml;
    while (votable->decoded_at == votable->decoded_end && !votable->stream_ended) {
        if (!votable->letters.length) {
            if (!xml_next(xml))
                return false;
            if (xml->event == XML_START)
                return wrong_row(votable, "an element within the data");
            votable->stream_ended = xml->event == XML_END;
            if (votable->stream_ended && !base64_is_whole(&votable->base64))
                return wrong_row(votable, "the base64 data end within a group of characters");
            if (xml->event == XML_TEXT)
                votable->letters = xml->text;
            continue;
        }
        size_t piece = votable->letters.length < 4 * DECODED / 3 ? votable->letters.length
                                                                 : (size_t)4 * DECODED / 3;
        votable->decoded_at = 0;
        if (!base64_read(&votable->base64, votable->letters.text, piece, votable->decoded,
                         &votable->decoded_end))
            return wrong_row(votable, "the data are not base64");
        votable->letters.text += piece;
        votable->letters.length -= piece;
    }
    return true;
}

/* `size` bytes of the data, for nothing where `out` is NULL. */
static bool take_bytes(struct votable *votable, uint64_t size, void *out) {
    char *put = out;
    while (size) {
        if (!decode_some(votable))
            return false;
        size_t there = votable->decoded_end - votable->decoded_at;
        size_t piece = size < there ? (size_t)size : there;
        if (!there)
            return wrong_row(votable, "the data end within it; is the file truncated?");
        if (put) {
            memcpy(put, votable->decoded + votable->decoded_at, piece);
            put += piece;
        }
        votable->decoded_at += piece;
        size -= piece;
    }
    return true;
}

/* How many bytes the next cell has; those that say so are taken. */
static bool measure_cell(struct votable *votable, const struct votable_field *field,
                         uint64_t *size) {
    unsigned char length[4];
    uint64_t count = field->count;
    if (field->variable) {
        if (!take_bytes(votable, sizeof length, length))
            return false;
        count = big_endian(length, sizeof length);
        if (count > INT32_MAX)
            return wrong_row(votable, "a cell of negative length");
    }
    *size = field->type == 'X' ? (count + 7) / 8 : count * field->bytes;
    return true;
}

static bool take_byte_row(struct votable *votable, bool *any) {
    unsigned char missing[MOST_FIELDS / 8 + 1];
    size_t start = votable->filled, flags = (votable->fields + 7) / 8;
    uint64_t taken = 0;
    memset(missing, 0, flags);
    if (!decode_some(votable))
        return false;
    *any = votable->decoded_at < votable->decoded_end;
    if (!*any)
        return true;
    if (votable->serialisation == BINARY2 && !take_bytes(votable, flags, missing))
        return false;
    for (size_t i = 0; i < votable->fields; i++) {
        const struct votable_field *field = &votable->field[i];
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): set for all fields. */
        bool kept = field->elements.count && !(missing[i / 8] & 0x80 >> i % 8);
        uint64_t size = 0;
        if (!measure_cell(votable, field, &size) || (kept && !make_room(votable, start, size)) ||
            !take_bytes(votable, size, kept ? votable->cells + votable->filled : NULL))
            return false;
        votable->filled += kept ? (size_t)size : 0;
        taken += size + 4 * field->variable;
        end_cell(votable, i);
    }
    return taken || votable->serialisation == BINARY2 ||
           wrong_row(votable, "data for fields that have no content");
}

/* ---------------------------------------------------------------- the document ---------------- */

/* Services answer with a VOTable when something went wrong too, and say so after rows that are
 * not all there were. They also say when they sent as many rows as they are willing to send, and
 * there are more. */
static bool check_info(struct votable *votable) {
    struct xml *xml = &votable->xml;
    const char *name = xml_attribute(xml, "name"), *value = xml_attribute(xml, "value");
    char said[256] = "";
    size_t depth = xml->depth, used = 0;
    if (strcmp(xml->name, "INFO") != 0 || !name || strcmp(name, "QUERY_STATUS") != 0 || !value)
        return true;
    votable->table.cut_short = votable->table.cut_short || strcmp(value, "OVERFLOW") == 0;
    if (strcmp(value, "ERROR") != 0)
        return true;
    while (xml_next(xml)) {
        if (xml->event == XML_END && xml->depth < depth)
            return table_fail(&votable->table, 0, "the service that wrote it reports an error: %s",
                              said);
        size_t room = sizeof said - 1 - used;
        if (xml->event == XML_TEXT) {
            size_t piece = xml->text.length < room ? xml->text.length : room;
            memcpy(said + used, xml->text.text, piece);
            used += piece;
        }
    }
    return false;
}

/* Whether this table is the one asked for, "2" or by name or ID; without a wish, the first. */
static bool is_wanted(const struct xml *xml, size_t number, const char *part) {
    const char *name = xml_attribute(xml, "name"), *id = xml_attribute(xml, "ID");
    char digits[32];
    if (!part)
        return true;
    snprintf(digits, sizeof digits, "%zu", number);
    return strcmp(part, digits) == 0 || (name && strcasecmp(name, part) == 0) ||
           (id && strcasecmp(id, part) == 0);
}

/* Also its columns, and where they are. */
static bool add_field(struct votable *votable) {
    struct table *table = &votable->table;
    if (votable->fields == MOST_FIELDS)
        return wrong(votable, "too many fields");
    struct votable_field *grown =
        table_grow(table, votable->field, votable->fields, sizeof *votable->field);
    if (!grown)
        return false;
    votable->field = grown;
    size_t column = table->columns, index = votable->fields++;
    if (!votable_field_read(&grown[index], &votable->xml))
        return false;
    for (size_t k = 0; column < table->columns; k++, column++) {
        struct place *places = table_grow(table, votable->place, column, sizeof *places);
        if (!places)
            return false;
        votable->place = places;
        places[column] = (struct place){index, k};
    }
    return true;
}

/* From BINARY to its STREAM, where the bytes must be. */
static bool find_stream(struct votable *votable) {
    struct xml *xml = &votable->xml;
    do {
        if (!xml_next(xml))
            return false;
        if (xml->event == XML_END || xml->event == XML_DONE)
            return wrong(votable, "binary data without a STREAM");
    } while (xml->event != XML_START);
    const char *encoding = xml_attribute(xml, "encoding");
    if (strcmp(xml->name, "STREAM") != 0)
        return wrong(votable, "binary data without a STREAM");
    if (xml_attribute(xml, "href"))
        return wrong(votable, "the data are elsewhere (href), which is not supported");
    return (encoding && strcmp(encoding, "base64") == 0) ||
           wrong(votable, "the data of a STREAM must be in base64");
}

/* DATA has started: what it holds. */
static bool find_rows(struct votable *votable) {
    struct xml *xml = &votable->xml;
    do {
        if (!xml_next(xml))
            return false;
        if (xml->event == XML_END || xml->event == XML_DONE)
            return true; /* no rows */
    } while (xml->event != XML_START);
    if (strcmp(xml->name, "TABLEDATA") == 0)
        votable->serialisation = TABLEDATA;
    else if (strcmp(xml->name, "BINARY") == 0)
        votable->serialisation = BINARY;
    else if (strcmp(xml->name, "BINARY2") == 0)
        votable->serialisation = BINARY2;
    else
        return wrong(votable, "the data are neither TABLEDATA nor BINARY nor BINARY2");
    return votable->serialisation == TABLEDATA || find_stream(votable);
}

/* The fields of the TABLE that has started, up to its rows or its end. */
static bool read_table(struct votable *votable) {
    struct xml *xml = &votable->xml;
    size_t depth = xml->depth, field_depth = 0;
    while (xml_next(xml)) {
        if (xml->event == XML_END && xml->depth < depth)
            return true; /* no rows */
        if (xml->event == XML_END && xml->depth < field_depth)
            field_depth = 0;
        if (xml->event != XML_START)
            continue;
        if (strcmp(xml->name, "FIELD") == 0) {
            field_depth = xml->depth;
            if (!add_field(votable))
                return false;
        } else if (strcmp(xml->name, "VALUES") == 0 && field_depth) {
            votable_field_null(&votable->field[votable->fields - 1], xml);
        } else if (strcmp(xml->name, "DATA") == 0) {
            return find_rows(votable);
        }
    }
    return false;
}

static bool find_table(struct votable *votable, const char *part) {
    struct xml *xml = &votable->xml;
    for (size_t number = 0, elements = 0; !votable->fields;) {
        if (!xml_next(xml))
            return false;
        if (xml->event == XML_DONE && elements)
            return wrong(votable, part ? "there is no such table" : "there is no table");
        if (xml->event != XML_START && xml->event != XML_DONE)
            continue;
        if (!elements++ && (xml->event == XML_DONE || strcmp(xml->name, "VOTABLE") != 0))
            return table_fail(&votable->table, 0, "is XML, but not a VOTable");
        if (!check_info(votable))
            return false;
        if (strcmp(xml->name, "TABLE") == 0 && is_wanted(xml, ++number, part) &&
            !read_table(votable))
            return false;
    }
    return true;
}

/* What is behind the rows: it must be well formed, or the file was cut. */
static bool read_end(struct votable *votable) {
    struct xml *xml = &votable->xml;
    while (xml_next(xml)) {
        votable->ended = xml->event == XML_DONE;
        if (votable->ended)
            return true;
        if (xml->event == XML_START && !check_info(votable))
            return false;
    }
    return false;
}

/* ---------------------------------------------------------------- rows ------------------------ */

static bool take_row(struct votable *votable, bool *any) {
    *any = false;
    if (!make_ends(votable))
        return false;
    switch (votable->serialisation) {
    case TABLEDATA:
        return take_text_row(votable, any);
    case BINARY:
    case BINARY2:
        return take_byte_row(votable, any);
    case NO_ROWS:
        break;
    }
    return true;
}

static bool votable_load(struct table *table) {
    struct votable *votable = (struct votable *)table;
    bool any = !votable->ended;
    votable->filled = 0;
    while (any && votable->filled < BLOCK && table->loaded * votable->fields < BLOCK / 4) {
        if (!take_row(votable, &any))
            return false;
        table->loaded += any;
    }
    return any || votable->ended || read_end(votable);
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
    const struct place *place = &votable->place[column];
    const struct votable_field *field = &votable->field[place->field];
    struct span cell = cell_at(votable, row, place->field);
    *out = (struct cell){.number = NAN};
    if (votable_is_text(field)) {
        bool unicode = is_binary(votable) && field->type == 'U';
        if (unicode && !show_unicode(table, cell, &cell, complaint))
            return false;
        const char *nul =
            is_binary(votable) && cell.length ? memchr(cell.text, 0, cell.length) : NULL;
        cell.length = nul ? (size_t)(nul - cell.text) : cell.length;
        out->kind = CELL_TEXT;
        out->text = votable_trim(cell);
        return true;
    }
    if (!cell.length)
        return true;
    if (is_binary(votable))
        return votable_read_bytes(field,
                                  (const unsigned char *)cell.text + place->element * field->bytes,
                                  table, out, complaint);
    return votable_read_text(field, cell, place->element, out) ||
           table_complain_of_text(table, row, column, cell, complaint);
}

/* ---------------------------------------------------------------- the reader ------------------ */

static bool votable_open(struct table *table, const struct opening *opening) {
    struct votable *votable = (struct votable *)table;
    return xml_open(&votable->xml, table) && find_table(votable, opening->part) &&
           (table->columns || wrong(votable, "no field holds numbers or text")) &&
           make_room(votable, 0, BLOCK);
}

static void votable_close(struct table *table) {
    struct votable *votable = (struct votable *)table;
    xml_close(&votable->xml);
    free(votable->field);
    free(votable->place);
    free(votable->cells);
    free(votable->ends);
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
