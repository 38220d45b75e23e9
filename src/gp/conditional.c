/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of one Gaussian process at a tile of points, and the adjoint. */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/gp.h"

#include <string.h>

void gp_tile_layout(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                    struct gp_tile_use use, struct arena *arena) {
    size_t m = shape->inducing, area = m * rows;
    bool slopes = use.backward || use.first_order;
    *tile = (struct gp_tile){0};
    tile->k = arena_doubles(arena, area);
    tile->a = arena_doubles(arena, area);
    tile->h = arena_doubles(arena, area);
    tile->k_xx = arena_doubles(arena, rows);
    tile->k_slope = slopes ? arena_doubles(arena, area) : NULL;
    tile->k_xx_slope = use.backward ? arena_doubles(arena, rows) : NULL;
    if (use.first_order) {
        tile->k_curvature = use.backward ? arena_doubles(arena, area) : NULL;
        tile->e = arena_doubles(arena, area);
        tile->d_e = use.backward ? arena_doubles(arena, area) : NULL;
        tile->slope = arena_doubles(arena, rows * shape->attributes);
        tile->rho = arena_doubles(arena, rows);
    }
}

void gp_gather_layout(struct gp_gather *gather, const struct gp_shape *shape,
                      struct gp_tile_use use, bool completes, struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes;
    *gather = (struct gp_gather){
        .a_a = arena_doubles(arena, m * m),
        .b = arena_doubles(arena, m),
        .gamma_x = arena_doubles(arena, m * d),
        .gamma_z = completes ? arena_doubles(arena, m * d) : NULL,
        .row_sum = arena_doubles(arena, m),
        .inverse_square = arena_doubles(arena, d),
        .variance = arena_doubles(arena, 1),
        .white = arena_doubles(arena, 1),
    };
    if (use.first_order)
        gather->d_alpha = arena_doubles(arena, m);
}

/* Of the arrays only those need clearing that are added to rather than written. */
void gp_gather_clear(struct gp_gather *gather, const struct gp_shape *shape) {
    memset(gather->inverse_square, 0, shape->attributes * sizeof(double));
    if (gather->noise)
        memset(gather->noise, 0, shape->attributes * sizeof(double));
}

void gp_gather_add(struct gp_gather *into, const struct gp_gather *from,
                   const struct gp_shape *shape) {
    size_t m = shape->inducing, d = shape->attributes;
    add(m * m, from->a_a, into->a_a);
    add(m, from->b, into->b);
    add(m * d, from->gamma_x, into->gamma_x);
    add(m, from->row_sum, into->row_sum);
    add(d, from->inverse_square, into->inverse_square);
    add(1, from->variance, into->variance);
    add(1, from->white, into->white);
    if (into->d_alpha)
        add(m, from->d_alpha, into->d_alpha);
    if (into->noise)
        add(d, from->noise, into->noise);
}

/* t += x_norm + z_norm of one row of t, kept from going below zero by rounding. */
SIMD_CLONES static void complete_distances(size_t n, double z_norm, const double *x_norm,
                                           double *t) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++) {
        double distance = t[r] + (x_norm[r] + z_norm);
        t[r] = distance < 0.0 ? 0.0 : distance; /* NaN stays */
    }
}

/* Covariances with the inducing inputs (k and its derivatives) and of each point (k_xx). */
static void evaluate_kernel(const struct gp_factor *factor, const struct gp_shape *shape,
                            const struct gp_points *points, struct gp_tile *tile, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    if (points->packed_transpose)
        gemm(PACKED, PACKED, m, rows, d, 1.0, factor->packed_z, 0, points->packed_transpose, 0, 0.0,
             tile->k, rows, scratch);
    else
        gemm(PACKED, TRANSPOSED, m, rows, d, 1.0, factor->packed_z, 0, points->x, d, 0.0, tile->k,
             rows, scratch);
    for (size_t i = 0; i < m; i++) {
        double *k = tile->k + i * rows;
        if (distance)
            complete_distances(rows, factor->z_norm[i], points->x_norm, k);
        shape->kernel->evaluate(shape->degree, factor->variance, rows, k, k,
                                tile->k_slope ? tile->k_slope + i * rows : NULL,
                                tile->k_curvature ? tile->k_curvature + i * rows : NULL);
    }

    double diagonal = factor->variance * factor->jitter + factor->white;
    if (distance) {
        for (size_t r = 0; r < rows; r++)
            tile->k_xx[r] = factor->variance + diagonal; /* g(0) = 1 */
        return;
    }
    shape->kernel->evaluate(shape->degree, factor->variance, rows, points->x_norm, tile->k_xx,
                            tile->k_xx_slope, NULL);
    for (size_t r = 0; r < rows; r++)
        tile->k_xx[r] += diagonal;
}

