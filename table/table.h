/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tables as streams of blocks of rows, in any format. Memory does not grow with the number of rows.
 * Each format is one file; table.c chooses the format by name and content.
 *
 *     struct table *table = table_open("stars.fits.gz", TABLE_ANY, &complaint);
 *     while (table_next(table, 4096, &rows, &complaint) && rows)
 *         table_numbers(table, flux, values, 1, &complaint);
 *     table_close(table);
 *
 * Every complaint names the file, the line (or row, in formats without lines) and the column.
 */

#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

/* The formats: FORMAT(identifier, name, file, endings of names of files). A new format is a line
 * here, file.c with file_reader, and write_file.c with file_writer (reader.h, writer.h). */
#define TABLE_FORMAT_LIST(FORMAT)                                                                  \
    FORMAT(ANY, "any", csv, "")                                                                    \
    FORMAT(CSV, "csv", csv, ".csv .txt .dat")                                                      \
    FORMAT(TSV, "tsv", csv, ".tsv .tab")                                                           \
    FORMAT(ECSV, "ecsv", csv, ".ecsv")                                                             \
    FORMAT(FITS, "fits", fits, ".fits .fit .fts")                                                  \
    FORMAT(VOTABLE, "votable", votable, ".vot .votable .xml")                                      \
    FORMAT(ROWS, "rows", row_file, ".nimrows") /* docs/row-file.md */

enum table_format {
#define TABLE_FORMAT(format, ...) TABLE_##format,
    TABLE_FORMAT_LIST(TABLE_FORMAT)
#undef TABLE_FORMAT
};

/* Their names, "any, csv, ...", as a text that is constant. */
#define TABLE_FORMAT_NAME(format, name, ...) ", " name
#define TABLE_FORMAT_NAMES (&TABLE_FORMAT_LIST(TABLE_FORMAT_NAME)[2])

/* False for a name that is not among them. */
bool table_format_named(const char *name, enum table_format *format);

enum column_kind { COLUMN_NUMBER, COLUMN_TEXT };

struct column {
    const char *name; /* as in the file, without surrounding blanks; empty if it has none */
    enum column_kind kind;
    const char *unit; /* or NULL */
    bool empty;       /* CSV: all cells of the first rows are missing, so the type is unknown */
    size_t each;      /* written: numbers in a cell; 0 is 1. Only in formats with vectors */
    const char *note; /* written with a vector: what its numbers are; or NULL */
    size_t field, element; /* FITS, VOTable: which element of which field of the file it is */
};

struct span {
    const char *text; /* not terminated */
    size_t length;
};

struct span span_of(const char *text);

/* ---------------------------------------------------------------- reading --------------------- */

struct table;

/*
 * "-" is standard input; gzip is recognised by its first bytes. Returns NULL and a complaint if the
 * file cannot be opened, is empty, or is not a table. A header alone is a table without rows. FITS
 * and VOTable: the first table of the file, or the one in "stars.fits[2]" or "stars.fits[NAME]".
 *
 * The type of a CSV column is decided by the first rows (about 500 kB): it is a column of numbers
 * if all its cells there are numbers or missing. ECSV, FITS and VOTable declare the types. A column
 * with integers above 2^53 in the first rows is text: they are identifiers, which a double would
 * change.
 */
struct table *table_open(const char *path, enum table_format format, struct complaint *complaint);
void table_close(struct table *table);

/* For messages: as given, or "standard input". */
const char *table_path(const struct table *table);

/* Whether the service that wrote the table reports that it left rows out (VOTable: QUERY_STATUS
 * OVERFLOW). Reliable only after all rows have been read. */
bool table_cut_short(const struct table *table);

size_t table_columns(const struct table *table);
const struct column *table_column(const struct table *table, size_t index);
const char *table_column_name(const struct table *table, size_t index);

enum { NO_COLUMN = -1, TWO_COLUMNS = -2 };

