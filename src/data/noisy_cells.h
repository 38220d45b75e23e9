/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_DATA_NOISY_CELLS_H
#define NIMGP_DATA_NOISY_CELLS_H

/* Which cells of a table are not known exactly: those with an error that is not zero, limits and
 * gaps. */

#include "nimgp.h"

#include <stdbool.h>

/* Columns with such a cell. */
size_t count_noisy_columns(const nim_data *data);

/* Whether all rows have the same errors, none included, and no gaps. */
bool equally_noisy(const nim_data *data);

#endif
