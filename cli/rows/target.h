/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TARGET_H
#define CLI_ROWS_TARGET_H

/*
 * The target in a table: its columns, the meaning of its cells, and rows without a target.
 * Everything that depends on the task while a table is read is here.
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
    size_t count; /* columns: one, except for sets of labels; 0 if the target is not read */
    size_t *column;
    long exposure;           /* of counts: a column, or NO_COLUMN: all are 1 */
    bool measured;           /* numbers have errors: struct columns says which */
    bool chosen;             /* the column by default */
    bool positive;           /* asked for as log(column) */
    bool keep_unlabelled;    /* rows without a target, or of other classes, are used */
    const char *no_exposure; /* the exposure in training, if the table has none; or NULL */
    struct classes classes;  /* classes, levels or labels */

    /* So far, over all rows. */
    size_t unlabelled;     /* whose target is missing */
    bool kept;             /* the last one is kept without a target */
    size_t other_class;    /* whose label is not a class */
    struct classes others; /* the labels these have, up to a thousand */

    /* Internal: cells of the current rows. */
    size_t room;
    double *cell, *exposure_cell;
};

/* The request for a target; NULL if not given. */
struct target_wishes {
    const char *label, *exposure; /* as typed */
    const nim_model *model;       /* whose columns are used */
    nim_judge *judge;             /* to guess the label from; NULL: no guess */
};

/* Finds the columns. */
bool target_find(struct target *target, struct table *table, const struct target_wishes *wishes,
                 struct complaint *complaint);

/* Only the exposure, as typed or as in training: all that predicting counts needs. */
bool target_find_exposure(struct target *target, const struct table *table,
                          const struct target_wishes *wishes, struct complaint *complaint);

/* Sets the classes or levels: those of a model, or as typed ("a,b,c"; NULL: in the order found), of
 * which "b=x|y" merges labels if `merge`. Labels have the names of their columns. */
bool target_name_classes(struct target *target, const struct table *table, const char *wish,
                         bool merge, const nim_model *model, struct complaint *complaint);

/* The columns that cannot be features, to be freed; with space for two more. */
struct taken *target_taken(const struct target *target, size_t *count);

/* "column y" or "columns a, b, c", for messages. */
void target_describe(const struct target *target, const struct table *table, char *text,
                     size_t size);

/* Empty target values with the shape of the target. */
struct target_values target_shape(const struct target *target);

/* Reads the targets of the current `rows` rows of the table. */
bool target_next(struct target *target, struct table *table, size_t rows,
                 struct complaint *complaint);

/* Copies row i of those to position k of `targets`; *known is false if it has no target. */
bool target_take(struct target *target, struct table *table, size_t i,
                 struct target_values *targets, size_t k, bool *known, struct complaint *complaint);

/* Whether the last row, whose target is missing, is used anyway. */
bool target_keeps(const struct target *target);

/* Levels without a given order must be numbers. */
bool target_check_order(const struct target *target, const struct table *table,
                        struct complaint *complaint);

void target_free(struct target *target);

#endif
