/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The table of predictions that `predict` and `evaluate --folds` write: columns copied from the
 * table that was read, and those of the predictions. */

#include "cli/command/output_table.h"
#include "cli/rows/rows.h"
#include "score/predictions.h"
#include "table/text_pool.h"

struct prediction_table {
    /* Set by the caller. */
    const nim_model *model;
    unsigned shown;        /* arrays of the predictions that it has: ASK_P | ... */
    bool folds;            /* the first columns are the number of the row, and that of its fold */
    const char *grid_note; /* what a vector of densities is */

    struct output_table output;
    bool vectors; /* the format has them: densities are one column */
    size_t count; /* columns of our own */
    struct column *column;
    struct text_pool names; /* of theirs */
    char *text;             /* of a cell */
};

/* Opens --output with the columns of --keep. `shape` tells how many numbers a row of the
 * predictions has; its arrays need not be there. Must be freed, also after failure. */
bool prediction_table_open(struct prediction_table *out, const struct arguments *arguments,
                           struct table *from, const struct predictions *shape,
                           struct complaint *complaint);

/* Writes a block. `fold` (rows), where there are folds, is counted from 0, and from 1 in the table.
 */
bool prediction_table_write(struct prediction_table *out, const struct rows *rows,
                            const struct predictions *predictions, const size_t *fold,
                            struct complaint *complaint);

/* Completes the file, if one is open, and renames it. */
bool prediction_table_close(struct prediction_table *out, struct complaint *complaint);
void prediction_table_free(struct prediction_table *out);
