/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_FORMULA_H
#define CLI_ROWS_FORMULA_H

/*
 * Formulas: attributes that are computed from columns, by their names:
 *
 *     flux          the column of exactly this name, if it exists
 *     log(flux)     ln x, with lower and upper errors
 *     log10(flux)   log10 x, likewise
 *     Gmag-W1mag    a - b, with the error sqrt(sigma_a^2 + sigma_b^2)
 *     kind=red      1 where the cell of column kind is red, 0 where it is another; true and false
 * in any spelling
 *
 * Values without a logarithm count as missing, and so does a difference of a missing value.
 */

#include "table/table.h"

#include <stdint.h>

enum form { FORM_COLUMN, FORM_LOG, FORM_LOG10, FORM_DIFFERENCE, FORM_LEVEL };

struct formula {
    enum form form;
    size_t column;
    long minus;        /* of a difference: the subtracted column; otherwise NO_COLUMN */
    const char *level; /* of an indicator: a part of the name that was read */
};

/* Whether a cell, not missing, has the level. */
bool formula_has_level(const char *level, struct span cell);

bool formula_read(struct formula *formula, const struct table *table, const char *name,
                  struct complaint *complaint);

/* Its name, with columns spelled as in the table; to be freed. NULL when out of memory. */
char *formula_name(const struct formula *formula, const struct table *table);

/* The argument of log(...) or log10(...), to be freed, and which of them; NULL if it is neither.
 * False when out of memory. */
bool formula_inside(const char *name, enum form *form, char **inside, struct complaint *complaint);

/* A cell: its value, lower and upper error (NaN if unknown), and whether the value is a limit: -1
 * if the true value is below it, 1 if it is above. */
struct reading {
    double value, lower, upper;
    int8_t limit;
};

/* nim_take_log of one cell; whether it has no logarithm. */
bool formula_take_log(enum form form, struct reading *x);

/* nim_take_difference of one cell. */
void formula_subtract(struct reading *a, const struct reading *b);

#endif
