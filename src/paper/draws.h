/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "input/input.h"

/* x = x~ + sqrt(V) epsilon, with epsilon (B S x d) drawn by the caller, with value 0. */
void place_with_draws(const struct input_setting *setting, const struct input_batch *batch,
                      struct input_work *work, double *x, double *value);

/* Its adjoint, by the noise only: d x / d V = epsilon / (2 sqrt(V)). */
void draws_backward(const struct input_setting *setting, const struct input_batch *batch,
                    const double *shared, const double *own, struct input_work *work,
                    const double *share, const double *d_x, double *d_shared, double *d_own,
                    double *d_noise);
