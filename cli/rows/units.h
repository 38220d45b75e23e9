/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_UNITS_H
#define CLI_ROWS_UNITS_H

/* Comparison of the units of a table's columns with those in training, and with each other. */

#include "cli/rows/columns.h"

/* The option as it stands in a command's table. */
#define UNITS_OPTION                                                                               \
    {                                                                                              \
        .name = "ignore-units", .help = "Do not compare units with those in training, or units "   \
                                        "of a column with those of its errors."                    \
    }

/* Fails at the first feature whose unit is known in both and differs. */
bool units_check(const struct columns *columns, const struct table *table, const nim_model *model,
                 struct complaint *complaint);

/* Fails at the first feature whose errors have another unit, such as a position in degrees with
 * errors in milliarcseconds, or that is a difference of columns in two units. */
bool units_check_within(const struct columns *columns, const struct table *table,
                        struct complaint *complaint);

#endif
