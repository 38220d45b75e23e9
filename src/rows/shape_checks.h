/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Validation of correlated errors, upper and lower errors, and limits. */

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* The most attributes that may have correlated errors. */
enum { MOST_CORRELATED = NIM_MOST_CORRELATED };

static inline bool data_has_shapes(const nim_data *data) {
    return data->correlation || data->sigma_upper || data->limit;
}

nim_status shapes_check_sizes(const nim_data *data, nim_error *error);
nim_status shapes_check(const nim_data *data, nim_error *error);
