/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The rows of a VOTable in a buffer: the bytes of cells one behind the other, and where each ends;
 * as they come from elements or from a STREAM. Functions that return false have called table_fail.
 */

#include "table/base64.h"
#include "table/buffer_size.h"
#include "table/votable_field.h"

enum { MOST_FIELDS = COLUMN_LIMIT(1 << 16) };

struct votable_rows {
    struct table *table;
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

/* Start with {0}. */
bool votable_rows_open(struct votable_rows *rows, struct table *table);
void votable_rows_free(struct votable_rows *rows);

bool votable_wrong_row(struct votable_rows *rows, const char *what);

bool votable_start_row(struct votable_rows *rows);
bool votable_add_bytes(struct votable_rows *rows, const void *bytes, size_t size); /* of a cell */
void votable_end_cell(struct votable_rows *rows);
void votable_end_row(struct votable_rows *rows);

/* Text of a STREAM in base64, and its end. */
bool votable_take_stream(struct votable_rows *rows, struct span letters);
bool votable_end_stream(struct votable_rows *rows);

/* Leaves nothing in the buffer but the row under way. */
void votable_drop_rows(struct votable_rows *rows);
bool votable_is_full(const struct votable_rows *rows);

/* A cell of no bytes is missing. */
struct span votable_cell_at(const struct votable_rows *rows, size_t row, size_t field);
