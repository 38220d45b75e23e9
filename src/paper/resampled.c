/* SPDX-License-Identifier: Apache-2.0 */
/* Baseline: a new draw x ~ N(x~, V) in every step, independent of the label. */
#include "paper/draws.h"

#include "math/vector.h"

static void place(const struct input_batch *batch) {
    size_t each = batch->setting->samples * batch->setting->attributes;
    double *epsilon = batch->work->epsilon;
    struct random_key key = {batch->seed, STREAM_INPUT_DRAW};
    for (size_t i = 0; i < batch->rows; i++)
        random_normal(key, batch->step, batch->row[i], each, epsilon + i * each);
    scale(batch->rows * each, batch->width, epsilon);
    place_with_draws(batch);
}

const struct input_model input_resampled = {
    .name = "resampled",
    .summary = "baseline: draws new inputs from the error bars in each step",
    .uses_errors = true,
    .copies = 1,
    .noise_start = 0.1,
    .samples = true,
    .layout = draws_layout,
    .place = place,
    .place_backward = draws_backward,
};
