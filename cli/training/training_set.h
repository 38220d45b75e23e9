/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_SET_H
#define CLI_TRAINING_TRAINING_SET_H

/* All rows to learn from, and the share of them that is held out. Values and errors are where a
 * mapped table has them, if they can be used so; else in memory or, where they take more than
 * `memory`, in a temporary file. */

#include "cli/rows/row_weights.h"
#include "cli/rows/rows.h"
#include "cli/training/cell_store.h"
#include "cli/training/mapped_rows.h"

struct training_set {
    size_t rows, attributes;
    struct mapped_rows mapped;    /* values and errors in the table itself, or none */
    double *x, *sigma;            /* else rows x attributes; sigma NULL without errors */
    struct row_shapes shapes;     /* rows */
    double *weights;              /* rows; NULL: all count alike */
    struct target_values targets; /* rows */
    size_t memory;                /* bytes that x and sigma may take; 0: any number */
    struct cell_store x_store, sigma_store;
};

/* What x and sigma take, and whether they are in a file. */
size_t training_set_bytes(const struct training_set *set);
bool training_set_has_errors(const struct training_set *set);
bool training_set_in_file(const struct training_set *set);

/* The rest of the table, with the weights of its rows in column `weights`, which may be NULL. */
bool training_set_read(struct training_set *set, struct rows *rows, const char *weights,
                       struct complaint *complaint);

/* Copies values and errors that are where the table has them, so that they can be changed. */
bool training_set_own_cells(struct training_set *set, struct complaint *complaint);

/* Multiplies the weight of each row by that of its class. False without memory. */
bool training_set_weigh(struct training_set *set, const double *of_class);

/* Whether an attribute's values are positive but for one in a thousand, skewed to the right, and
 * less so in their logarithm. */
bool training_set_skewed(const struct training_set *set, size_t attribute);

/* Takes the logarithm of an attribute, whose errors are then lopsided; in `lost` how many values
 * had none and are missing now. */
bool training_set_take_log(struct training_set *set, size_t attribute, size_t *lost,
                           struct complaint *complaint);

/* Drops the attributes that are not wanted. */
void training_set_keep(struct training_set *set, const bool *wanted);

/*
 * Moves about `share` of each class's rows, in (0, 0.5], to `held`, which is empty; of all rows
 * where they have no class. Which ones depends on seed, class and how many rows of the class came
 * before: appended rows change nothing for the others, and the first row of a class always stays.
 */
bool training_set_hold_out(struct training_set *set, size_t classes, double share, uint64_t seed,
                           struct training_set *held, struct complaint *complaint);

/* A set without rows, and room for so many, of the shape of another. */
bool training_set_like(struct training_set *set, const struct training_set *other, size_t rows,
                       struct complaint *complaint);

/* One more row, for which there is room: one of another set, or a later one of its own. */
void training_set_append_row(struct training_set *to, const struct training_set *from, size_t row);

nim_data training_set_data(const struct training_set *set);
void training_set_free(struct training_set *set);

#endif
