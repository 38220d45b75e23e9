/* SPDX-License-Identifier: Apache-2.0 */
#include "input/network.h"

#include "math/simd.h"
#include "math/tiled_product.h"
#include "math/vector.h"

#include <string.h>

size_t network_width(const struct network *network, size_t l) {
    if (l == 0)
        return network->in;
    return l <= network->layers ? network->units : network->out;
}

size_t network_layer_parameters(const struct network *network, size_t l) {
    return (network_width(network, l) + 1) * network_width(network, l + 1);
}

size_t network_parameters(const struct network *network) {
    size_t count = 0;
    for (size_t l = 0; l <= network->layers; l++)
        count += network_layer_parameters(network, l);
    return count;
}

void network_layout(const struct network *network, size_t rows, struct arena *arena,
                    double *layer[NETWORK_LAYERS], double *d_layer[NETWORK_LAYERS]) {
    for (size_t l = 0; l <= network->layers + 1; l++) {
        layer[l] = arena_doubles(arena, rows * network_width(network, l));
        d_layer[l] = arena_doubles(arena, rows * network_width(network, l));
    }
}

/* The output of a layer, for functions that process one row at a time. */
struct pass {
    size_t width;
    bool last;
    const double *bias;
    double *output;
};

SIMD_CLONES static void add_and_rectify(size_t n, const double *bias, double *out) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++) {
        double value = out[j] + bias[j];
        out[j] = value > 0.0 ? value : 0.0;
    }
}

/* The derivative of ReLU: zero where the output is zero. */
SIMD_CLONES static void rectify_backward(size_t n, const double *value, double *d_value) {
    SIMD_LOOP
    for (size_t j = 0; j < n; j++)
        d_value[j] = value[j] > 0.0 ? d_value[j] : 0.0;
}

static void finish_row(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct pass *pass = context;
    double *row = pass->output + i * pass->width;
    (pass->last ? add : add_and_rectify)(pass->width, pass->bias, row);
}

const double *network_forward(const struct network *network, const struct input_batch *batch,
                              const double *parameters, double *const layer[NETWORK_LAYERS]) {
    for (size_t l = 0; l <= network->layers; l++) {
        size_t in = network_width(network, l), out = network_width(network, l + 1);
        struct pass pass = {out, l == network->layers, parameters + in * out, layer[l + 1]};
        tiled_product(batch->pool, batch->scratch, PLAIN, TRANSPOSED, batch->rows, out, in,
                      layer[l], in, parameters, in, layer[l + 1], out);
        pool_run(batch->pool, batch->rows, finish_row, &pass);
        parameters += network_layer_parameters(network, l);
    }
    return layer[network->layers + 1];
}

/* The gradients by weights, biases and input of one layer, from the adjoint of its output. */
static void layer_backward(const struct network *network, const struct input_batch *batch, size_t l,
                           const double *weights, double *const layer[NETWORK_LAYERS],
                           double *const d_layer[NETWORK_LAYERS], double *d_weights) {
    size_t in = network_width(network, l), out = network_width(network, l + 1), rows = batch->rows;
    const double *d_out = d_layer[l + 1], *input = layer[l];
    double *d_bias = d_weights + in * out, *d_input = d_layer[l];
    tiled_product(batch->pool, batch->scratch, TRANSPOSED, PLAIN, out, in, rows, d_out, out, input,
                  in, d_weights, in);
    memset(d_bias, 0, out * sizeof(double));
    for (size_t i = 0; i < rows; i++)
        add(out, d_out + i * out, d_bias);
    if (l == 0)
        return;
    tiled_product(batch->pool, batch->scratch, PLAIN, PLAIN, rows, in, out, d_out, out, weights, in,
                  d_input, in);
    rectify_backward(rows * in, input, d_input);
}

void network_backward(const struct network *network, const struct input_batch *batch,
                      const double *parameters, double *const layer[NETWORK_LAYERS],
                      double *const d_layer[NETWORK_LAYERS], double *d_parameters) {
    size_t offset = network_parameters(network);
    for (size_t l = network->layers + 1; l-- > 0;) {
        offset -= network_layer_parameters(network, l);
        layer_backward(network, batch, l, parameters + offset, layer, d_layer,
                       d_parameters + offset);
    }
}
