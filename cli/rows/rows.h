/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ROWS_H
#define CLI_ROWS_ROWS_H

/*
 * The rows of a table in the form of the library, block by block: those that satisfy --where and,
 * if a target is required, have one. Values and errors are checked here, where file, line and
 * column are known.
 *
 *     struct rows rows = {.table = table, .columns = &columns, .where = where};
 *     while (rows_next(&rows, &complaint) && rows.count) {
 *         nim_data data = rows_data(&rows);
 *         nim_predict(predictor, &data, ...);
 *     }
 *     rows_free(&rows);
 */

#include "cli/rows/columns.h"
#include "cli/rows/missing_values.h"
#include "cli/rows/row_shapes.h"
#include "cli/rows/target.h"
#include "cli/rows/where.h"

enum { ROWS_BLOCK = 4096 }; /* the most there are in a block */

/* The rows of a block of so many columns: fewer than ROWS_BLOCK where they would take much memory.
 */
size_t rows_of_block(size_t columns);

/* Measurements of one column, of the current rows: the members of struct reading. */
struct readings {
    double *value, *lower, *upper;
    int8_t *limit;
};

struct rows {
    /* Set and owned by the caller. */
    struct table *table;
    const struct columns *columns;
    struct where *where;   /* or NULL */
    struct target *target; /* or NULL: all rows are used */
    bool lost_is_unknown;  /* errors that the table lacks but training had: unknown, not exact */
    const struct missing_values *missing_values; /* or NULL */
    size_t waiting; /* current rows of the table that were not processed yet */

    /* The block. */
    size_t count;   /* rows selected; 0 at the end of the table */
    size_t at_hand; /* current rows of the table */
    size_t first;   /* the number of the first of them, from 0 */
    size_t *place;  /* count: where each stands among them */
    double *x;      /* count x attributes */
    double *sigma;  /* count x attributes; zero where there is no error column, NaN where it is
                       unknown */
    struct row_shapes shapes;     /* count: upper errors, limits and correlations */
    struct target_values targets; /* count, where there is a target */
    uint8_t *known; /* count: 1, but 0 where the target is missing and the row is kept all the same
                       (struct target: keep_unlabelled) */

    /* So far, over all blocks. */
    size_t seen;         /* rows of the table */
    size_t filtered;     /* that do not meet --where */
    size_t *missing;     /* attributes: values missing in rows selected */
    size_t *nonpositive; /* attributes: cells without a logarithm, counted as missing */
    size_t *exact;   /* attributes: values whose error is zero, of those with a column of errors */
    size_t *unknown; /* attributes: values whose error is missing, likewise */

    /* Internal. */
    size_t block; /* rows there is room for */
    uint8_t *keep;
    struct readings own, other; /* other: the subtracted column of a difference */
};

/* Reads the next selected rows, at most a block. False and a complaint if the table cannot be used
 * or has no rows. */
bool rows_next(struct rows *rows, struct complaint *complaint);
void rows_free(struct rows *rows);

/* The upper errors, limits and correlations of such columns; without rows yet. */
struct row_shapes rows_shapes(const struct columns *columns);

/* Whether any attribute has errors, known or not. */
bool rows_have_errors(const struct rows *rows);

/* The block for the library; it refers to the memory of `rows`. */
nim_data rows_data(const struct rows *rows);

/* Rows first .. end-1 of the block. */
nim_data rows_stretch(const struct rows *rows, size_t first, size_t end);

/* Whether there were rows, but none satisfied --where. */
bool rows_all_filtered(const struct rows *rows);

#endif
