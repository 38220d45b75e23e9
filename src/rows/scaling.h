/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Conversion of the user's units to standard units, and validation.
 *
 * An attribute is shifted and scaled by the mean and (population) deviation of its training rows;
 * a constant one is only shifted. An attribute with heavy tails may be warped before that (warp.h).
 * A missing cell becomes the mean with infinite noise. A missing error becomes the attribute's
 * median error, scaled by how large the row's other errors are compared with their medians.
 *
 * The fact that a cell is missing may be informative. So a column may have a flag: an additional
 * exact attribute that is 1 if the cell is missing and otherwise 0, in standard units. Flags
 * follow the columns: a row has width = columns + flags attributes.
 */

#include "base/array_list.h"
#include "base/status.h"
#include "rows/bounds.h"
#include "rows/warp.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct scaling {
    size_t columns, flags, width;
    bool errors_follow; /* a missing error is scaled by the row's others; not in old model files */
    bool warps;         /* whether any column is warped */
    double *flagged;    /* flags: the column of each */
    double *warp_centre, *warp_width; /* columns, in the user's units */
    double *mean, *deviation; /* width, in the user's units, or those of the warped values */
    double *median_error;     /* width, in standard units */
    double *typical, *spread; /* width, in standard units: where a missing cell stands, and how far
                                 the others lie from there; spread 0 means the attribute is
                                 constant */
    double target_mean, target_deviation; /* of y where it is a number; where it is a count, the log
                                             of the mean rate, and 1; else 0 and 1 */
    struct target_bounds
        bounds; /* of y where it is a number; mean and deviation are then those of u */
};

/* Sets the sizes, and what is not learned from data. */
void scaling_plan(struct scaling *scaling, size_t columns, size_t flags,
                  struct target_bounds bounds);

/* Appends all arrays, which also says how they are laid out. */
void scaling_arrays(struct scaling *scaling, struct array_list *list);

/* Shapes, values, errors and weights of a table. */
nim_status data_check(const nim_data *data, nim_error *error);

/* Checks the sum of the weights: it must not be zero or overflow. For training rows only. */
nim_status weights_check_total(const nim_data *data, nim_error *error);

/* Finds the columns that get a flag: those in which enough cells are missing and enough are not. Of
 * columns that are always missing together, only the first gets one. Writes their numbers to
 * `flagged` (columns) and how many there are. False if memory runs out. */
bool scaling_find_flags(const nim_data *data, size_t *flagged, size_t *count);

/* Computes the scaling from checked data, after `flagged` was filled in. If `standardise` is false,
 * mean 0 and deviation 1 are used. With `warp` attributes with heavy tails are warped (warp.h). */
nim_status scaling_compute(struct scaling *scaling, const nim_data *data, bool standardise,
                           bool warp, nim_error *error);

static inline struct warp scaling_warp(const struct scaling *scaling, size_t j) {
    if (!scaling->warps || j >= scaling->columns)
        return (struct warp){0};
    return (struct warp){scaling->warp_centre[j], scaling->warp_width[j]};
}

/* How many of the user's units a standard unit of attribute j is at a value in the user's units. */
static inline double scaling_unit(const struct scaling *scaling, size_t j, double value) {
    return scaling->deviation[j] * warp_unit(scaling_warp(scaling, j), value);
}

/* The same at the centre of the attribute's values. */
static inline double scaling_usual_unit(const struct scaling *scaling, size_t j) {
    return scaling_unit(scaling, j, scaling_warp(scaling, j).centre);
}

/* A value of attribute j in the user's units, from standard units. */
double scaling_invert(const struct scaling *scaling, size_t j, double standard);

/* The same for y where it is a number, from checked targets. False when out of memory. */
bool scaling_compute_target(struct scaling *scaling, const nim_data *data, bool standardise);

/* y in standard units, and back: in halves, so that not even the largest doubles overflow. */
static inline double scaling_target(const struct scaling *scaling, double y) {
    double u = bounds_free(&scaling->bounds, y);
    return (0.5 * u - 0.5 * scaling->target_mean) / (0.5 * scaling->target_deviation);
}
static inline double scaling_untarget(const struct scaling *scaling, double y) {
    double half = 0.5 * y * scaling->target_deviation + 0.5 * scaling->target_mean;
    return bounds_bind(&scaling->bounds, 2.0 * half);
}

/* The log of how many standard units there are to a unit of y, at y in standard units. */
static inline double scaling_target_log_slope(const struct scaling *scaling, double y) {
    double u = y * scaling->target_deviation + scaling->target_mean;
    return bounds_log_slope(&scaling->bounds, u) - log(scaling->target_deviation);
}

/*
 * Rows row[0 .. count-1] of the table in standard units: x and noise variance (count x width), and
 * if not NULL weight (count). Given errors are ignored unless `use_errors`.
 */
void scaling_take(const struct scaling *scaling, const nim_data *data, bool use_errors,
                  size_t count, const size_t *row, double *x, double *noise, double *weight);

/* Replaces the infinite noise of missing cells by the attribute's spread, for a flat population,
 * which has no information about them. noise: count x width. */
void scaling_fill_missing(const struct scaling *scaling, size_t count, double *noise);
