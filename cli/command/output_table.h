/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A table that is written: columns copied from the table that was read, and columns of our own. */

#include "cli/terminal/command.h"
#include "table/table.h"

#define KEEP_OPTIONS                                                                               \
    {.name = "keep", .help = "Copy all columns of the table to the output."}, {                    \
        .name = "keep-only", .value = "A,B,...", .help = "Copy these columns to the output."       \
    }

struct output_table {
    struct table *from;
    size_t copied;
    size_t *column; /* of `from` */
    struct table_writer *writer;
};

/* Chooses the columns to copy by --keep and --keep-only. A column whose name is among the `count`
 * names of `own` is left out, with a message. */
bool output_table_choose(struct output_table *output, const struct arguments *arguments,
                         struct table *from, size_t count, const struct column *own,
                         struct complaint *complaint);

/* Opens the file; the copied columns come after the first `before` of our own. */
bool output_table_open(struct output_table *output, const char *path, size_t before, size_t count,
                       const struct column *own, struct complaint *complaint);

/* Writes the copied cells of a row of the current block. */
bool output_table_copy(struct output_table *output, size_t row, struct complaint *complaint);

/* Completes the file, if one is open, and renames it. */
bool output_table_close(struct output_table *output, struct complaint *complaint);
void output_table_free(struct output_table *output);
