/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

/*
 * Tables as streams of blocks of rows, whatever they are kept in. Memory does not grow with the
 * number of rows (but see libsvm.c). One file a format; table.c chooses by name and content.
 *
 *     struct table *table = table_open("stars.fits.gz", TABLE_ANY, &complaint);
 *     while (table_next(table, 4096, &rows, &complaint) && rows)
 *         table_numbers(table, flux, values, 1, &complaint);
 *     table_close(table);
 *
 * Every complaint names file, line (or row, where a format has no lines) and column.
 */

#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

enum table_format {
    TABLE_ANY,
    TABLE_CSV,
    TABLE_TSV,
    TABLE_FITS,
    TABLE_IDX,
    TABLE_LIBSVM,
    TABLE_ECSV,
    TABLE_VOTABLE,
    TABLE_VOTABLE_BINARY, /* these two are written so; a file says itself which it is */
    TABLE_VOTABLE_BINARY2,
    TABLE_ROWS /* a row file, docs/row-file.md */
};

/* "csv", "tsv", "fits", "idx", "libsvm", "ecsv", "votable", "votable-binary", "votable-binary2",
 * "rows", "any"; false for any other name. */
bool table_format_named(const char *name, enum table_format *format);

enum column_kind { COLUMN_NUMBER, COLUMN_TEXT };

struct column {
    const char
        *name; /* without surrounding blanks, as the file spells it; empty where it has none */
    enum column_kind kind;
    const char *unit; /* or NULL */
    size_t width;     /* of text: the maximum in bytes, 0 if unknown */
    bool empty;       /* of CSV: all missing in the rows it was judged by, so anything may follow */
};

struct span {
    const char *text; /* not terminated */
    size_t length;
};

/* ---------------------------------------------------------------- reading --------------------- */

struct table;

/*
 * "-" is standard input; gzip is recognised by its first bytes. NULL and a complaint when the file
 * cannot be opened, is empty, or is not a table. A table of a header alone is one without rows.
 * FITS and VOTable: the first table of the file, or the part "stars.fits[2]" or "stars.fits[NAME]"
 * says.
 *
 * Kinds of CSV columns are judged by the first rows (some 500 kB): a column is a number when all
 * its cells there are numbers or missing. ECSV, FITS and VOTable say themselves what is text.
 * Integers beyond 2^53 in the first rows make a column text: they are names, which a double would
 * change.
 */
struct table *table_open(const char *path, enum table_format format, struct complaint *complaint);
void table_close(struct table *table);

/* For messages: as given, or "standard input". */
const char *table_path(const struct table *table);

/* The file beside it that part of the columns comes from (IDX: the labels), or NULL. */
const char *table_beside(const struct table *table);

/* Whether the service that wrote the table says that it left rows out (VOTable: QUERY_STATUS
 * OVERFLOW). Known for certain when all rows have been read. */
bool table_cut_short(const struct table *table);

size_t table_columns(const struct table *table);
const struct column *table_column(const struct table *table, size_t index);
const char *table_column_name(const struct table *table, size_t index);

enum { NO_COLUMN = -1, TWO_COLUMNS = -2 };

/* Index of the column, or NO_COLUMN, or TWO_COLUMNS when the name stands there twice. An exact
 * match wins over one that differs in case. */
long table_find(const struct table *table, const char *name);

/* Moves on to the next rows, at most `most`, perhaps fewer; *rows = 0 at the end and only there.
 * What spans pointed to is gone. A bad row is complained of when it comes next; damage that only a
 * check sum shows (gzip, FITS), at the end. */
bool table_next(struct table *table, size_t most, size_t *rows, struct complaint *complaint);

/* One column of the rows at hand into out[0], out[stride], ...; NaN where missing (empty, NaN, NA,
 * null, --, a FITS null). Complains of text that is no number. */
bool table_numbers(struct table *table, size_t column, double *out, size_t stride,
                   struct complaint *complaint);

/* One cell of the rows at hand as text, outer blanks removed; numbers as the shortest decimal that
 * reads back the same (CSV: as the file spells it). Empty where missing; in CSV columns of text
 * only an empty cell is missing, NA and the like are words. */
bool table_text(struct table *table, size_t row, size_t column, struct span *span,
                struct complaint *complaint);

/* The same as the name of a class: in a column of numbers 1, 1.0 and 1e0 are the same label in
 * every format, the shortest text of the number. */
bool table_label(struct table *table, size_t row, size_t column, struct span *span,
                 struct complaint *complaint);

/* All rows of a table that is mapped as it is (a row file in this machine's byte order): column j
 * of row i is cells[i * table_columns() + j], until the table is closed; in columns of text the
 * number of a word. Else NULL. */
const double *table_cells(const struct table *table);

/* For messages: "stars.csv:17" or "stars.fits: row 17", of a row at hand, into a caller's buffer.
 */
void table_place(const struct table *table, size_t row, char *text, size_t size);

/* ---------------------------------------------------------------- writing --------------------- */

struct table_writer;

/*
 * "-" is standard output. Formats: all but IDX and LIBSVM, gzipped when the name ends in .gz;
 * TABLE_ANY goes by the name's ending, CSV when it has none; others are refused. A file is written
 * beside `path` and renamed by table_writer_close, so that nothing half-written is ever seen there.
 * What exists and is not a regular file (/dev/null, a pipe) is written straight away.
 *
 * When the reader of a pipe has gone, and the signal SIGPIPE is ignored so that we get to know, the
 * complaint has the code READER_GONE: whoever reads has enough, and nothing is wrong.
 *
 * Row files: text is UTF-8, and a column has at most 2^20 different ones.
 *
 * FITS: an `empty` column is written as text. Names are ASCII and at most 68 long, or opening
 * fails; text is never cut, and `width` is not needed.
 */
struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint);

/* Complains when the name of a file says no format that can be written. */
bool table_writer_knows(const char *path, struct complaint *complaint);

/* The cells of a row, in the order of the columns; then the end of the row. A cell of the other
 * kind than its column is turned into it. NaN is written as an empty cell (FITS: NaN). Numbers as
 * the shortest decimal that reads back the same. */
bool table_write_number(struct table_writer *writer, double value, struct complaint *complaint);
bool table_write_text(struct table_writer *writer, struct span text, struct complaint *complaint);
bool table_write_end(struct table_writer *writer, struct complaint *complaint);

/* Flushes, syncs, renames, frees. */
bool table_writer_close(struct table_writer *writer, struct complaint *complaint);

/* Frees and leaves no file behind. NULL is fine. */
void table_writer_abandon(struct table_writer *writer);

#endif
