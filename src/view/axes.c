/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whitened principal axes: x becomes W'x, where the columns of W are the eigenvectors u_k of the
 * covariance, divided by the root of their eigenvalue (at least LEAST_SHARE of the largest). A
 * kernel with one lengthscale an attribute sees differences of correlated attributes only there.
 * Of errors only the variances along the axes are kept: (W'VW)_kk.
 *
 * Learned: W', coordinates x coordinates.
 */
#include "view/view.h"

#include "math/eigen.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 0.02

static size_t numbers(struct view_shape shape) {
    return shape.coordinates * shape.coordinates;
}

static bool learn(struct view_shape shape, const struct view_rows *rows, double *own) {
    size_t d = shape.coordinates;
    double *mean = calloc(d * (d + 2), sizeof *mean), *value = mean + d, *s = value + d;
    if (!mean)
        return false;
    view_moments(rows, d, mean, s);
    symmetric_eigen(d, s, value, own);
    double largest = 0.0;
    for (size_t k = 0; k < d; k++)
        largest = fmax(largest, value[k]);
    for (size_t k = 0; k < d && largest > 0.0; k++)
        scale(d, 1.0 / sqrt(fmax(value[k], LEAST_SHARE * largest)), own + k * d);
    free(mean);
    return true;
}

static void apply(struct view_shape shape, const double *own, double *x, double *sigma,
                  double *scratch) {
    size_t d = shape.coordinates;
    memcpy(scratch, x, d * sizeof *x);
    for (size_t k = 0; k < d; k++)
        x[k] = dot(d, own + k * d, scratch);
    memcpy(scratch, sigma, d * sizeof *x);
    for (size_t k = 0; k < d; k++) {
        double variance = 0.0;
        for (size_t j = 0; j < d; j++)
            variance += own[k * d + j] * own[k * d + j] * scratch[j] * scratch[j];
        sigma[k] = sqrt(variance);
    }
}

const struct view_step view_axes = {
    .name = "axes", .says = "principal axes", .numbers = numbers, .learn = learn, .apply = apply};
