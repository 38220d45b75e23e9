/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

const struct input_model *const input_list[] = {
    &input_marginal,    &input_latent, &input_amortised,
    &input_first_order, &input_exact,  &input_augmented,
    &input_resampled,   &input_narrow, NULL,
};
