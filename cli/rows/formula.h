/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_FORMULA_H
#define CLI_ROWS_FORMULA_H

/*
 * What an attribute is computed from, by its name:
 *
 *     flux          the column of that very name, whatever it looks like
 *     log(flux)     ln x, with lower and upper errors of its own
 *     log10(flux)   log10 x, likewise
 *     Gmag-W1mag    a - b, with the error sqrt(sigma_a^2 + sigma_b^2)
 *
 * Values without a logarithm count as missing, and so does a difference one side of which is.
 */

#include "table/table.h"

#include <stdint.h>

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

/* A cell as the table has it: its value, lower and upper error (NaN where unknown), and whether the
 * value is a limit: -1 where the truth is below it, 1 above. */
struct reading {
    double value, lower, upper;
    int8_t limit;
};

/*
 * The logarithm in place of x; all NaN where x is not positive, and true where that is why. What a
 * measurement says of its true value t, it says of ln t as well: the places where that has fallen
 * to e^-1/2 are the logarithms of x - lower and x + upper. Of the lower half only the part above
 * zero counts: the place nearer to x within which as much of it lies as within one deviation of a
 * normal curve.
 */
bool formula_take_log(enum form form, struct reading *x);

/* a - b in place of a. The lower error of a belongs with the upper one of b. A limit of either is
 * one of the difference, unless they contradict each other: then nothing is known of it. */
void formula_subtract(struct reading *a, const struct reading *b);

#endif
