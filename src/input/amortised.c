/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NIMGP_NN: q(xi) of a row comes from a network fed with the row's measurement, what it is and its
 * own error bars, (x~, y, sqrt V) with a class in one-hot form: shift and spread come out. ReLU
 * between layers. Its last layer starts near zero, so that q starts at the measurement and its
 * error bar.
 *
 * Parameters, layer by layer: weights (out x in), then biases (out).
 */
#include "base/tiled_product.h"
#include "base/vector.h"
#include "input/noise_posterior.h"

#include <math.h>
#include <string.h>

/* Width of what enters layer l; that of layer `layers` + 1 is the output. */
static size_t width(const struct input_setting *setting, size_t l) {
    if (l == 0)
        return 2 * setting->attributes + setting->features;
    return l <= setting->layers ? setting->units : 2 * setting->attributes;
}

static size_t layer_parameters(const struct input_setting *setting, size_t l) {
    return (width(setting, l) + 1) * width(setting, l + 1);
}

static size_t shared_parameters(const struct input_setting *setting) {
    size_t count = 0;
    for (size_t l = 0; l <= setting->layers; l++)
        count += layer_parameters(setting, l);
    return count;
}

static void start(const struct input_setting *setting, uint64_t seed, double *shared) {
    struct random_key key = {seed, STREAM_INPUT_NETWORK};
    for (size_t l = 0; l <= setting->layers; l++) {
        size_t in = width(setting, l), out = width(setting, l + 1);
        double deviation = sqrt(2.0 / (double)in) * (l < setting->layers ? 1.0 : 0.01);
        random_normal(key, 0, l, in * out, shared);
        scale(in * out, deviation, shared);
        memset(shared + in * out, 0, out * sizeof(double));
        shared += layer_parameters(setting, l);
    }
}

static void layout(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena) {
    noise_posterior_layout(work, setting, arena);
    for (size_t l = 0; l <= setting->layers + 1; l++) {
        work->layer[l] = arena_doubles(arena, setting->most_rows * width(setting, l));
        work->d_layer[l] = arena_doubles(arena, setting->most_rows * width(setting, l));
    }
}

static void fill_features(const struct input_setting *setting, const struct input_batch *batch,
                          double *feature) {
    size_t d = setting->attributes, told = setting->features;
    for (size_t i = 0; i < batch->rows; i++, feature += 2 * d + told) {
        memcpy(feature, batch->x + i * d, d * sizeof(double));
        memcpy(feature + d, batch->feature + i * told, told * sizeof(double));
        for (size_t j = 0; j < d; j++)
            feature[d + told + j] = sqrt(batch->noise[i * d + j]);
    }
}

/* Runs the network and splits its output into shift and spread. */
static void forward(const struct input_setting *setting, const struct input_batch *batch,
                    const double *shared, struct input_work *work) {
    size_t d = setting->attributes;
    fill_features(setting, batch, work->layer[0]);
    for (size_t l = 0; l <= setting->layers; l++) {
        size_t in = width(setting, l), out = width(setting, l + 1);
        const double *bias = shared + in * out;
        double *next = work->layer[l + 1];
        tiled_product(batch->pool, batch->scratch, PLAIN, TRANSPOSED, batch->rows, out, in, 1.0,
                      work->layer[l], in, shared, in, 0.0, next, out);
        for (size_t i = 0; i < batch->rows; i++) {
            add(out, bias, next + i * out);
            for (size_t j = 0; l < setting->layers && j < out; j++)
                next[i * out + j] = next[i * out + j] > 0.0 ? next[i * out + j] : 0.0;
        }
        shared += layer_parameters(setting, l);
    }
    const double *output = work->layer[setting->layers + 1];
    for (size_t i = 0; i < batch->rows; i++) {
        memcpy(work->shift + i * d, output + 2 * i * d, d * sizeof(double));
        memcpy(work->spread + i * d, output + (2 * i + 1) * d, d * sizeof(double));
    }
}

