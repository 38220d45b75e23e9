/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_UNITS_H
#define CLI_ROWS_UNITS_H

/* Units of a table's columns beside those a model learned with, and beside each other's. */

#include "cli/rows/columns.h"

/* The option as it stands in a command's table. */
#define UNITS_OPTION                                                                               \
    {                                                                                              \
        .name = "ignore-units", .help = "Do not compare units with those in training, or units "   \
                                        "of a column with those of its errors."                    \
    }

/* Whether two spellings are the same but for blanks and how products and powers are written: "m
 * s-1", "m.s**-1" and "m * s^-1" are, "m/s" is another. */
bool units_agree(const char *one, const char *other);

/* Complains of the first feature whose unit is known on both sides and differs. */
bool units_check(const struct columns *columns, const struct table *table, const nim_model *model,
                 struct complaint *complaint);

/* Complains of the first feature whose errors are in another unit, or that is a difference of two
 * units: a position in degrees with errors in milliarcseconds. */
bool units_check_within(const struct columns *columns, const struct table *table,
                        struct complaint *complaint);

#endif
