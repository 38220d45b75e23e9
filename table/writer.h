/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The interface of a format for writing: a table of functions, listed in formats.c. The struct of a
 * format starts with a struct table_writer. What fails is kept by the output, which writes nothing
 * more then; so these functions return nothing. */

#include "table/output.h"
#include "table/table.h"
#include "table/text_pool.h"

struct writer {
    size_t size;                               /* of the struct of the format */
    bool as_it_is;                             /* a cell is written whatever its column's type */
    bool vectors;                              /* a cell may have several numbers */
    void (*open)(struct table_writer *writer); /* starts the file */
    void (*number)(struct table_writer *writer, double value);
    void (*text)(struct table_writer *writer, struct span text);
    void (*end)(struct table_writer *writer);    /* of a row; or NULL */
    void (*finish)(struct table_writer *writer); /* the end of the file; or NULL */
    void (*close)(struct table_writer *writer);  /* frees the memory of the format; or NULL */
};

struct table_writer {
    const struct writer *writer;
    enum table_format format;
    struct output *output;
    struct text_pool names;
    struct column *column; /* a column whose type is unknown is text */
    size_t columns, at;    /* at: cells of the row so far */
    size_t within;         /* numbers of that cell so far, where it is a vector */
    size_t row;            /* rows so far */
};

/* Numbers in a cell of a column. */
static inline size_t writer_each(const struct table_writer *writer, size_t column) {
    return writer->column[column].each ? writer->column[column].each : 1;
}
