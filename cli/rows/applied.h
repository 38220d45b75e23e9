/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_APPLIED_H
#define CLI_ROWS_APPLIED_H

/* A model applied to a table: everything between two file names and the first block of rows. */

#include "cli/model/files.h"
#include "cli/rows/rows.h"

struct applied {
    const struct arguments *arguments;
    nim_model *model;
    nim_predictor *predictor;
    struct table *table;
    struct columns columns;
    struct target target; /* the model's */
    struct rows rows;
};

/* What commands that apply a model have in common. */
#define APPLIED_OPTIONS                                                                            \
    {.name = "exposure",                                                                           \
     .value = "COLUMN",                                                                            \
     .help = "Of counts: the time, area or effort of each row; as in training unless given."},     \
        {.name = "errors",                                                                         \
         .value = "A=B,...|none",                                                                  \
         .help =                                                                                   \
             "Column B holds the 1-sigma errors of feature A. As in training, or found by name, "  \
             "unless given."},                                                                     \
        WHERE_OPTION,                                                                              \
        {.name = "ignore-case",                                                                    \
         .help = "Upper and lower case are the same, in labels and --where."},                     \
        FORMAT_OPTION, {.name = "threads", .value = "N", .engine = "threads"}, {                   \
        .name = "points", .value = "N", .engine = "points", .fallback = "the model's"              \
    }

/* With `labelled`, the rows have targets: column --label, else as in training. */
bool applied_open(struct applied *applied, const struct arguments *arguments, const char *model,
                  const char *table, bool labelled, struct complaint *complaint);

/* Labelled rows with no model: `classes` says which there are, and rows have no attributes. */
bool applied_open_table(struct applied *applied, const struct arguments *arguments,
                        const struct name_list *classes, const char *table,
                        struct complaint *complaint);

/* Says at the end what was understood and passed over. */
void applied_say_tally(const struct applied *applied);

void applied_close(struct applied *applied);

#endif
