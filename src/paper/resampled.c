/* SPDX-License-Identifier: Apache-2.0 */
/* Baseline: a new draw x ~ N(x~, V) in every step, independent of the label. */
#include "paper/draws.h"

#include "math/vector.h"

static void layout(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena) {
    size_t points = setting->most_rows * setting->samples;
    work->epsilon = arena_doubles(arena, points * setting->attributes);
}

static void place(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value, double *log_weight) {
    (void)shared, (void)own, (void)log_weight;
    size_t each = setting->samples * setting->attributes;
    struct random_key key = {batch->seed, STREAM_INPUT_DRAW};
    for (size_t i = 0; i < batch->rows; i++)
        random_normal(key, batch->step, batch->row[i], each, work->epsilon + i * each);
    scale(batch->rows * each, batch->width, work->epsilon);
    place_with_draws(setting, batch, work, x, value);
}

const struct input_model input_resampled = {
    .name = "resampled",
    .summary = "baseline: draws new inputs from the error bars in each step",
    .uses_errors = true,
    .copies = 1,
    .noise_start = 0.1,
    .samples = true,
    .layout = layout,
    .place = place,
    .place_backward = draws_backward,
};
