/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ERROR_COLUMNS_H
#define CLI_ROWS_ERROR_COLUMNS_H

/*
 * Finds the columns of 1-sigma errors by their names. The rules are those of the Python package
 * (python/nimgp/tables.py); python/tests/test_tables.py compares the two. The errors of a column x
 * are in the first of these columns that exists, in upper or lower case:
 *
 *     x_err  x_error  e_x  Unc_x  sigma_x  x_unc  err_x  x_sigma
 *
 * or in dx if none of these exists and dx has no such column itself.
 *
 * Upper and lower errors are pairs of columns: E_x and e_x, or, if none of the above exists,
 *
 *     Unc_x_2 and Unc_x_1 (Fermi's vectors),
 *     x_err1 and x_err2, x_errhi and x_errlo, x_err_upper and x_err_lower, ... (signs do not count)
 *     x_hi and x_lo, x_upper and x_lower: where the error bar ends, not how long it is.
 *
 * x_limit, l_x or xlim marks limits of x: "<" if the true value is below the value, ">" if it is
 * above, empty if the value is a measurement; as numbers 1 (an upper limit), -1 and 0. a_b_corr is
 * the correlation of the errors of a and b.
 */

#include "table/table.h"

/* Columns of errors: one, or lower and upper ones. */
struct error_sides {
    long lower; /* of the only, or the lower errors; NO_COLUMN where there are none */
    long upper; /* of the upper errors, or NO_COLUMN */
    bool ends;  /* they hold the ends of the error bar */
};

#define NO_ERRORS ((struct error_sides){.lower = NO_COLUMN, .upper = NO_COLUMN})

/* The errors of `name` by these rules; `also` becomes another column that looks like errors, or
 * NO_COLUMN. Columns for which `excluded` is true are ignored; NULL excludes none. */
struct error_sides errors_find(const struct table *table, const char *name, const bool *excluded,
                               long *also);

/* Marks all columns that look like errors of `name`, used or not. */
void errors_mark(const struct table *table, const char *name, bool *is_error);

/* Reads "column", "lower:upper" or "[low:high]"; false if the table has no such columns. */
bool error_sides_read(const struct table *table, const char *text, struct error_sides *sides);

/* The same text of them; to be freed. NULL when out of memory. */
char *error_sides_write(const struct table *table, const struct error_sides *sides);

/* The column of limits of `name`, or NO_COLUMN. */
long limit_column_find(const struct table *table, const char *name, const bool *excluded);

/* Whether a column's name is that of a correlation of two others of the table, and of which. */
bool is_correlation(const struct table *table, size_t column, size_t of[2]);

/* Whether a name looks like that of an error column: Unc_Flux_1_1, flux_err, flux_err_2 (elements
 * of vectors end in a number). */
bool looks_like_error(const char *name);

/* Whether the column looks like the upper or the lower error of another, by its name: x_err1,
 * xerr2, x_err_lo, x_error_upper, where there is a column x. */
bool is_one_sided_error(const struct table *table, const char *name);

#endif
