/* SPDX-License-Identifier: Apache-2.0 */
/* MGP: inputs count as exact, x = x~. */
#include "input/input.h"

const struct input_model input_exact = {
    .name = "exact",
    .summary = "ignores the error bars (MGP)",
    .joins_errors = true, /* as it ignores all */
    .copies = 1,
    .shrinks = true,
    .noise_start = 0.1,
    .place = place_as_measured,
};
