/* SPDX-License-Identifier: Apache-2.0 */
/* NIMGP: every training row has its own q(xi) = N(shift, exp(spread)), 2 d parameters per row. */
#include "input/noise_posterior.h"

static void place(const struct input_batch *batch) {
    noise_posterior_draw(batch);
    noise_posterior_place(batch, batch->own);
}

static void place_backward(const struct input_batch *batch) {
    noise_posterior_backward(batch, batch->own, batch->d_own);
}

static void posterior(const struct input_batch *batch) {
    noise_posterior_moments(batch, batch->own);
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
    .row_parameters = 2,
    .layout = noise_posterior_layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
