/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A network of fully connected layers, ReLU between them, run on all rows of a batch at once.
 *
 * Parameters, layer by layer: weights (out x in), then biases (out). layer[l] is what enters layer
 * l, rows x its width: layer[0] the features, layer[layers + 1] the output. d_layer are their
 * adjoints.
 */

#include "input/input.h"

enum { NETWORK_LAYERS = 8 }; /* of `layer`: at most 6 hidden ones */

struct network {
    size_t in, out;       /* features, outputs */
    size_t layers, units; /* hidden layers and their width */
};

/* Width of layer[l]. */
size_t network_width(const struct network *network, size_t l);

size_t network_layer_parameters(const struct network *network, size_t l);

size_t network_parameters(const struct network *network);

/* Memory for the layers of `rows` rows. */
void network_layout(const struct network *network, size_t rows, struct arena *arena,
                    double *layer[NETWORK_LAYERS], double *d_layer[NETWORK_LAYERS]);

/* From layer[0] to the others; returns the output. */
const double *network_forward(const struct network *network, const struct input_batch *batch,
                              const double *parameters, double *const layer[NETWORK_LAYERS]);

/* From d_layer[layers + 1], after network_forward: d_parameters and d_layer but for d_layer[0]. */
void network_backward(const struct network *network, const struct input_batch *batch,
                      const double *parameters, double *const layer[NETWORK_LAYERS],
                      double *const d_layer[NETWORK_LAYERS], double *d_parameters);
