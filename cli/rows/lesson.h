/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_LESSON_H
#define CLI_ROWS_LESSON_H

/* All a model is to learn from: the rows of a table, their attributes and targets. */

#include "cli/terminal/command.h"
#include "cli/model/fit_request.h"
#include "cli/rows/training_set.h"

struct lesson {
    struct table *table;
    struct target target;
    struct columns columns;
    struct training_set set, held; /* to learn from; held out */
    size_t *missing;               /* attributes: cells that are missing */
    size_t *class_rows;            /* classes, levels or labels: rows of `set` */
};

/*
 * Reads the table as task and request say and tells the user what was understood. `model` is one to
 * go on with, whose attributes and classes count, or NULL: then they are chosen.
 */
bool lesson_read(struct lesson *lesson, const struct arguments *arguments, const struct task *task,
                 const struct fit_request *request, const nim_model *model, const char *path,
                 struct complaint *complaint);

/* Holds out the share the request says, if any. */
bool lesson_hold_out(struct lesson *lesson, const struct fit_request *request, uint64_t seed,
                     struct complaint *complaint);

void lesson_free(struct lesson *lesson);

#endif
