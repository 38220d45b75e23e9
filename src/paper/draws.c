/* SPDX-License-Identifier: Apache-2.0 */
#include "paper/draws.h"

#include <math.h>
#include <string.h>

void place_with_draws(const struct input_setting *setting, const struct input_batch *batch,
                      struct input_work *work, double *x, double *value) {
    size_t d = setting->attributes, samples = setting->samples;
    for (size_t p = 0; p < batch->rows * samples; p++)
        for (size_t j = 0, i = p / samples; j < d; j++)
            x[p * d + j] =
                batch->x[i * d + j] + sqrt(batch->noise[i * d + j]) * work->epsilon[p * d + j];
    memset(value, 0, batch->rows * sizeof(double));
}

void draws_backward(const struct input_setting *setting, const struct input_batch *batch,
                    const double *shared, const double *own, struct input_work *work,
                    const double *share, const double *d_x, double *d_shared, double *d_own,
                    double *d_noise) {
    (void)shared, (void)own, (void)share, (void)d_shared, (void)d_own;
    size_t d = setting->attributes, samples = setting->samples;
    for (size_t p = 0; p < batch->rows * samples; p++)
        for (size_t j = 0, i = p / samples; j < d; j++)
            if (batch->noise[i * d + j] > 0.0)
                d_noise[j] +=
                    0.5 * d_x[p * d + j] * work->epsilon[p * d + j] / sqrt(batch->noise[i * d + j]);
}
