/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ROW_SHAPES_H
#define CLI_ROWS_ROW_SHAPES_H

/* Upper errors, limits and correlations of errors of rows in memory (nim_data). */

#include "nimgp.h"

#include <stdbool.h>

struct row_shapes {
    /* Which of them there are. */
    size_t attributes;
    bool lopsided, limited, correlated;
    /* rows x attributes, rows x attributes, rows x pairs of attributes; NULL where there is none.
     */
    double *upper;
    int8_t *limit;
    double *correlation;
};

/* The number of pairs of attributes, and the position of the pair i < j. */
static inline size_t pair_count(size_t attributes) {
    return attributes * (attributes - 1) / 2;
}
static inline size_t pair_place(size_t j, size_t i) {
    return j * (j - 1) / 2 + i;
}

/* Grows to this number of rows; existing rows are kept. False when out of memory. */
bool row_shapes_grow(struct row_shapes *shapes, size_t rows);

/* Copies rows, also within one object; arrays that `from` lacks are filled with neutral values. */
void row_shapes_copy(struct row_shapes *to, size_t at, const struct row_shapes *from, size_t first,
                     size_t rows);

/* Removes the attributes that are not kept. */
void row_shapes_keep(struct row_shapes *shapes, size_t rows, const bool *wanted);

/* Sets the members of nim_data, starting at this row. */
void row_shapes_show(const struct row_shapes *shapes, size_t first, nim_data *data);

/* Frees all rows; the object can be used again. */
void row_shapes_free(struct row_shapes *shapes);

#endif
