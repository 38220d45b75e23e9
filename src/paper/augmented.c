/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baseline: adds two copies of every row, with noise of variance 2 V added (as in the published
 * comparison). The draws are a function of row and copy, so they are the same in every epoch and
 * nothing is stored.
 */
#include "paper/draws.h"

#include "math/vector.h"

#include <math.h>

static void place(const struct input_batch *batch) {
    size_t d = batch->setting->attributes;
    double *epsilon = batch->work->epsilon;
    struct random_key key = {batch->seed, STREAM_INPUT_COPY};
    for (size_t i = 0; i < batch->rows; i++) {
        random_normal(key, batch->copy[i], batch->row[i], d, epsilon + i * d);
        scale(d, batch->copy[i] ? sqrt(2.0) : 0.0, epsilon + i * d);
    }
    place_with_draws(batch);
}

const struct input_model input_augmented = {
    .name = "augmented",
    .summary = "baseline: adds two copies of each row with noise added",
    .uses_errors = true,
    .copies = 3,
    .noise_start = 0.1,
    .layout = draws_layout,
    .place = place,
    .place_backward = draws_backward,
};
