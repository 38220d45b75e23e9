/* SPDX-License-Identifier: Apache-2.0 */
/* NIMGP: every training row has its own q(xi) = N(shift, exp(spread)), 2 d parameters a row. */
#include "input/noise_posterior.h"

#include <string.h>

static size_t row_parameters(const struct input_setting *setting) {
    return 2 * setting->attributes;
}

struct copy {
    const struct input_setting *setting;
    struct input_work *work;
    const double *own;
    double *d_own;
};

/* One row's shift and spread, from where they are kept. */
static void read_row(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct copy *copy = context;
    size_t d = copy->setting->attributes, bytes = d * sizeof(double);
    memcpy(copy->work->shift + i * d, copy->own + 2 * i * d, bytes);
    memcpy(copy->work->spread + i * d, copy->own + (2 * i + 1) * d, bytes);
}

/* One row's gradient, in the same order. */
static void write_row(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct copy *copy = context;
    size_t d = copy->setting->attributes, bytes = d * sizeof(double);
    memcpy(copy->d_own + 2 * i * d, copy->work->d_shift + i * d, bytes);
    memcpy(copy->d_own + (2 * i + 1) * d, copy->work->d_spread + i * d, bytes);
}

static void read_rows(const struct input_setting *setting, const struct input_batch *batch,
                      const double *own, struct input_work *work) {
    struct copy copy = {setting, work, own, NULL};
    pool_run(batch->pool, batch->rows, read_row, &copy);
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
    noise_posterior_backward(setting, batch, work, d_x, d_noise);
    struct copy copy = {setting, work, NULL, d_own};
    pool_run(batch->pool, batch->rows, write_row, &copy);
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
