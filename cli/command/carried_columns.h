/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_CARRIED_COLUMNS_H
#define CLI_COMMAND_CARRIED_COLUMNS_H

/* Columns of a table that are copied to the output. */

#include "cli/terminal/command.h"
#include "table/table.h"

#define KEEP_OPTIONS                                                                               \
    {.name = "keep", .help = "Copy all columns of the table to the output."}, {                    \
        .name = "keep-only", .value = "A,B,...", .help = "Copy these columns to the output."       \
    }

struct carried_columns {
    size_t count;
    size_t *column; /* of the table */
};

/* Chooses columns by --keep and --keep-only. A column whose name is among the `count` names of
 * `taken` is left out, with a message. */
bool carried_columns_choose(struct carried_columns *carried, const struct arguments *arguments,
                            const struct table *table, size_t count, const struct column *taken,
                            struct complaint *complaint);
void carried_columns_free(struct carried_columns *carried);

#endif
