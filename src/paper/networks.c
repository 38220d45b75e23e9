/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baseline: NIMGP_NN as published. Two networks have the measurement and the target as inputs,
 * (x~, y) with a class in one-hot form. Their outputs are the mean and the log variance of
 * q(x) = N(mu, s) in plain coordinates. All weights and biases start near zero, so q starts close
 * to N(0, 1) whatever the measurement is. The rest is as in `narrow`, with q in place of a row's
 * own parameters: shift = mu - x~, spread = log s - log START.
 *
 * Shared parameters: those of the network of means, then those of the network of log variances.
 */
#include "paper/narrow.h"
#include "input/network.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

#define DEVIATION 0.001 /* of initial weights and biases, normal, truncated at two deviations */

static struct network network_of(const struct input_setting *setting) {
    return (struct network){.in = setting->attributes + setting->features,
                            .out = setting->attributes,
                            .layers = setting->layers,
                            .units = setting->units};
}

static size_t shared_parameters(const struct input_setting *setting) {
    struct network network = network_of(setting);
    return 2 * network_parameters(&network);
}

static void start(const struct input_setting *setting, uint64_t seed, double *shared) {
    struct random_key key = {seed, STREAM_INPUT_NETWORK};
    size_t count = shared_parameters(setting);
    double tail = normal_cdf(-2.0);
    random_uniform(key, 0, 0, count, shared);
    for (size_t i = 0; i < count; i++)
        shared[i] = DEVIATION * normal_quantile(tail + (1.0 - 2.0 * tail) * shared[i]);
}

static void layout(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena) {
    struct network network = network_of(setting);
    size_t rows = setting->most_rows, d = setting->attributes;
    work->epsilon = arena_doubles(arena, rows * setting->samples * d);
    work->q = arena_doubles(arena, rows * 2 * d);
    work->d_q = arena_doubles(arena, rows * 2 * d);
    network_layout(&network, rows, arena, work->layer, work->d_layer);
    network_layout(&network, rows, arena, work->second_layer, work->d_second_layer);
}

static void fill_features(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct input_batch *batch = *(const struct input_batch *const *)context;
    size_t d = batch->setting->attributes, told = batch->setting->features;
    double *feature = batch->work->layer[0] + i * (d + told);
    memcpy(feature, batch->x + i * d, d * sizeof(double));
    memcpy(feature + d, batch->feature + i * told, told * sizeof(double));
    memcpy(batch->work->second_layer[0] + i * (d + told), feature, (d + told) * sizeof(double));
}

static void fill_q(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct input_batch *batch = *(const struct input_batch *const *)context;
    const struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, last = batch->setting->layers + 1;
    const double *mean = work->layer[last], *log_variance = work->second_layer[last];
    double *shift = work->q + 2 * i * d, *spread = shift + d;
    for (size_t j = 0; j < d; j++) {
        shift[j] = mean[i * d + j] - batch->x[i * d + j];
        spread[j] = log_variance[i * d + j] - log(NARROW_START);
    }
}

/* The same rows with q in place of their own parameters, as `narrow` takes them. */
static struct input_batch with_q(const struct input_batch *batch) {
    struct input_batch rows = *batch;
    rows.own = batch->work->q;
    rows.d_own = batch->work->d_q;
    return rows;
}

/* Runs both networks; fills q. */
static struct input_batch forward(const struct input_batch *batch) {
    struct network network = network_of(batch->setting);
    const double *second = batch->shared + network_parameters(&network);
    pool_run(batch->pool, batch->rows, fill_features, &batch);
    network_forward(&network, batch, batch->shared, batch->work->layer);
    network_forward(&network, batch, second, batch->work->second_layer);
    pool_run(batch->pool, batch->rows, fill_q, &batch);
    return with_q(batch);
}

static void place(const struct input_batch *batch) {
    const struct input_batch rows = forward(batch);
    input_narrow.place(&rows);
}

static void place_backward(const struct input_batch *batch) {
    const struct input_batch rows = with_q(batch);
    struct network network = network_of(batch->setting);
    struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, last = batch->setting->layers + 1;
    size_t second = network_parameters(&network);
    input_narrow.place_backward(&rows);
    for (size_t i = 0; i < batch->rows; i++) {
        const double *d_shift = work->d_q + 2 * i * d;
        memcpy(work->d_layer[last] + i * d, d_shift, d * sizeof(double));
        memcpy(work->d_second_layer[last] + i * d, d_shift + d, d * sizeof(double));
    }
    network_backward(&network, batch, batch->shared, work->layer, work->d_layer, batch->d_shared);
    network_backward(&network, batch, batch->shared + second, work->second_layer,
                     work->d_second_layer, batch->d_shared + second);
}

static void posterior(const struct input_batch *batch) {
    const struct input_batch rows = forward(batch);
    input_narrow.posterior(&rows);
}

const struct input_model input_networks = {
    .name = "networks",
    .summary = "baseline: amortised with the published parametrisation, which starts away from "
               "the measurements",
    .uses_errors = true,
    .reads_target = true,
    .copies = 1,
    .noise_start = 0.1,
    .moves = true,
    .averages = true,
    .samples = true,
    .flat = true,
    .shared_rate = 1.0,
    .shared_parameters = shared_parameters,
    .start = start,
    .layout = layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
