/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ERROR_COLUMNS_H
#define CLI_ROWS_ERROR_COLUMNS_H

/*
 * Which columns are the 1-sigma errors of others, by their names. The rule is that of the Python
 * package (python/nimgp/tables.py), and python/tests/test_tables.py compares the two: of a column
 * x the first there is, in whatever case, of
 *
 *     x_err  x_error  e_x  Unc_x  sigma_x  x_unc  err_x  x_sigma
 *
 * and dx when there is none of these and dx has no such column itself.
 */

#include "table/table.h"

/* The error column of `name`, and another one if there is; NO_COLUMN where there is none. Columns
 * for which `excluded` is true are none; NULL excludes nothing. */
void error_columns_find(const struct table *table, const char *name, const bool *excluded,
                        long found[2]);

/* Whether a name is one the rule gives to errors, of whatever: Unc_Flux_1_1, flux_err, flux_err_2
 * (elements of vectors have a number behind). */
bool looks_like_error(const char *name);

/* Whether the column looks like the upper or the lower error of another, by its name: x_err1,
 * xerr2, x_err_lo, x_error_upper, where there is a column x. */
bool is_one_sided_error(const struct table *table, const char *name);

#endif
