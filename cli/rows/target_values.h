/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TARGET_VALUES_H
#define CLI_ROWS_TARGET_VALUES_H

/* Targets of rows in memory: classes, or numbers, with optional exposures or errors. */

#include "nimgp.h"

#include <stdbool.h>

struct target_values {
    /* The shape. */
    bool classed;   /* rows have a class or level */
    size_t outputs; /* numbers per row, 0 if rows have a class */
    bool exposed;   /* counts have an exposure each */
    bool measured;  /* numbers have a 1-sigma error each */
    /* rows, rows x outputs, rows, rows; NULL if the shape has none. */
    int32_t *class;
    double *y, *exposure, *error;
};

/* Grows to this number of rows; existing rows are kept. False when out of memory. */
bool target_values_grow(struct target_values *targets, size_t rows);

/* Copies rows between two objects of the same shape, or within one. */
void target_values_copy(struct target_values *to, size_t at, const struct target_values *from,
                        size_t first, size_t rows);

/* Sets the members of nim_data. */
void target_values_show(const struct target_values *targets, nim_data *data);

/* Frees all rows; the shape is kept. */
void target_values_free(struct target_values *targets);

#endif
