/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_MISSING_VALUES_H
#define CLI_ROWS_MISSING_VALUES_H

/* Numbers that mean that a value or an error is missing, in all columns or in some: as typed,
 * "-99,mag=99" or "none", or found by their values. */

#include "cli/rows/columns.h"

struct missing_value {
    long column; /* or NO_COLUMN: all */
    double value;
};

struct missing_values {
    size_t count;
    struct missing_value *item;
    char *found;            /* as it would be typed, if they were found; or NULL */
    struct name_list cells; /* for messages: "mag_u (714 cells are 99)" */
};

/* Columns that the table lacks are passed over. */
bool missing_values_read(struct missing_values *missing, const char *text,
                         const struct table *table, struct complaint *complaint);

/* Finds them in the columns of attributes, their errors and a target of numbers (or NO_COLUMN). One
 * that was found in a column also counts in others where it would be as far off. */
bool missing_values_find(struct missing_values *missing, const nim_judge *judge,
                         const struct columns *columns, const struct table *table, long target,
                         struct complaint *complaint);

/* Makes them NaN in cells of a column. */
void missing_values_drop(const struct missing_values *missing, size_t column, double *value,
                         size_t count);

void missing_values_free(struct missing_values *missing);

#endif