/* A row's share in mean = A' m and variance = k_xx + colsum(A o W A). */
SIMD_CLONES static void add_moments(size_t n, double m, const double *a, const double *h,
                                    double *mean, double *variance) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++) {
        mean[r] += m * a[r];
        variance[r] += a[r] * h[r];
    }
}

void gp_conditional(const struct gp_factor *factor, const struct gp_shape *shape,
                    const struct gp_parameters *theta, const struct gp_points *points,
                    struct gp_tile *tile, double *mean, double *variance, double *scratch) {
    size_t m = shape->inducing, rows = points->rows;
    evaluate_kernel(factor, shape, points, tile, scratch);
    trmm_lower(PLAIN, m, rows, 1.0, factor->inverse, m, tile->k, rows, 0.0, tile->a, rows, scratch);
    gemm(PACKED, PLAIN, m, rows, m, 1.0, factor->packed_w, 0, tile->a, rows, 0.0, tile->h, rows,
         scratch);
    memset(mean, 0, rows * sizeof(double));
    memcpy(variance, tile->k_xx, rows * sizeof(double));
    for (size_t i = 0; i < m; i++)
        add_moments(rows, theta->m[i], tile->a + i * rows, tile->h + i * rows, mean, variance);
    /* In exact arithmetic the variance is at least the diagonal's noise; what goes below it is
     * rounding, of which the gradient need not know. */
    double least = 0.5 * factor->variance * factor->jitter + factor->white;
    for (size_t r = 0; r < rows; r++)
        variance[r] = variance[r] > least ? variance[r] : least;
}

/*
 * Element r of a row: of A diag(d_variance) = weighted; of W A, which becomes that of
 * dA = m d_mean' + 2 W A diag(d_variance); and of A d_mean, added to a part of the row's sum.
 */
SIMD_INLINE void whiten(size_t r, double m, const double *a, const double *d_mean,
                        const double *d_variance, double *h, double *weighted, double *part) {
    weighted[r] = a[r] * d_variance[r];
    h[r] = m * d_mean[r] + 2.0 * h[r] * d_variance[r];
    *part += a[r] * d_mean[r];
}

