/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_DURATION_H
#define CLI_COMMAND_DURATION_H

#include "cli/command/fit.h"

/* Roughly the seconds that a fit of this table takes on this machine, from the time of some steps;
 * NaN where that cannot be told. The table is opened, and no row of it was read. rows: of the
 * table; classes: of the target, or 0. */
double duration_of_fit(const struct fit *fit, struct table_input *input, size_t rows,
                       size_t classes);

#endif
