/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_READER_H
#define TABLE_READER_H

/*
 * The interface of a format for reading: a table of functions, listed in table.c. The struct of a
 * format starts with a struct table.
 */

#include "table/byte_stream.h"
#include "table/column_index.h"
#include "table/text_pool.h"
#include "table/table.h"

struct opening {
    const char *path, *part; /* part: the text in brackets after the path, or NULL */
    enum table_format format;
};

struct reader {
    /* Owns the input, also on failure. */
    struct table *(*open)(struct byte_stream *input, const struct opening *opening,
                          struct complaint *complaint);
    void (*close)(struct table *table); /* frees everything except the members of struct table */
    /* Sets table->rows, which is 0 before. */
    bool (*next)(struct table *table, size_t most, struct complaint *complaint);
    bool (*numbers)(struct table *table, size_t column, double *out, size_t stride,
                    struct complaint *complaint);
    bool (*text)(struct table *table, size_t row, size_t column, struct span *span,
                 struct complaint *complaint);
    void (*place)(const struct table *table, size_t row, char *text, size_t size);
    /* As `text`, but numbers in their shortest form; NULL if `text` does that already. */
    bool (*label)(struct table *table, size_t row, size_t column, struct span *span,
                  struct complaint *complaint);
    /* table_cells; NULL if a format never has them in memory. */
    const double *(*cells)(const struct table *table);
};

extern const struct reader csv_reader, fits_reader, row_file_reader, votable_reader;

struct table {
    const struct reader *reader;
    struct text_pool names; /* texts that are valid until the table is closed */
    struct text_pool cells; /* texts that are valid for the current rows */
    const char *path;       /* for messages */
    bool cut_short;         /* the service that wrote it reports missing rows */
    struct column *column;
    size_t columns;
    struct column_index index; /* of their names */
    size_t rows;               /* current rows */
    size_t before;             /* rows before the current ones */
};

/* A zeroed struct of `size` bytes that starts with a table; free with table_close. */
void *table_create(size_t size, const struct reader *reader, const char *path,
                   struct complaint *complaint);

/* Allocates this number of columns, all zero. */
bool table_make_columns(struct table *table, size_t columns, struct complaint *complaint);

/* Sets *span to the shortest text of a number, empty for NaN. */
bool table_show_number(struct table *table, double value, struct span *span,
                       struct complaint *complaint);

/* Converts the text of a cell to a label: in a column of numbers, the shortest form of the number.
 */
bool table_shorten_label(struct table *table, size_t column, struct span *span,
                         struct complaint *complaint);

/* "stars.csv:17: column flux: expected a number, found 'abc'"; false. */
bool table_complain_of_text(const struct table *table, size_t row, size_t column, struct span found,
                            struct complaint *complaint);

bool table_complain_of_memory(const struct table *table, struct complaint *complaint);

/* "stars.fits: row 17", the place in formats without lines. */
void table_place_row(const struct table *table, size_t row, char *text, size_t size);

/* Outer blanks removed. */
struct span span_trim(struct span span);

#endif
