/* SPDX-License-Identifier: Apache-2.0 */
#include "table/votable_rows.h"

#include "table/big_endian.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = BUFFER_SIZE(1 << 20), /* bytes of current cells, more if a row is longer */
    LONGEST_ROW = 64 << 20,
};

bool votable_wrong_row(struct votable_rows *rows, const char *what) {
    return table_fail(rows->table, 0, "row %zu: %s", rows->table->before + rows->table->loaded + 1,
                      what);
}

/* ---------------------------------------------------------------- the buffer ------------------ */

/* The array with room for so many elements; NULL after table_no_memory. */
static void *reserve(struct votable_rows *rows, void *array, size_t *size, size_t wanted,
                     size_t each) {
    if (wanted <= *size)
        return array;
    void *grown = realloc(array, 2 * wanted * each);
    if (grown)
        *size = 2 * wanted;
    else
        table_no_memory(rows->table);
    return grown;
}

/* Bytes of a cell. */
bool votable_add_bytes(struct votable_rows *rows, const void *bytes, size_t size) {
    if (size > LONGEST_ROW - (rows->filled - rows->row_start))
        return votable_wrong_row(rows, "longer than 64 MiB");
    char *cells = reserve(rows, rows->cells, &rows->size, rows->filled + size, 1);
    if (!cells)
        return false;
    rows->cells = cells;
    if (size)
        memcpy(rows->cells + rows->filled, bytes, size);
    rows->filled += size;
    return true;
}

bool votable_start_row(struct votable_rows *rows) {
    rows->begun = true;
    rows->cell = 0;
    rows->taken = 0;
    rows->row_start = rows->filled;
    rows->row_ends = rows->table->loaded * rows->fields;
    uint32_t *ends = reserve(rows, rows->ends, &rows->ends_size, rows->row_ends + rows->fields,
                             sizeof *rows->ends);
    rows->ends = ends ? ends : rows->ends;
    return ends != NULL;
}

void votable_end_cell(struct votable_rows *rows) {
    rows->ends[rows->row_ends + rows->cell++] = (uint32_t)rows->filled;
}

void votable_end_row(struct votable_rows *rows) {
    rows->begun = false;
    rows->table->loaded++;
}

/* Leaves nothing in the buffer but the row under way. */
void votable_drop_rows(struct votable_rows *rows) {
    size_t start = rows->begun ? rows->row_start : rows->filled;
    for (size_t i = 0; rows->begun && i < rows->cell; i++)
        rows->ends[i] = rows->ends[rows->row_ends + i] - (uint32_t)start;
    rows->filled -= start;
    memmove(rows->cells, rows->cells + start, rows->filled);
    rows->row_start = rows->row_ends = 0;
}

bool votable_is_full(const struct votable_rows *rows) {
    return rows->filled >= BLOCK || rows->table->loaded * rows->fields >= BLOCK / 4;
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
static bool take_byte_cell(struct votable_rows *rows, const unsigned char **at, size_t there,
                           bool *any) {
    const struct votable_field *field = &rows->field[rows->cell];
    size_t i = rows->cell, before;
    uint64_t size;
    bool kept = field->elements.count && !(rows->missing[i / 8] & 0x80 >> i % 8);
    *any = measure_cell(field, *at, there, &size, &before);
    if (!*any)
        return true;
    if (field->variable && big_endian(*at, 4) > INT32_MAX)
        return votable_wrong_row(rows, "a cell of negative length");
    if (kept && size > LONGEST_ROW)
        return votable_wrong_row(rows, "longer than 64 MiB");
    *any = !kept || size <= there - before;
    if (!*any)
        return true;
    if (kept && !votable_add_bytes(rows, *at + before, (size_t)size))
        return false;
    size_t taken = size < there - before ? (size_t)size : there - before;
    *at += before + taken;
    rows->taken += before + size;
    rows->passed_over = size - taken;
    votable_end_cell(rows);
    return true;
}

/* What comes next: bytes of no use, the flags of a row, or a cell. */
static bool take_some(struct votable_rows *rows, const unsigned char **at, size_t there,
                      bool *any) {
    size_t flags = rows->flags ? (rows->fields + 7) / 8 : 0;
    if (rows->passed_over) {
        size_t piece = rows->passed_over < there ? (size_t)rows->passed_over : there;
        *at += piece;
        rows->passed_over -= piece;
        *any = piece > 0;
        return true;
    }
    if (!rows->begun) {
        *any = there >= flags && there;
        if (!*any || !votable_start_row(rows))
            return !*any;
        memcpy(rows->missing, *at, flags);
        *at += flags;
        rows->taken = flags;
        return true;
    }
    if (rows->cell < rows->fields)
        return take_byte_cell(rows, at, there, any);
    *any = true;
    votable_end_row(rows);
    return rows->taken || votable_wrong_row(rows, "data for fields that have no content");
}

/* Text of a STREAM. */
bool votable_take_stream(struct votable_rows *rows, struct span letters) {
    size_t made = 0, wanted = rows->bytes_filled + 3 * (letters.length + 3) / 4;
    unsigned char *bytes = reserve(rows, rows->bytes, &rows->bytes_size, wanted, 1);
    if (!bytes)
        return false;
    rows->bytes = bytes;
    if (!base64_read(&rows->base64, letters.text, letters.length, rows->bytes + rows->bytes_filled,
                     &made))
        return votable_wrong_row(rows, "the data are not base64");
    const unsigned char *at = rows->bytes, *end = at + rows->bytes_filled + made;
    for (bool any = true; any;)
        if (!take_some(rows, &at, (size_t)(end - at), &any))
            return false;
    rows->bytes_filled = (size_t)(end - at);
    if (at > rows->bytes)
        memmove(rows->bytes, at, rows->bytes_filled);
    return true;
}

bool votable_end_stream(struct votable_rows *rows) {
    if (!base64_is_whole(&rows->base64))
        return votable_wrong_row(rows, "the base64 data end within a group of characters");
    return (!rows->bytes_filled && !rows->begun) ||
           votable_wrong_row(rows, "the data end within it; is the file truncated?");
}

struct span votable_cell_at(const struct votable_rows *rows, size_t row, size_t field) {
    const uint32_t *end = rows->ends + row * rows->fields + field;
    size_t start = row || field ? end[-1] : 0;
    return (struct span){rows->cells + start, *end - start};
}

bool votable_rows_open(struct votable_rows *rows, struct table *table) {
    rows->table = table;
    rows->cells = reserve(rows, NULL, &rows->size, BLOCK, 1);
    return rows->cells != NULL;
}

void votable_rows_free(struct votable_rows *rows) {
    free(rows->field);
    free(rows->cells);
    free(rows->ends);
    free(rows->bytes);
}
