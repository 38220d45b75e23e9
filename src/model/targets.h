/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_TARGETS_H
#define NIMGP_MODEL_TARGETS_H

/* What a model's likelihood takes for y: the right checks, sizes and numbers for each kind. */

#include "model/model.h"

/* C as the data have it, checked in full: what a model of these options is made with. */
nim_status targets_classes(const struct nim_options *options, const nim_data *data, size_t *classes,
                           nim_error *error);

/* Whether this likelihood can have so many classes. */
bool targets_can_be(const struct likelihood *likelihood, size_t classes);

/* Whether the data's targets are such as the model knows. */
nim_status targets_check(const struct nim_model *model, const nim_data *data, nim_error *error);

/* The units of y, and the start of the likelihood's parameters. False when memory runs out. */
bool targets_start(struct nim_model *model, const nim_data *data);

/* Targets of rows row[0 .. count-1] as the likelihood wants them: count x target_width. */
void targets_gather(const struct nim_model *model, const nim_data *data, size_t count,
                    const size_t *row, double *target);

/* What a network is told of targets (count x target_width): count x features. */
static inline size_t targets_features(size_t classes) {
    return classes ? classes : 1;
}
void targets_describe(const struct nim_model *model, size_t count, const double *target,
                      double *feature);

/* Whether y is one of several classes, so that rows of a rare one can be told. */
static inline bool targets_are_classes(const struct nim_model *model) {
    return model->options.likelihood->target <= TARGET_LEVEL;
}

/* Whether y is more or less of something. */
static inline bool targets_have_order(const struct nim_model *model) {
    enum target_kind kind = model->options.likelihood->target;
    return kind == TARGET_LEVEL || kind == TARGET_NUMBER || kind == TARGET_COUNT;
}

#endif
