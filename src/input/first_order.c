/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NIMGP_FO: functions are evaluated at the measured inputs, and the noise increases the latent
 * variance by the slope of the posterior mean (gp/slope.c).
 */
#include "input/input.h"

const struct input_model input_first_order = {
    .name = "first_order",
    .summary = "converts input noise to output noise by the slope of the mean (NIMGP_FO)",
    .uses_errors = true,
    .joins_errors = true,
    .copies = 1,
    .shrinks = true,
    .noise_start = 0.1,
    .widens = true,
    .place = place_as_measured,
};
