/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NIMGP_NN: a network computes shift and spread of a row's q(xi). Its inputs are the row's
 * measurement, target and error bars, (x~, y, sqrt V), with a class in one-hot form; if a
 * population was learned, mean and deviation of p(x | x~) replace x~ and sqrt V. ReLU between
 * layers. The last layer starts near zero, so that q starts at the measurement and its error bar.
 */
#include "math/simd.h"
#include "math/tiled_product.h"
#include "math/vector.h"
#include "input/network.h"
#include "input/noise_posterior.h"

#include <math.h>
#include <string.h>

static struct network network_of(const struct input_setting *setting) {
    size_t d = setting->attributes;
    return (struct network){.in = 2 * d + setting->features,
                            .out = 2 * d,
                            .layers = setting->layers,
                            .units = setting->units};
}

static size_t shared_parameters(const struct input_setting *setting) {
    struct network network = network_of(setting);
    return network_parameters(&network);
}

static void start(const struct input_setting *setting, uint64_t seed, double *shared) {
    struct random_key key = {seed, STREAM_INPUT_NETWORK};
    struct network network = network_of(setting);
    for (size_t l = 0; l <= setting->layers; l++) {
        size_t in = network_width(&network, l), out = network_width(&network, l + 1);
        double deviation = sqrt(2.0 / (double)in) * (l < setting->layers ? 1.0 : 0.01);
        random_normal(key, 0, l, in * out, shared);
        scale(in * out, deviation, shared);
        memset(shared + in * out, 0, out * sizeof(double));
        shared += network_layer_parameters(&network, l);
    }
}

static void layout(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena) {
    struct network network = network_of(setting);
    noise_posterior_layout(work, setting, arena);
    network_layout(&network, setting->most_rows, arena, work->layer, work->d_layer);
}

SIMD_CLONES static void roots(size_t n, const double *square, double *root) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++)
        root[j] = sqrt(square[j]);
}

static void fill_features(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct input_batch *batch = *(const struct input_batch *const *)context;
    size_t d = batch->setting->attributes, told = batch->setting->features;
    double *feature = batch->work->layer[0] + i * (2 * d + told);
    const struct input_prior *prior = &batch->prior;
    memcpy(feature + d, batch->feature + i * told, told * sizeof(double));
    if (!batch->setting->population->components) {
        memcpy(feature, batch->x + i * d, d * sizeof(double));
        roots(d, batch->noise + i * d, feature + d + told);
        return;
    }
    /* What is known about the row without its label: mean and deviation of p(x | x~). */
    memcpy(feature, prior->centre + i * d, d * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        const double *root = prior->root + (i * d + j) * d;
        feature[d + told + j] = sqrt(dot(d, root, root));
    }
}

/* Runs the network; its output is q. */
static const double *forward(const struct input_batch *batch) {
    struct network network = network_of(batch->setting);
    pool_run(batch->pool, batch->rows, fill_features, &batch);
    return network_forward(&network, batch, batch->shared, batch->work->layer);
}

static void place(const struct input_batch *batch) {
    const double *q = forward(batch);
    noise_posterior_draw(batch);
    noise_posterior_place(batch, q);
}

/* The error bars are features too: d sqrt(V) / d V = 1 / (2 sqrt(V)). */
static void features_backward(const struct input_batch *batch) {
    struct network network = network_of(batch->setting);
    size_t d = batch->setting->attributes, first = d + batch->setting->features;
    size_t in = network.in, out = network_width(&network, 1);
    double *d_feature = batch->work->d_layer[0];
    tiled_product(batch->pool, batch->scratch, PLAIN, PLAIN, batch->rows, d, out,
                  batch->work->d_layer[1], out, batch->shared + first, in, d_feature, d);
    for (size_t i = 0; i < batch->rows; i++)
        for (size_t j = 0; j < d; j++)
            if (batch->noise[i * d + j] > 0.0)
                batch->d_noise[j] += 0.5 * d_feature[i * d + j] / sqrt(batch->noise[i * d + j]);
}

static void place_backward(const struct input_batch *batch) {
    struct network network = network_of(batch->setting);
    struct input_work *work = batch->work;
    size_t last = batch->setting->layers + 1;
    noise_posterior_backward(batch, work->layer[last], work->d_layer[last]);
    network_backward(&network, batch, batch->shared, work->layer, work->d_layer, batch->d_shared);
    if (batch->d_noise)
        features_backward(batch);
}

static void posterior(const struct input_batch *batch) {
    noise_posterior_moments(batch, forward(batch));
}

const struct input_model input_amortised = {
    .name = "amortised",
    .summary = "infers the true inputs; a network computes the posterior from measurement, label "
               "and error (NIMGP_NN)",
    .uses_errors = true,
    .joins_errors = true,
    .reads_target = true,
    .copies = 1,
    .noise_start = 0.1,
    .moves = true,
    .averages = true,
    .samples = true,
    .inside = true,
    .shared_rate = 0.5, /* the network needs smaller steps than the other parameters */
    .shared_parameters = shared_parameters,
    .start = start,
    .layout = layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
