/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first-order model: input noise becomes output noise through the slope of the posterior mean.
 *
 * mean = sum_m alpha_m k(x, z_m), so with e = alpha o k_slope (M x R), q = 1/lambda^2 and
 * rho = colsum(e),
 *     distance   slope = 2 q (x rho - e' Z)         dot   slope = q (e' Z)        (R x d)
 *     variance += sum_j V_j slope_j^2.
 * Forward costs one product of size R x M x d, backward two (by e and by Zq).
 */
#include "base/linalg.h"
#include "base/simd.h"
#include "base/vector.h"
#include "gp/gp.h"

#include <string.h>

/* One row: on entry gp_sign e' Z. */
SIMD_CLONES static void complete_slope(size_t d, double rho, const double *x, const double *q,
                                       double *slope) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        slope[j] = q[j] * (slope[j] + rho * x[j]);
}

void gp_slope(const struct gp_factor *factor, const struct gp_shape *shape,
              const struct gp_parameters *theta, const struct gp_points *points,
              struct gp_tile *tile, const double *noise, double *variance, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    memset(tile->rho, 0, rows * sizeof(double));
    memcpy(tile->e, tile->k_slope, m * rows * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        scale(rows, factor->alpha[i], tile->e + i * rows);
        add(rows, tile->e + i * rows, tile->rho);
    }
    gemm(TRANSPOSED, PLAIN, rows, d, m, gp_sign(shape), tile->e, rows, theta->z, d, 0.0,
         tile->slope, d, scratch);
    for (size_t r = 0; r < rows; r++) {
        double *slope = tile->slope + r * d;
        complete_slope(d, distance ? 2.0 * tile->rho[r] : 0.0, points->x + r * d,
                       factor->inverse_square, slope);
        variance[r] += dot3(d, slope, slope, noise + r * d);
    }
}

/*
 * One row: d_noise += d_var slope^2, and the slope becomes its own adjoint
 * d_slope = 2 d_var V slope.
 */
SIMD_CLONES static void slope_adjoint(size_t d, double d_variance, const double *noise,
                                      double *slope, double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double weighted = d_variance * slope[j];
        d_noise[j] += weighted * slope[j];
        slope[j] = 2.0 * weighted * noise[j];
    }
}

/* 1/lambda^2 in x q rho: one row's share. */
SIMD_CLONES static void scale_adjoint(size_t d, double rho, const double *x, const double *d_slope,
                                      double *d_q) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        d_q[j] += rho * x[j] * d_slope[j];
}

void gp_slope_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_points *points, struct gp_tile *tile, const double *noise,
                       const double *d_variance, struct gp_gather *gather, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    double *d_slope = tile->slope, *d_rho = tile->d_norm; /* made anew afterwards */
    for (size_t r = 0; r < rows; r++) {
        const double *x = points->x + r * d, *row = d_slope + r * d;
        slope_adjoint(d, d_variance[r], noise + r * d, d_slope + r * d, gather->noise);
        d_rho[r] = distance ? 2.0 * dot3(d, row, x, factor->inverse_square) : 0.0;
        if (distance)
            scale_adjoint(d, 2.0 * tile->rho[r], x, row, gather->inverse_square);
    }
    for (size_t i = 0; i < m; i++)
        memcpy(tile->d_e + i * rows, d_rho, rows * sizeof(double));
    gemm(PACKED, TRANSPOSED, m, rows, d, 1.0, factor->packed, 0, d_slope, d, 1.0, tile->d_e, rows,
         scratch);
    gemm(PLAIN, PLAIN, m, d, rows, gp_sign(shape), tile->e, rows, d_slope, d, 0.0, gather->d_zq, d,
         scratch);
}
