/* SPDX-License-Identifier: Apache-2.0 */
/* NIMGP: every training row has its own q(xi) = N(shift, exp(spread)), 2 d parameters per row. */
#include "input/noise_posterior.h"

static size_t row_parameters(const struct input_setting *setting) {
    return 2 * setting->attributes;
}

static void place(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value, double *log_weight) {
    (void)shared;
    noise_posterior_draw(setting, batch, work);
    noise_posterior_place(setting, batch, own, work, x, value, log_weight);
}

static void place_backward(const struct input_setting *setting, const struct input_batch *batch,
                           const double *shared, const double *own, struct input_work *work,
                           const double *share, const double *d_x, double *d_shared, double *d_own,
                           double *d_noise) {
    (void)shared, (void)d_shared;
    noise_posterior_backward(setting, batch, own, work, share, d_x, d_own, d_noise);
}

static void posterior(const struct input_setting *setting, const struct input_batch *batch,
                      const double *shared, const double *own, struct input_work *work,
                      double *mean, double *variance) {
    (void)shared, (void)work;
    noise_posterior_moments(setting, batch, own, mean, variance);
}

const struct input_model input_latent = {
    .name = "latent",
    .summary = "infers the true inputs; each training row has its own posterior (NIMGP)",
    .uses_errors = true,
    .joins_errors = true,
    .copies = 1,
    .noise_start = 0.3,
    .moves = true,
    .averages = true,
    .samples = true,
    .inside = true,
    .row_parameters = row_parameters,
    .layout = noise_posterior_layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
