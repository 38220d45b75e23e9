/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_TABLE_H
#define CLI_TRAINING_TRAINING_TABLE_H

/* A training table: all its rows and their properties. */

#include "cli/rows/table_input.h"
#include "cli/training/training_set.h"

/* How it is read. */
struct training_plan {
    struct table_request table; /* with `model`: the one to continue */
    const char *class_weight;   /* "balanced" or "a=2,b=0.5"; or NULL */
    double held_out_share;      /* of the rows; 0: none is held out */
    uint64_t seed;              /* which rows are */
    size_t memory;              /* bytes that rows may use, see training_set.h */
    /* Properties of the model. */
    bool uses_errors;      /* uses the errors of features */
    bool exact_inputs;     /* every value counts as exact */
    bool noise_was_chosen; /* by the user */
    bool two_classes_only;
};

struct training_table {
    struct table_input input;
    struct training_set set, held_out; /* training rows; held-out rows */
    size_t *class_rows;                /* classes, levels or labels: rows of `set` */
};

/* Reads and checks the table, without messages. Must be freed, also after failure. */
bool training_table_read(struct training_table *training, const struct training_plan *plan,
                         struct complaint *complaint);

/* Holds out the share of the plan, if any, and frees what is needed only for messages. */
bool training_table_hold_out(struct training_table *training, const struct training_plan *plan,
                             struct complaint *complaint);

/* Whether --log auto would use the logarithm of a feature. */
bool training_table_wants_log(const struct training_table *training, size_t feature);

void training_table_free(struct training_table *training);

#endif
