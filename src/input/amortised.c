/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NIMGP_NN: a network computes shift and spread of a row's q(xi). Its inputs are the row's
 * measurement, target and error bars, (x~, y, sqrt V), with a class in one-hot form; if a
 * population was learned, mean and deviation of p(x | x~) replace x~ and sqrt V. ReLU between
 * layers. The last layer starts near zero, so that q starts at the measurement and its error bar.
 *
 * Parameters, layer by layer: weights (out x in), then biases (out).
 */
#include "math/simd.h"
#include "math/tiled_product.h"
#include "math/vector.h"
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

/* A layer under way, for functions that take its rows one by one. */
struct pass {
    const struct input_setting *setting;
    const struct input_batch *batch;
    size_t l;
    const double *bias;
    struct input_work *work;
};

SIMD_CLONES static void roots(size_t n, const double *square, double *root) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++)
        root[j] = sqrt(square[j]);
}

SIMD_CLONES static void add_and_rectify(size_t n, const double *bias, double *out) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++) {
        double value = out[j] + bias[j];
        out[j] = value > 0.0 ? value : 0.0;
    }
}

/* Where nothing came through on the way forward, nothing goes back. */
SIMD_CLONES static void rectify_backward(size_t n, const double *value, double *d_value) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++)
        d_value[j] = value[j] > 0.0 ? d_value[j] : 0.0;
}

static void fill_features(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct pass *pass = context;
    const struct input_batch *batch = pass->batch;
    size_t d = pass->setting->attributes, told = pass->setting->features;
    double *feature = pass->work->layer[0] + i * (2 * d + told);
    const struct input_prior *prior = &batch->prior;
    memcpy(feature + d, batch->feature + i * told, told * sizeof(double));
    if (!pass->setting->population->components) {
        memcpy(feature, batch->x + i * d, d * sizeof(double));
        roots(d, batch->noise + i * d, feature + d + told);
        return;
    }
    /* What is known of the row before its label: where it is, give or take how much. */
    memcpy(feature, prior->centre + i * d, d * sizeof(double));
    for (size_t j = 0; j < d; j++) {
        const double *root = prior->root + (i * d + j) * d;
        feature[d + told + j] = sqrt(dot(d, root, root));
    }
}

static void finish_row(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct pass *pass = context;
    size_t out = width(pass->setting, pass->l + 1);
    double *row = pass->work->layer[pass->l + 1] + i * out;
    if (pass->l < pass->setting->layers)
        add_and_rectify(out, pass->bias, row);
    else
        add(out, pass->bias, row);
}

/* Runs the network; what it gives is q. */
static const double *forward(const struct input_setting *setting, const struct input_batch *batch,
                             const double *shared, struct input_work *work) {
    struct pass pass = {.setting = setting, .batch = batch, .work = work};
    pool_run(batch->pool, batch->rows, fill_features, &pass);
    for (pass.l = 0; pass.l <= setting->layers; pass.l++) {
        size_t in = width(setting, pass.l), out = width(setting, pass.l + 1);
        pass.bias = shared + in * out;
        tiled_product(batch->pool, batch->scratch, PLAIN, TRANSPOSED, batch->rows, out, in, 1.0,
                      work->layer[pass.l], in, shared, in, 0.0, work->layer[pass.l + 1], out);
        pool_run(batch->pool, batch->rows, finish_row, &pass);
        shared += layer_parameters(setting, pass.l);
    }
    return work->layer[setting->layers + 1];
}

static void place(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value, double *log_weight) {
    (void)own;
    const double *q = forward(setting, batch, shared, work);
    noise_posterior_draw(setting, batch, work);
    noise_posterior_place(setting, batch, q, work, x, value, log_weight);
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
    rectify_backward(rows * in, input, d_input);
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
                           const double *share, const double *d_x, double *d_shared, double *d_own,
                           double *d_noise) {
    (void)own, (void)d_own;
    size_t last = setting->layers;
    noise_posterior_backward(setting, batch, work->layer[last + 1], work, share, d_x,
                             work->d_layer[last + 1], d_noise);
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
    const double *q = forward(setting, batch, shared, work);
    noise_posterior_moments(setting, batch, q, mean, variance);
}

const struct input_model input_amortised = {
    .name = "amortised",
    .summary = "infers the true inputs; a network computes the posterior from measurement, label "
               "and error (NIMGP_NN)",
    .copies = 1,
    .noise_start = 0.1,
    .moves = true,
    .averages = true,
    .samples = true,
    .inside = true,
    .shared_parameters = shared_parameters,
    .start = start,
    .layout = layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
