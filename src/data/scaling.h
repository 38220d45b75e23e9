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
    double target_mean, target_deviation; /* of y where it is a number; where it is a count, the log
                                             of the mean rate, and 1; else 0 and 1 */
};

void scaling_layout(struct scaling *scaling, size_t attributes, struct arena *arena);

/* Shapes, values, errors and weights of a table. */
nim_status data_check(const nim_data *data, nim_error *error);

/* From checked data. With `standardise` false mean 0 and deviation 1 are set. */
nim_status scaling_compute(struct scaling *scaling, const nim_data *data, bool standardise,
                           nim_error *error);

/* The same for y where it is a number, from checked targets. */
void scaling_compute_target(struct scaling *scaling, const nim_data *data, bool standardise);

static inline double scaling_target(const struct scaling *scaling, double y) {
    /* In halves, so that not even the largest doubles overflow. */
    return (0.5 * y - 0.5 * scaling->target_mean) / (0.5 * scaling->target_deviation);
}

/*
 * Rows row[0 .. count-1] of the table in standard units: x and noise variance (count x d), and
 * where not NULL weight (count). Given errors are left out unless `use_errors`.
 */
void scaling_gather(const struct scaling *scaling, const nim_data *data, bool use_errors,
                    size_t count, const size_t *row, double *x, double *noise, double *weight);

#endif