/* The whole row; returns A d_mean. */
SIMD_CLONES static double whitened_adjoint(size_t n, double m, const double *a,
                                           const double *d_mean, const double *d_variance,
                                           double *restrict h, double *restrict weighted) {
    double part[SUM_PARTS] = {0};
    size_t whole = n / SUM_PARTS * SUM_PARTS;
    for (size_t r = 0; r < whole; r += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            whiten(r + l, m, a, d_mean, d_variance, h, weighted, &part[l]);
    for (size_t r = whole; r < n; r++)
        whiten(r, m, a, d_mean, d_variance, h, weighted, &part[r - whole]);
    return sum(SUM_PARTS, part);
}

/* A row's d_k . k, and the sum of the row of gamma. */
struct row_sums {
    double variance, gamma;
};

/* Element r of a row of d_k becomes that of gamma = d_k o k_slope, plus `more` unless NULL. */
SIMD_INLINE void chain(size_t r, const double *k, const double *k_slope, const double *more,
                       double *gamma, double *d_norm, double *variance, double *total) {
    *variance += gamma[r] * k[r];
    gamma[r] = gamma[r] * k_slope[r] + (more ? more[r] : 0.0);
    *total += gamma[r];
    d_norm[r] += gamma[r];
}

SIMD_CLONES static struct row_sums kernel_adjoint(size_t n, const double *k, const double *k_slope,
                                                  const double *more, double *restrict gamma,
                                                  double *restrict d_norm) {
    double variance[SUM_PARTS] = {0}, total[SUM_PARTS] = {0};
    size_t whole = n / SUM_PARTS * SUM_PARTS;
    for (size_t r = 0; r < whole; r += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            chain(r + l, k, k_slope, more, gamma, d_norm, &variance[l], &total[l]);
    for (size_t r = whole; r < n; r++)
        chain(r, k, k_slope, more, gamma, d_norm, &variance[r - whole], &total[r - whole]);
    return (struct row_sums){sum(SUM_PARTS, variance), sum(SUM_PARTS, total)};
}

/* What k_xx adds: d bound / d k_xx = d_variance. */
static void diagonal_backward(const struct gp_factor *factor, size_t rows,
                              const struct gp_tile *tile, const double *d_variance,
                              struct gp_gather *gather) {
    *gather->white = sum(rows, d_variance);
    *gather->variance = dot(rows, d_variance, tile->k_xx) - factor->white * *gather->white;
}

/* What reaches the variance, alpha and row i of gamma through e = alpha o k_slope: the latter
 * replaces d_e. */
static void slope_row_backward(const struct gp_factor *factor, size_t rows, size_t i,
                               struct gp_tile *tile, struct gp_gather *gather) {
    double *d_e = tile->d_e + i * rows;
    *gather->variance += dot(rows, d_e, tile->e + i * rows);
    gather->d_alpha[i] = dot(rows, d_e, tile->k_slope + i * rows);
    multiply(rows, d_e, tile->k_curvature + i * rows, d_e);
    scale(rows, factor->alpha[i], d_e);
}

void gp_conditional_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                             const struct gp_parameters *theta, const struct gp_points *points,
                             struct gp_tile *tile, const double *d_mean, const double *d_variance,
                             struct gp_gather *gather, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    diagonal_backward(factor, rows, tile, d_variance, gather);

    double *weighted = tile->gamma; /* A diag(d_variance), until gamma itself is made */
    for (size_t i = 0; i < m; i++)
        gather->b[i] = whitened_adjoint(rows, theta->m[i], tile->a + i * rows, d_mean, d_variance,
                                        tile->h + i * rows, weighted + i * rows);
    gemm_lower(PLAIN, TRANSPOSED, m, rows, 1.0, weighted, rows, tile->a, rows, 0.0, gather->a_a, m,
               scratch);
    trmm_lower(TRANSPOSED, m, rows, 1.0, factor->inverse, m, tile->h, rows, 0.0, tile->gamma, rows,
               scratch);
    memset(tile->d_norm, 0, rows * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        if (tile->d_e)
            slope_row_backward(factor, rows, i, tile, gather);
        struct row_sums sums = kernel_adjoint(rows, tile->k + i * rows, tile->k_slope + i * rows,
                                              tile->d_e ? tile->d_e + i * rows : NULL,
                                              tile->gamma + i * rows, tile->d_norm);
        *gather->variance += sums.variance;
        gather->row_sum[i] = sums.gamma;
    }
    if (!distance)
        multiply(rows, d_variance, tile->k_xx_slope, tile->d_norm);
    const double *x = points->packed ? points->packed : points->x;
    gemm(PLAIN, points->packed ? PACKED : PLAIN, m, d, rows, 1.0, tile->gamma, rows, x, d,
         tile->d_e ? 1.0 : 0.0, gather->gamma_x, d, scratch);
}

/*
 * With q = 1/lambda^2:
 *     distance   dx = 2 sum_c (x q_c d_norm_c - gamma_c' Z_c q_c)
 *     dot        dx = sum_c (2 x q_c d_norm_c + gamma_c' Z_c q_c)
 */
void gp_points_backward(const struct gp_shape *shape, size_t functions,
                        const struct gp_factor *factors, const struct gp_tile *tiles,
                        const struct gp_points *points, size_t stride, size_t first, size_t width,
                        double *d_x, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    gemm(TRANSPOSED, PLAIN, rows, width, functions, 2.0, tiles[0].d_norm, stride,
         factors[0].inverse_square + first, d, 0.0, d_x + first, d, scratch);
    for (size_t r = 0; r < rows; r++)
        multiply(width, d_x + r * d + first, points->x + r * d + first, d_x + r * d + first);
    gemm(TRANSPOSED, PLAIN, rows, width, functions * m, gp_sign(shape), tiles[0].gamma, rows,
         factors[0].zq + first, d, 1.0, d_x + first, d, scratch);
}
