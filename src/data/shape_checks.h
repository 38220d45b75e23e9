/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_DATA_SHAPE_CHECKS_H
#define NIMGP_DATA_SHAPE_CHECKS_H

/* Validation of measurements that are not x~ with an error of its own: correlated and
 * lopsided errors, limits. */

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* With more attributes their errors are independent. */
enum { MOST_CORRELATED = 64 };

static inline bool data_has_shapes(const nim_data *data) {
    return data->correlation || data->sigma_upper || data->limit;
}

nim_status shapes_check_sizes(const nim_data *data, nim_error *error);
nim_status shapes_check(const nim_data *data, nim_error *error);

#endif
