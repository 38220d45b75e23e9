/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Models of a table's folds, each trained without the rows of its fold, and the predictions of each
 * row by the model of its fold.
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

    size_t next;                /* number of rows predicted so far */
    struct training_set part;   /* those of a block that are of one fold, */
    size_t *place;              /* where they stand in it, */
    struct predictions answers; /* and what is said of them */
};

/* Uses --folds, --groups, --weights and the options of a fit. Must be freed, also after failure. */
bool cross_validation_learn(struct cross_validation *validation, const struct arguments *arguments,
                            const char *table, struct complaint *complaint);

/* Predicts the next block; the predictions were created with the first fold's model. */
bool cross_validation_predict(struct cross_validation *validation, const struct rows *rows,
                              struct predictions *predictions, struct complaint *complaint);

void cross_validation_free(struct cross_validation *validation);
