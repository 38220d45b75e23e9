/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Squared norms of points in the units of every function, x_norm_cr = sum_j q_cj x_rj^2, as one
 * product N = Q (X^2)' with Q (C x d) and X^2 (R x d), and its adjoint. One function at a time,
 * this would take C passes over all points. For kernels with T terms, C is replaced by C T.
 */
#include "math/linalg.h"
#include "gp/gp.h"

#include <math.h>

void gp_scales(const struct gp_shape *shape, const struct gp_parameters *theta, double *q) {
    for (size_t j = 0; j < shape->kernel->terms * shape->attributes; j++)
        q[j] = exp(-2.0 * theta->log_lengthscale[j]);
}

void gp_norms(const struct gp_shape *shape, size_t functions, const double *q, size_t rows,
              const double *x_square, double *x_norm, size_t stride, double *scratch) {
    size_t d = shape->attributes;
    gemm(PLAIN, TRANSPOSED, functions * shape->kernel->terms, rows, d, 1.0, q, d, x_square, d, 0.0,
         x_norm, stride, scratch);
}

void gp_norms_backward(const struct gp_shape *shape, size_t functions, const double *q, size_t rows,
                       const double *x_square, const double *d_norm, size_t stride, size_t first,
                       size_t width, double *d_q, const struct gp_parameters *gradient,
                       double *scratch) {
    size_t d = shape->attributes, terms = shape->kernel->terms;
    gemm(PLAIN, PLAIN, functions * terms, width, rows, 1.0, d_norm, stride, x_square + first, d,
         0.0, d_q + first, d, scratch);
    for (size_t row = 0; row < functions * terms; row++) {
        double *by_log_lengthscale = gradient[row / terms].log_lengthscale + row % terms * d;
        for (size_t j = first; j < first + width; j++)
            by_log_lengthscale[j] -= 2.0 * q[row * d + j] * d_q[row * d + j];
    }
}
