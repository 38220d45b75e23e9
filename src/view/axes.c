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

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 0.02

static size_t numbers(struct view_shape shape) {
    return shape.coordinates * shape.coordinates;
}

enum { MOST_SWEEPS = 60 };

#define SMALL 1e-15 /* an element, relative to the roots of its two diagonal ones */

/* (x, y) <- (c x - s y, s x + c y), elements `stride` apart. */
static void rotate(size_t n, double c, double s, double *x, double *y, size_t stride) {
    for (size_t i = 0; i < n; i++) {
        double first = x[i * stride], second = y[i * stride];
        x[i * stride] = c * first - s * second;
        y[i * stride] = s * first + c * second;
    }
}

/* Makes a_pq zero; whether it was not already. */
static int turn(size_t n, size_t p, size_t q, double *a, double *vector) {
    double off = a[p * n + q], first = a[p * n + p], second = a[q * n + q];
    if (!(fabs(off) > SMALL * sqrt(fabs(first * second))) || off == 0.0)
        return 0;
    double theta = 0.5 * (second - first) / off;
    double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    double c = 1.0 / hypot(1.0, t), s = t * c;
    rotate(n, c, s, a + p, a + q, n);
    rotate(n, c, s, a + p * n, a + q * n, 1);
    rotate(n, c, s, vector + p * n, vector + q * n, 1);
    return 1;
}

/* Eigenvalues (n) and eigenvectors (n x n, one a row) of the symmetric A (n x n), by Jacobi's
 * rotations. A is overwritten. */
static void symmetric_eigen(size_t n, double *a, double *value, double *vector) {
    int moved = 1;
    memset(vector, 0, n * n * sizeof *vector);
    for (size_t i = 0; i < n; i++)
        vector[i * n + i] = 1.0;
    for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
        moved = 0;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++)
                moved |= turn(n, p, q, a, vector);
    }
    for (size_t i = 0; i < n; i++)
        value[i] = a[i * n + i];
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
