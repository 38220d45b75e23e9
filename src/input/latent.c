/* SPDX-License-Identifier: Apache-2.0 */
/* NIMGP: every training row has its own q(xi) = N(shift, exp(spread)), 2 d parameters a row. */
#include "input/noise_posterior.h"

#include <string.h>

static size_t row_parameters(const struct input_setting *setting) {
    return 2 * setting->attributes;
}

static void read_rows(const struct input_setting *setting, const struct input_batch *batch,
                      const double *own, struct input_work *work) {
    size_t d = setting->attributes;
    for (size_t i = 0; i < batch->rows; i++) {
        memcpy(work->shift + i * d, own + 2 * i * d, d * sizeof(double));
        memcpy(work->spread + i * d, own + (2 * i + 1) * d, d * sizeof(double));
    }
}

static void place(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value) {
    (void)shared;
    read_rows(setting, batch, own, work);
    noise_posterior_place(setting, batch, work, x, value);
}

static void place_backward(const struct input_setting *setting, const struct input_batch *batch,
                           const double *shared, const double *own, struct input_work *work,
                           const double *d_x, double *d_shared, double *d_own, double *d_noise) {
    (void)shared, (void)own, (void)d_shared;
    size_t d = setting->attributes;
    noise_posterior_backward(setting, batch, work, d_x, d_noise);
    for (size_t i = 0; i < batch->rows; i++) {
        memcpy(d_own + 2 * i * d, work->d_shift + i * d, d * sizeof(double));
        memcpy(d_own + (2 * i + 1) * d, work->d_spread + i * d, d * sizeof(double));
    }
}

static void posterior(const struct input_setting *setting, const struct input_batch *batch,
                      const double *shared, const double *own, struct input_work *work,
                      double *mean, double *variance) {
    (void)shared;
    read_rows(setting, batch, own, work);
    noise_posterior_moments(setting, batch, work, mean, variance);
}

const struct input_model input_latent = {
    .name = "latent",
    .summary = "true inputs are inferred, each training row with a posterior of its own (NIMGP)",
    .copies = 1,
    .noise_start = 0.3,
    .moves = true,
    .averages = true,
    .samples = true,
    .row_parameters = row_parameters,
    .layout = noise_posterior_layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
