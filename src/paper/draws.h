/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "input/input.h"

/* epsilon (B S x d). */
void draws_layout(struct input_work *work, const struct input_setting *setting,
                  struct arena *arena);

/* x = x~ + sqrt(V) epsilon, with epsilon drawn by the caller, with value 0. */
void place_with_draws(const struct input_batch *batch);

/* Its adjoint, by the noise only: d x / d V = epsilon / (2 sqrt(V)). */
void draws_backward(const struct input_batch *batch);
