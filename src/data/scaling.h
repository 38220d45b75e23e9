/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_DATA_SCALING_H
#define NIMGP_DATA_SCALING_H

/*
 * From the user's units to standard ones, and the checks at the door.
 *
 * An attribute is shifted and scaled by the mean and (population) deviation of its training rows;
 * a constant one is only shifted. Missing cells become a measurement at the mean with the
 * attribute's own deviation for an error, missing errors the attribute's median error.
 */

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct scaling {
    size_t attributes;
    double *mean, *deviation; /* d, in the user's units */
    double *median_error;     /* d, in standard units */
    double *typical, *spread; /* d, in standard units: what stands in for a missing cell; spread 0
                                 means the attribute is constant */
};

void scaling_layout(struct scaling *scaling, size_t attributes, struct arena *arena);

/* Shapes, values, errors and weights of a table; labels below `classes` when that is not 0. */
nim_status data_check(const nim_data *data, size_t classes, nim_error *error);

/* How many classes the labels speak of (largest + 1); fails when all rows have one label. */
nim_status data_classes(const nim_data *data, size_t *classes, nim_error *error);

/* From checked data. With `standardise` false mean 0 and deviation 1 are set. */
nim_status scaling_compute(struct scaling *scaling, const nim_data *data, bool standardise,
                           nim_error *error);

/*
 * Rows row[0 .. count-1] of the table in standard units: x and noise variance (count x d), and
 * where not NULL target and weight (count). Given errors are left out unless `use_errors`.
 */
void scaling_gather(const struct scaling *scaling, const nim_data *data, bool use_errors,
                    size_t count, const size_t *row, double *x, double *noise, double *target,
                    double *weight);

#endif
