/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Targets of a model's likelihood: checks, sizes and numbers for each kind. */

#include "model/model.h"

/* The number of classes in the data, for a new model with these options; checks the targets. */
nim_status targets_classes(const struct nim_options *options, const nim_data *data, size_t *classes,
                           nim_error *error);

/* The bounds of y where it is a number. */
static inline struct target_bounds targets_bounds(const struct nim_options *options) {
    return (struct target_bounds){options->lowest, options->highest};
}

/* Whether this likelihood allows this number of classes. */
bool targets_can_be(const struct likelihood *likelihood, size_t classes);

/* Checks the targets of the data for this model. */
nim_status targets_check(const struct nim_model *model, const nim_data *data, nim_error *error);

/* Computes the units of y and the start of the likelihood's parameters. False when out of memory.
 */
bool targets_start(struct nim_model *model, const nim_data *data);

/* Targets of rows row[0 .. count-1] in the form for the likelihood: count x target_width. */
void targets_take(const struct nim_model *model, const nim_data *data, size_t count,
                  const size_t *row, double *target);

/* The features of a network that describe targets (count x target_width): count x features. */
static inline size_t targets_features(size_t classes) {
    return classes ? classes : 1;
}
void targets_describe(const struct nim_model *model, size_t count, const double *target,
                      double *feature);

/* Whether y is one of several classes, so that there can be rare classes. */
static inline bool targets_are_classes(const struct nim_model *model) {
    return model->options.likelihood->target <= TARGET_LEVEL;
}

/* Whether y has an order: levels, numbers and counts. */
static inline bool targets_have_order(const struct nim_model *model) {
    enum target_kind kind = model->options.likelihood->target;
    return kind == TARGET_LEVEL || kind == TARGET_NUMBER || kind == TARGET_COUNT;
}

/* Smaller shares count as zero, so that divisions by a share stay finite. */
#define LEAST_SHARE 1e-100

/* Counts the labels of `data`, weighted, into class_share: the shares of classes or levels in the
 * training rows, on which predicted probabilities depend. Does nothing if rows have no class. */
void class_shares_count(struct nim_model *model, const nim_data *data);

/* Whether the shares read from a file are valid. */
bool class_shares_can_be(const struct nim_model *model);
