/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_TABLE_H
#define CLI_TRAINING_TRAINING_TABLE_H

/* A table to learn from: all its rows, and what is known of them. */

#include "cli/rows/table_input.h"
#include "cli/training/training_set.h"

/* How it is read, settled beforehand. */
struct training_plan {
    struct table_request table; /* with `model`: one to go on with */
    const char *class_weight;   /* "balanced" or "a=2,b=0.5"; or NULL */
    double held_out_share;      /* of the rows; 0: none is held out */
    uint64_t seed;              /* which rows are */
    size_t memory;              /* bytes that rows may take, see training_set.h */
    /* What the model to be does. */
    bool uses_errors;      /* looks at the features' errors */
    bool exact_inputs;     /* takes every value for exact */
    bool noise_was_chosen; /* by the user */
    bool two_classes_only;
};

struct training_table {
    struct table_input input;
    struct training_set set, held_out; /* to learn from; held out */
    size_t *class_rows;                /* classes, levels or labels: rows of `set` */
};

/* Reads and checks the table, without a word to the user. Free it also after failure. */
bool training_table_read(struct training_table *training, const struct training_plan *plan,
                         struct complaint *complaint);

/* Holds out the share the plan says, if any, and forgets what only a report needs. */
bool training_table_hold_out(struct training_table *training, const struct training_plan *plan,
                             struct complaint *complaint);

/* Whether a logarithm suggests itself for a feature. */
bool training_table_wants_log(const struct training_table *training, size_t feature);

void training_table_free(struct training_table *training);

#endif