static void place(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value) {
    (void)own;
    forward(setting, batch, shared, work);
    noise_posterior_place(setting, batch, work, x, value);
}

/* Weights, biases and input of one layer, from the adjoint of its output. */
static void layer_backward(const struct input_setting *setting, const struct input_batch *batch,
                           size_t l, const double *weights, struct input_work *work,
                           double *d_weights) {
    size_t in = width(setting, l), out = width(setting, l + 1), rows = batch->rows;
    const double *d_out = work->d_layer[l + 1], *input = work->layer[l];
    double *d_bias = d_weights + in * out, *d_input = work->d_layer[l];
    tiled_product(batch->pool, batch->scratch, TRANSPOSED, PLAIN, out, in, rows, 1.0, d_out, out,
                  input, in, 0.0, d_weights, in);
    memset(d_bias, 0, out * sizeof(double));
    for (size_t i = 0; i < rows; i++)
        add(out, d_out + i * out, d_bias);
    if (l == 0)
        return;
    tiled_product(batch->pool, batch->scratch, PLAIN, PLAIN, rows, in, out, 1.0, d_out, out,
                  weights, in, 0.0, d_input, in);
    for (size_t i = 0; i < rows * in; i++)
        d_input[i] = input[i] > 0.0 ? d_input[i] : 0.0;
}

/* The error bars are features too: d sqrt(V) / d V = 1 / (2 sqrt(V)). */
static void features_backward(const struct input_setting *setting, const struct input_batch *batch,
                              const double *weights, struct input_work *work, double *d_noise) {
    size_t d = setting->attributes, in = width(setting, 0), out = width(setting, 1);
    size_t first = d + setting->features;
    double *d_feature = work->d_layer[0];
    tiled_product(batch->pool, batch->scratch, PLAIN, PLAIN, batch->rows, d, out, 1.0,
                  work->d_layer[1], out, weights + first, in, 0.0, d_feature, d);
    for (size_t i = 0; i < batch->rows; i++)
        for (size_t j = 0; j < d; j++)
            if (batch->noise[i * d + j] > 0.0)
                d_noise[j] += 0.5 * d_feature[i * d + j] / sqrt(batch->noise[i * d + j]);
}

static void place_backward(const struct input_setting *setting, const struct input_batch *batch,
                           const double *shared, const double *own, struct input_work *work,
                           const double *d_x, double *d_shared, double *d_own, double *d_noise) {
    (void)own, (void)d_own;
    size_t d = setting->attributes, last = setting->layers;
    noise_posterior_backward(setting, batch, work, d_x, d_noise);
    for (size_t i = 0; i < batch->rows; i++) {
        memcpy(work->d_layer[last + 1] + 2 * i * d, work->d_shift + i * d, d * sizeof(double));
        memcpy(work->d_layer[last + 1] + (2 * i + 1) * d, work->d_spread + i * d,
               d * sizeof(double));
    }
    size_t offset = shared_parameters(setting);
    for (size_t l = last + 1; l-- > 0;) {
        offset -= layer_parameters(setting, l);
        layer_backward(setting, batch, l, shared + offset, work, d_shared + offset);
    }
    if (d_noise)
        features_backward(setting, batch, shared, work, d_noise);
}

static void posterior(const struct input_setting *setting, const struct input_batch *batch,
                      const double *shared, const double *own, struct input_work *work,
                      double *mean, double *variance) {
    (void)own;
    forward(setting, batch, shared, work);
    noise_posterior_moments(setting, batch, work, mean, variance);
}

const struct input_model input_amortised = {
    .name = "amortised",
    .summary = "true inputs are inferred by a network from measurement, label and error (NIMGP_NN)",
    .copies = 1,
    .noise_start = 0.1,
    .moves = true,
    .averages = true,
    .samples = true,
    .shared_parameters = shared_parameters,
    .start = start,
    .layout = layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
