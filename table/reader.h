/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The interface of a format for reading: a table of functions, listed in formats.c. The struct of a
 * format starts with a struct table. table.c opens the file, hands out the rows that the format has
 * loaded, and converts their cells.
 */

#include "table/byte_stream.h"
#include "table/column_index.h"
#include "table/table.h"
#include "table/text_pool.h"

struct opening {
    const char *path, *part; /* part: the text in brackets after the path, or NULL */
    enum table_format format;
};

struct cell {
    enum {
        CELL_NUMBER, /* NaN: missing */
        CELL_TEXT,   /* without outer blanks; in a column of numbers it may be one */
        CELL_DIGITS  /* an integer that a double cannot hold */
    } kind;
    double number;
    struct span text; /* valid for the current rows */
};

/* Functions that return false have called table_fail, or written into their complaint. */
struct reader {
    size_t size;    /* of the struct of the format */
    bool has_parts; /* "stars.fits[2]" */
    bool (*open)(struct table *table, const struct opening *opening); /* adds the columns */
    /* The next rows into memory: their number is table->loaded, 0 at the end. Rows before what is
     * wrong are handed out before the complaint. */
    bool (*load)(struct table *table);
    bool (*judge)(struct table *table); /* settles the columns by the first rows; or NULL */
    /* A cell of row `row` of those in memory. */
    bool (*cell)(struct table *table, size_t row, size_t column, struct cell *cell,
                 struct complaint *complaint);
    void (*close)(struct table *table); /* frees everything except the members of struct table */

    /* These may be NULL. */
    /* Writes numbers of the current rows up to one that `cell` should see; returns how many. */
    size_t (*numbers)(struct table *table, size_t column, double *out, size_t stride);
    size_t (*line)(const struct table *table, size_t row); /* of a row in memory */
    const double *(*cells)(const struct table *table);     /* table_cells */
};

struct table {
    const struct reader *reader;
    struct byte_stream *input;
    struct text_pool names; /* texts that are valid until the table is closed */
    struct text_pool cells; /* texts that are valid for the current rows */
    const char *path;       /* for messages */
    bool cut_short;         /* the service that wrote it reports missing rows */
    struct column *column;
    size_t columns;
    struct column_index index; /* of their names */
    size_t loaded;             /* rows in memory */
    size_t before;             /* rows of the file before these */
    size_t first, rows;        /* the current ones of them */
    bool failed;               /* opening, or loading what follows */
    struct complaint complaint;
};

/* "stars.csv: ...", or "stars.csv:17: ..." if `line` is not 0; false. */
bool table_fail(struct table *table, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool table_no_memory(struct table *table);
bool table_complain_of_memory(const struct table *table, struct complaint *complaint);

/* The array of `count` elements with room for one more; NULL after table_no_memory. */
void *table_grow(struct table *table, void *array, size_t count, size_t size);

/* Adds a column; outer blanks are removed, and a unit of blanks is none. */
bool table_add_column(struct table *table, struct span name, struct span unit);

/* A judge: a column of numbers whose first rows have CELL_DIGITS is text, because such numbers are
 * identifiers and a double would change them. */
bool table_judge_digits(struct table *table);

/* "stars.csv:17: column flux: expected a number, found 'abc'", for a row in memory; false. */
bool table_complain_of_text(const struct table *table, size_t row, size_t column, struct span found,
                            struct complaint *complaint);

/* Without outer blanks, tabs and carriage returns. */
struct span span_trim(struct span span);
