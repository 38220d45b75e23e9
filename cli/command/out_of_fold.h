/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The table of out-of-fold predictions: copied columns, the fold, and the predictions. */

#include "cli/command/output_table.h"
#include "cli/command/prediction_columns.h"
#include "cli/rows/rows.h"
#include "score/predictions.h"

struct out_of_fold {
    struct output_table output;
    struct prediction_columns columns;
};

/* Checks --output and --keep-only before the training starts. */
bool out_of_fold_check(const struct arguments *arguments, struct table *table,
                       struct complaint *complaint);

/* Opens --output with the columns of --keep; does nothing without --output. Must be freed, also
 * after failure. */
bool out_of_fold_open(struct out_of_fold *out, const struct arguments *arguments,
                      struct table *table, const nim_model *model, struct complaint *complaint);

/* Writes a block; fold (rows) is counted from 0, and from 1 in the table. */
bool out_of_fold_add(struct out_of_fold *out, const struct rows *rows, const size_t *fold,
                     const struct predictions *predictions, struct complaint *complaint);

/* Completes the file and renames it. */
bool out_of_fold_close(struct out_of_fold *out, struct complaint *complaint);
void out_of_fold_free(struct out_of_fold *out);
