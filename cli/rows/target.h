/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TARGET_H
#define CLI_ROWS_TARGET_H

/*
 * What is to be predicted, as a table has it: in which columns it stands, what its cells mean, and
 * which rows have none. All that depends on the task while a table is read is here.
 *
 *     struct target target = {.task = task, .exposure = NO_COLUMN};
 *     target_find(&target, table, &wishes, &complaint);
 *     target_name_classes(&target, table, names, model, &complaint);
 *     ... rows_next reads it block by block ...
 *     target_free(&target);
 */

#include "cli/rows/classes.h"
#include "cli/rows/columns.h"
#include "cli/model/task.h"
#include "cli/rows/target_values.h"

struct target {
    const struct task *task;
    size_t count; /* columns: one, but for sets of labels; 0 when the target is not looked at */
    size_t *column;
    long exposure;           /* of counts: a column, or NO_COLUMN for 1 everywhere */
    bool chosen;             /* the column by default */
    bool keep_unlabelled;    /* rows without a target count, with any */
    const char *no_exposure; /* the exposure in training, when the table has none; or NULL */
    struct classes classes;  /* classes, levels or labels */

    /* So far, over all rows. */
    size_t unlabelled;     /* whose target is missing */
    bool kept;             /* the last one is kept without a target */
    size_t other_class;    /* whose label is no class */
    struct classes others; /* the labels these have, up to a thousand */

    /* Its own: cells of the rows at hand, and room for them. */
    size_t room;
    double *cell, *exposure_cell;
};

/* What is known beforehand; NULL where nothing is. */
struct target_wishes {
    const char *label, *exposure; /* as typed */
    const nim_model *model;       /* that learned before: its columns count */
    size_t rows;                  /* rows at hand to guess a label by; 0: nothing is guessed */
};

/* Finds the columns. */
bool target_find(struct target *target, struct table *table, const struct target_wishes *wishes,
                 struct complaint *complaint);

/* The exposure alone, as typed, else as the model had it: what predicting counts needs of a
 * target. */
bool target_find_exposure(struct target *target, const struct table *table,
                          const struct target_wishes *wishes, struct complaint *complaint);

/* Which classes or levels there are: as a model has them, or as typed ("a,b,c"; NULL: as they
 * come). Labels are called as their columns. */
bool target_name_classes(struct target *target, const struct table *table, const char *wish,
                         const nim_model *model, struct complaint *complaint);

/* The columns that cannot be features, for the caller to free; there is room for two more. */
struct taken *target_taken(const struct target *target, size_t *count);

/* "column y" or "columns a, b, c", for messages. */
void target_describe(const struct target *target, const struct table *table, char *text,
                     size_t size);

/* No target values yet, of the shape the target has. */
struct target_values target_shape(const struct target *target);

/* Looks at `rows` rows the table has at hand. */
bool target_next(struct target *target, struct table *table, size_t rows,
                 struct complaint *complaint);

/* Row i of those into place k of `targets`; *known is false where it has no target. */
bool target_take(struct target *target, struct table *table, size_t i,
                 struct target_values *targets, size_t k, bool *known, struct complaint *complaint);

/* Whether the row just taken, whose target is missing, counts all the same. */
bool target_keeps(const struct target *target);

/* Levels without a given order must be numbers. */
bool target_check_order(const struct target *target, const struct table *table,
                        struct complaint *complaint);

void target_free(struct target *target);

#endif
