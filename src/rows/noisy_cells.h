/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_ROWS_NOISY_CELLS_H
#define NIMGP_ROWS_NOISY_CELLS_H

/* Cells of a table that are not known exactly: cells with an error that is not zero, limits and
 * missing cells. */

#include "nimgp.h"

#include <stdbool.h>

/* Columns with such a cell. */
size_t count_noisy_columns(const nim_data *data);

/* Whether all rows have the same errors, or none, and no missing cells. */
bool equally_noisy(const nim_data *data);

/* Whether some column has known errors that differ. */
bool errors_differ(const nim_data *data);

#endif
