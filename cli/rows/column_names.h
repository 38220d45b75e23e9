/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_COLUMN_NAMES_H
#define CLI_ROWS_COLUMN_NAMES_H

/* The names of a table's columns, and what they say of each other (measure/measure.h). */

#include "measure/measure.h"
#include "table/table.h"

struct column_names {
    nim_names *names;
    size_t count;
    const char **name; /* the table's own */
    bool *is_text;     /* holds text or nothing */
};

#define NO_ERRORS ((struct nim_sides){.lower = NO_COLUMN, .upper = NO_COLUMN})

/* Reads them once; further calls do nothing. The table must stay open. */
bool column_names_read(struct column_names *names, const struct table *table,
                       struct complaint *complaint);
void column_names_free(struct column_names *names);

/* What a column's name says, and of which columns. */
enum nim_column_role column_role(const struct column_names *names, size_t column, long of[2]);

/* Whether errors of a column are found by name. */
bool column_has_errors(const struct column_names *names, size_t column);

/* Error columns as --errors has them: "x_err", "x_err2:x_err1", "[x_lo:x_hi]"; to be freed. NULL
 * when out of memory. */
char *error_sides_write(const struct table *table, const struct nim_sides *sides);

#endif
