/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_WRITER_H
#define TABLE_WRITER_H

/* The interface of a format for writing: a table of functions, listed in writer.c. The struct of a
 * format starts with a struct table_writer. */

#include "table/output.h"
#include "table/table.h"

struct writer {
    /* `writer->output`, `columns` and `column` are set, the latter for the time of this call only.
     * On failure the caller frees. */
    bool (*open)(struct table_writer *writer, enum table_format format,
                 struct complaint *complaint);
    bool (*number)(struct table_writer *writer, double value, struct complaint *complaint);
    bool (*text)(struct table_writer *writer, struct span text, struct complaint *complaint);
    bool (*end)(struct table_writer *writer, struct complaint *complaint);
    bool (*finish)(struct table_writer *writer, struct complaint *complaint); /* writes all bytes */
    void (*close)(struct table_writer *writer); /* frees the memory of the format */
    size_t size;                                /* of the format's struct */
};

extern const struct writer csv_writer, fits_writer, row_file_writer, votable_writer;

struct table_writer {
    const struct writer *writer;
    struct output *output;
    size_t columns, at; /* at: cells of the row so far */
    const struct column *column;
    size_t row; /* rows so far */
};

/* "stars.fits: row 17: column flux: expected a number, found 'abc'"; false. */
bool writer_complain_of_text(const struct table_writer *writer, const char *column,
                             struct span found, struct complaint *complaint);

#endif
