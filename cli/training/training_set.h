/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_SET_H
#define CLI_TRAINING_TRAINING_SET_H

/* The training rows, or the held-out rows. Values and errors are in a mapped table if possible;
 * otherwise in memory or, if they need more than `memory`, in a temporary file. */

#include "cli/rows/row_weights.h"
#include "cli/rows/rows.h"
#include "cli/training/cell_store.h"
#include "cli/training/mapped_rows.h"

struct training_set {
    size_t rows, attributes;
    struct mapped_rows mapped;    /* values and errors in the table, or none */
    double *x, *sigma;            /* else rows x attributes; sigma NULL without errors */
    struct row_shapes shapes;     /* rows */
    double *weights;              /* rows; NULL: all equal */
    struct target_values targets; /* rows */
    size_t memory;                /* bytes that x and sigma may use; 0: any number */
    struct cell_store x_store, sigma_store;
};

/* The bytes of x and sigma, and whether they are in a file. */
size_t training_set_bytes(const struct training_set *set);
bool training_set_has_errors(const struct training_set *set);
bool training_set_in_file(const struct training_set *set);

/* Reads the rest of the table, with row weights from the column `weights`, which may be NULL. */
bool training_set_read(struct training_set *set, struct rows *rows, const char *weights,
                       struct complaint *complaint);

/* Copies values and errors from a mapped table, so that they can be changed. */
bool training_set_own_cells(struct training_set *set, struct complaint *complaint);

/* Multiplies the weight of each row by that of its class. False when out of memory. */
bool training_set_weigh(struct training_set *set, const double *of_class);

/* nim_wants_log of an attribute. */
bool training_set_skewed(const struct training_set *set, size_t attribute);

/* Takes the logarithm of an attribute, whose errors are then asymmetric; `lost` becomes the number
 * of values without a logarithm, which become missing. */
bool training_set_take_log(struct training_set *set, size_t attribute, size_t *lost,
                           struct complaint *complaint);

/* Removes the attributes that are not kept. */
void training_set_keep(struct training_set *set, const bool *wanted);

/*
 * Moves about `share` of the rows of each class, in (0, 0.5], to `held`, which is empty; of all
 * rows if they have no class. The choice depends on the seed, the class and the number of earlier
 * rows of the class. So appended rows do not change the choice for others, and the first row of a
 * class is never held out.
 */
bool training_set_hold_out(struct training_set *set, size_t classes, double share, uint64_t seed,
                           struct training_set *held, struct complaint *complaint);

/* A block of rows as a set, which refers to their memory. */
struct training_set training_set_of(const struct rows *rows);

/* An empty set with memory for this number of rows, with the shape of another. */
bool training_set_like(struct training_set *set, const struct training_set *other, size_t rows,
                       struct complaint *complaint);

/* Appends a row, for which there is memory: one of another set, or a later one of the same set. */
void training_set_append_row(struct training_set *to, const struct training_set *from, size_t row);

nim_data training_set_data(const struct training_set *set);
void training_set_free(struct training_set *set);

#endif