/* The index of the column, or NO_COLUMN, or TWO_COLUMNS if two columns have the name. An exact
 * match is preferred over one that differs in case. */
long table_find(const struct table *table, const char *name);

/* Reads the next rows, at most `most`, possibly fewer; *rows = 0 only at the end. Earlier spans are
 * no longer valid. Fails at a bad row; damage that only a checksum shows (gzip, FITS) is reported
 * at the end. */
bool table_next(struct table *table, size_t most, size_t *rows, struct complaint *complaint);

/* Writes one column of the current rows to out[0], out[stride], ...; NaN for missing cells (empty,
 * NaN, NA, null, --, a FITS null). Fails for text that is not a number. */
bool table_numbers(struct table *table, size_t column, double *out, size_t stride,
                   struct complaint *complaint);

/* One cell of the current rows as text, without outer blanks; numbers as the shortest decimal that
 * reads back the same (CSV: as in the file). Empty if missing; in CSV columns of text only an empty
 * cell is missing, and NA is an ordinary text. */
bool table_text(struct table *table, size_t row, size_t column, struct span *span,
                struct complaint *complaint);

/* The same as the name of a class or category: in a column of numbers, 1, 1.0 and 1e0 are the same
 * label in every format, the shortest form of the number; NA, null and the like are missing. */
bool table_label(struct table *table, size_t row, size_t column, struct span *span,
                 struct complaint *complaint);

/* All rows of a mapped table (a row file in this machine's byte order): column j of row i is
 * cells[i * table_columns() + j], valid until the table is closed; in columns of text it is the
 * index of a word. Otherwise NULL. */
const double *table_cells(const struct table *table);

/* For messages: "stars.csv:17" or "stars.fits: row 17", for one of the current rows.
 */
void table_place(const struct table *table, size_t row, char *text, size_t size);

/* ---------------------------------------------------------------- writing --------------------- */

struct table_writer;

/*
 * "-" is standard output. All formats can be written, gzipped if the name ends in .gz. TABLE_ANY
 * chooses by the extension, CSV if there is none; unknown extensions are refused. A file is written
 * under a temporary name and renamed by table_writer_close, so that `path` is always complete. An
 * existing file that is not regular (/dev/null, a pipe) is written directly.
 *
 * If the reader of a pipe has closed it, the complaint has the kind READER_GONE, which is not an
 * error. The signal SIGPIPE must be ignored for that.
 *
 * Row files: text is UTF-8, and a column has at most 2^20 different texts.
 *
 * FITS: an `empty` column is written as text. Names must be ASCII with at most 68 characters, or
 * opening fails. Text is never truncated.
 */
struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint);

/* Fails if the extension of a file is not that of a format that can be written. */
bool table_writer_knows(const char *path, struct complaint *complaint);

/* Whether the format of this extension has columns of vectors: FITS and VOTable. */
bool table_writer_has_vectors(const char *path);

/* Write the cells of a row, in the order of the columns, and all numbers of a vector one by one;
 * then the end of the row, which tells whether anything failed so far: nothing more is written
 * then. A cell whose type differs from that of its column is converted. NaN is written as an empty
 * cell (FITS: NaN). Numbers are written as the shortest decimal that reads back the same. */
void table_write_number(struct table_writer *writer, double value);
void table_write_text(struct table_writer *writer, struct span text);

/* Writes cells of a current row of a table as text, numbers too, so that they keep all their
 * digits. Fails if one cannot be read. */
bool table_write_cells(struct table_writer *writer, struct table *from, size_t row, size_t count,
                       const size_t *column, struct complaint *complaint);
bool table_write_end(struct table_writer *writer, struct complaint *complaint);

/* Flushes, syncs, renames, frees. */
bool table_writer_close(struct table_writer *writer, struct complaint *complaint);

/* Frees and removes the temporary file. NULL is allowed. */
void table_writer_abandon(struct table_writer *writer);
