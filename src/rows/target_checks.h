/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Validation of targets: labels, numbers, counts, sets of labels. */

#include "base/status.h"
#include "rows/bounds.h"

#include <stddef.h>

enum { MOST_CLASSES = 10000 };

/* The number of classes in the labels (largest + 1); fails when all rows have one label. */
nim_status labels_classes(const nim_data *data, size_t *classes, nim_error *error);

/* Labels are not NULL, and each is below `classes`. */
nim_status labels_check(const nim_data *data, size_t classes, nim_error *error);

/* Every label below `classes` has rows: the thresholds of a level can be learned only from its
 * rows. */
nim_status levels_check(const nim_data *data, size_t classes, nim_error *error);

/* One finite number per row. */
nim_status numbers_check(const nim_data *data, const struct target_bounds *bounds,
                         nim_error *error);

/* One whole number >= 0 per row; exposures, if given, are finite and positive. */
nim_status counts_check(const nim_data *data, nim_error *error);

/* Only the exposures, if given. */
nim_status exposure_check(const nim_data *data, nim_error *error);

/* `labels` columns of 0 and 1. */
nim_status sets_check(const nim_data *data, size_t labels, nim_error *error);
