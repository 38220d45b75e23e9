/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_OUT_OF_FOLD_H
#define CLI_COMMAND_OUT_OF_FOLD_H

/* A table of what was said of rows by models that had not seen them: columns carried over, the
 * fold, and the predictions. */

#include "cli/command/carried_columns.h"
#include "cli/rows/rows.h"
#include "score/predictions.h"

struct out_of_fold {
    const nim_model *model; /* for names */
    struct carried_columns carried;
    struct table_writer *writer;
    char *text; /* the name of a prediction */
};

/* Whether what --output and --keep-only say can be done, to be known before anything is learned. */
bool out_of_fold_check(const struct arguments *arguments, const struct table *table,
                       struct complaint *complaint);

/* As --output and --keep say; nothing where there is no --output. Free it also after failure. */
bool out_of_fold_open(struct out_of_fold *out, const struct arguments *arguments,
                      const struct table *table, const nim_model *model,
                      struct complaint *complaint);

/* A block; fold (rows) is counted from 0 and written from 1 on. */
bool out_of_fold_add(struct out_of_fold *out, const struct rows *rows, const size_t *fold,
                     const struct predictions *predictions, struct complaint *complaint);

/* The file appears. */
bool out_of_fold_close(struct out_of_fold *out, struct complaint *complaint);
void out_of_fold_free(struct out_of_fold *out);

#endif
