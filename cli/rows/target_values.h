/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TARGET_VALUES_H
#define CLI_ROWS_TARGET_VALUES_H

/* What is to be predicted, of rows in memory: classes, or numbers and perhaps their exposures. */

#include "nimgp.h"

#include <stdbool.h>

struct target_values {
    /* The shape. */
    bool classed;   /* rows have a class or level */
    size_t outputs; /* numbers a row has, 0 where it has a class */
    bool exposed;   /* counts have an exposure each */
    /* rows, rows x outputs, rows; NULL where the shape has none. */
    int32_t *class;
    double *y, *exposure;
};

/* Makes room for so many rows, of which those there are stay. False when out of memory. */
bool target_values_grow(struct target_values *targets, size_t rows);

/* Copies rows between two of the same shape, or within one. */
void target_values_copy(struct target_values *to, size_t at, const struct target_values *from,
                        size_t first, size_t rows);

/* Lets the library see it. */
void target_values_show(const struct target_values *targets, nim_data *data);

/* Leaves the same shape without rows. */
void target_values_free(struct target_values *targets);

#endif
