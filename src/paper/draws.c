/* SPDX-License-Identifier: Apache-2.0 */
#include "paper/draws.h"

#include <math.h>
#include <string.h>

void draws_layout(struct input_work *work, const struct input_setting *setting,
                  struct arena *arena) {
    size_t points = setting->most_rows * setting->samples;
    work->epsilon = arena_doubles(arena, points * setting->attributes);
}

void place_with_draws(const struct input_batch *batch) {
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *epsilon = batch->work->epsilon;
    for (size_t p = 0; p < batch->rows * samples; p++)
        for (size_t j = 0, i = p / samples; j < d; j++)
            batch->point[p * d + j] =
                batch->x[i * d + j] + sqrt(batch->noise[i * d + j]) * epsilon[p * d + j];
    memset(batch->value, 0, batch->rows * sizeof(double));
}

void draws_backward(const struct input_batch *batch) {
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    for (size_t p = 0; p < batch->rows * samples; p++)
        for (size_t j = 0, i = p / samples; j < d; j++)
            if (batch->noise[i * d + j] > 0.0)
                batch->d_noise[j] += 0.5 * batch->d_point[p * d + j] *
                                     batch->work->epsilon[p * d + j] /
                                     sqrt(batch->noise[i * d + j]);
}
