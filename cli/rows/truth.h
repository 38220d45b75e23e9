/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TRUTH_H
#define CLI_ROWS_TRUTH_H

/* What is to be predicted, of rows in memory: classes, or numbers and perhaps their exposures. */

#include "nimgp.h"

#include <stdbool.h>

struct truth {
    /* The shape. */
    bool classed;   /* rows have a class or level */
    size_t outputs; /* numbers a row has, 0 where it has a class */
    bool exposed;   /* counts have an exposure each */
    /* rows, rows x outputs, rows; NULL where the shape has none. */
    int32_t *class;
    double *y, *exposure;
};

/* Makes room for so many rows, of which those there are stay. False when out of memory. */
bool truth_grow(struct truth *truth, size_t rows);

/* Copies rows between truths of the same shape, or within one. */
void truth_copy(struct truth *to, size_t at, const struct truth *from, size_t first, size_t rows);

/* Lets the library see it. */
void truth_show(const struct truth *truth, nim_data *data);

/* Leaves a truth of the same shape without rows. */
void truth_free(struct truth *truth);

#endif
