/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rows of a CSV file in a buffer: `starts` has the start of each row and `ends` the end of each
 * cell, so a cell starts after the end of the cell before it. Nothing is copied: quoted cells are
 * decoded in place when their row is complete, and the rest is filled with blanks.
 */

#include "table/blanks.h"
#include "table/ecsv.h"
#include "table/reader.h"

#include <stdint.h>

struct csv {
    struct table table;
    char separator;
    bool squeezed; /* columns are set apart by any number of blanks, of which one is kept */
    struct blanks blanks;
    struct ecsv ecsv;    /* found: the file is ECSV */
    bool ended;          /* the input has no more than what the buffer holds */
    char *block, *text;  /* the buffer with its margins, and without */
    size_t size, filled; /* of the buffer without margins; bytes in it */
    size_t begin;        /* of what has not been split into rows */
    size_t line;         /* number of the line the buffer starts in, from 1 */
    uint32_t *starts, *ends;
    size_t header; /* line of the header */
};

/* Drops what is before `begin` and reads on; grows when that leaves no room. */
bool csv_refill(struct csv *csv);

/* The next rows, at most `most`; none at the end of the file. */
bool csv_take(struct csv *csv, size_t most);

struct span csv_span(const struct csv *csv, size_t row, size_t column);

/* The number of the line of a place in the buffer. */
size_t csv_line_of(const struct csv *csv, size_t offset);
