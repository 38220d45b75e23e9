/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ROW_SHAPES_H
#define CLI_ROWS_ROW_SHAPES_H

/* What more is known of rows' measurements than values and errors, in memory (nim_data): upper
 * errors, limits, correlations of errors. */

#include "nimgp.h"

#include <stdbool.h>

struct row_shapes {
    /* What there is. */
    size_t attributes;
    bool lopsided, limited, correlated;
    /* rows x attributes, rows x attributes, rows x pairs of attributes; NULL where there is none.
     */
    double *upper;
    int8_t *limit;
    double *correlation;
};

/* Pairs of so many attributes, and where that of i < j stands among them. */
static inline size_t pair_count(size_t attributes) {
    return attributes * (attributes - 1) / 2;
}
static inline size_t pair_place(size_t j, size_t i) {
    return j * (j - 1) / 2 + i;
}

/* Makes room for so many rows, of which those there are stay. False when out of memory. */
bool row_shapes_grow(struct row_shapes *shapes, size_t rows);

/* Copies rows, also within one; what the other does not have says nothing. */
void row_shapes_copy(struct row_shapes *to, size_t at, const struct row_shapes *from, size_t first,
                     size_t rows);

/* Drops the attributes that are not wanted. */
void row_shapes_keep(struct row_shapes *shapes, size_t rows, const bool *wanted);

/* Lets the library see them, from this row on. */
void row_shapes_show(const struct row_shapes *shapes, size_t first, nim_data *data);

/* Leaves the same kind without rows. */
void row_shapes_free(struct row_shapes *shapes);

#endif
