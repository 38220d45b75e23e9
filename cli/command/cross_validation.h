/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_CROSS_VALIDATION_H
#define CLI_COMMAND_CROSS_VALIDATION_H

/*
 * Models of a table's folds, each learned without the rows of its own fold, and what each row's
 * model says of it.
 *
 *     cross_validation_learn(&validation, arguments, table, &complaint);
 *     while rows are read again, in their order:
 *         cross_validation_predict(&validation, &rows, &predictions, &complaint);
 *     cross_validation_free(&validation);
 */

#include "cli/command/fit.h"
#include "score/predictions.h"

struct cross_validation {
    struct fit fit;
    size_t folds;
    size_t rows;     /* that have a target */
    size_t *fold_of; /* rows */
    nim_model **model;
    nim_predictor **predictor; /* folds */

    size_t next;                /* rows predicted so far */
    struct training_set part;   /* those of a block that are of one fold, */
    size_t *place;              /* where they stand in it, */
    struct predictions answers; /* and what is said of them */
};

/* --folds, --groups and --weights of the arguments, and what a fit needs to be told. Free it also
 * after failure. */
bool cross_validation_learn(struct cross_validation *validation, const struct arguments *arguments,
                            const char *table, struct complaint *complaint);

/* The next block, into predictions made with the first fold's model. */
bool cross_validation_predict(struct cross_validation *validation, const struct rows *rows,
                              struct predictions *predictions, struct complaint *complaint);

void cross_validation_free(struct cross_validation *validation);

#endif
