/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_FORMULA_H
#define CLI_ROWS_FORMULA_H

/*
 * What an attribute is computed from, by its name:
 *
 *     flux          the column of that very name, whatever it looks like
 *     log(flux)     ln x, with the error sigma / x
 *     log10(flux)   log10 x, with the error sigma / (x ln 10)
 *     Gmag-W1mag    a - b, with the error sqrt(sigma_a^2 + sigma_b^2)
 *
 * Values without a logarithm count as missing, and so does a difference one side of which is.
 */

#include "table/table.h"

enum form { FORM_COLUMN, FORM_LOG, FORM_LOG10, FORM_DIFFERENCE };

struct formula {
    enum form form;
    size_t column;
    long minus; /* of a difference: what is taken away; else NO_COLUMN */
};

bool formula_read(struct formula *formula, const struct table *table, const char *name,
                  struct complaint *complaint);

/* Its plain spelling, in the table's own spelling of columns; to be freed. NULL without memory. */
char *formula_name(const struct formula *formula, const struct table *table);

/* The inside of log(...) or log10(...), to be freed, and which of them; NULL without one of them.
 * False without memory. */
bool formula_inside(const char *name, enum form *form, char **inside, struct complaint *complaint);

/* value and sigma with the logarithm taken; both NaN where value is not positive, and true then. */
bool formula_take_log(enum form form, double *value, double *sigma);

/* a - b in place of a, with its error. */
void formula_subtract(double *a, double *sigma_a, double b, double sigma_b);

#endif
