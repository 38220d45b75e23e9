/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first-order model: input noise becomes output noise through the slope of the posterior mean.
 *
 * mean = sum_m alpha_m k(x, z_m). With e = alpha o k_slope (M x R), q = 1/lambda^2 and rho =
 * colsum(e), a term of the kernel has
 *     distance   slope = 2 q (x rho - e' Z)         dot   slope = q (e' Z)        (R x d)
 * The slopes of the terms are added up, and
 *     variance += sum_j V_j slope_j^2, or |root' slope|^2 if attributes are correlated.
 * Each term needs one product of size R x M x d forward and two backward (by e and by Z). The
 * slopes of all functions do not fit into a cache. So only the product gp_sign e' Z is stored, and
 * the slope is computed from it each time a row is read.
 */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/tile.h"

#include <string.h>

SIMD_INLINE double square(double number) {
    return number * number;
}

/* One row of e, which is also added to rho. */
SIMD_CLONES static void weigh_slopes(size_t n, real alpha, const real *k_slope, real *e,
                                     double *rho) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++) {
        e[r] = alpha * k_slope[r];
        rho[r] += (double)e[r];
    }
}

/* A term's slope (d) at one point from the product gp_sign e' Z. rho is 2 rho for distances and 0
 * for dot products, so that both have the same formula. */
SIMD_CLONES static void complete_slope(size_t d, double rho, const double *x, const double *q,
                                       const real *product, double *slope) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        slope[j] = q[j] * ((double)product[j] + rho * x[j]);
}

SIMD_CLONES static void add_slope(size_t d, double rho, const double *x, const double *q,
                                  const real *product, double *slope) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        slope[j] += q[j] * ((double)product[j] + rho * x[j]);
}

static double rho_at(const struct gp_shape *shape, const struct gp_tile *tile, size_t t, size_t r) {
    return gp_is_distance(shape, t) ? 2.0 * tile->term[t].rho[r] : 0.0;
}

/* Computes the slope at point r in tile->slope_row. */
static const double *slope_at(const struct gp_factor *factor, const struct gp_shape *shape,
                              const struct gp_points *points, const struct gp_tile *tile,
                              size_t r) {
    size_t d = shape->attributes;
    for (size_t t = 0; t < shape->kernel->terms; t++)
        (t == 0 ? complete_slope : add_slope)(
            d, rho_at(shape, tile, t, r), points->x + r * d, factor->term[t].inverse_square,
            reals_of(tile->term[t].slope) + r * d, tile->slope_row);
    return tile->slope_row;
}

/* sum_j V_j slope_j^2 of one row. */
SIMD_CLONES static double widening(size_t d, const double *slope, const double *noise) {
    double part[SUM_PARTS] = {0};
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += noise[j + l] * square(slope[j + l]);
    for (size_t j = whole; j < d; j++)
        part[j - whole] += noise[j] * square(slope[j]);
    return sum(SUM_PARTS, part);
}

/* along = root' slope (d); returns |along|^2. */
static double widening_along(size_t d, const double *slope, const double *root, double *along) {
    memset(along, 0, d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        add_scaled(d, slope[j], root + j * d, along);
    return dot(d, along, along);
}

static void slope(const struct gp_factor *factor, const struct gp_shape *shape,
                  const struct gp_points *points, struct gp_tile *tile, struct gp_blur blur,
                  double *variance, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        real *e = reals_of(term->e);
        memset(term->rho, 0, rows * sizeof(double));
        for (size_t i = 0; i < m; i++)
            weigh_slopes(rows, (real)factor->alpha[i], reals_of(term->k_slope) + i * rows,
                         e + i * rows, term->rho);
        REAL(gemm)
        (TRANSPOSED, PLAIN, rows, d, m, (real)gp_sign(shape, t), e, rows, reals_of(factor->z), d, 0,
         reals_of(term->slope), d, (real *)scratch);
    }
    for (size_t r = 0; r < rows; r++) {
        const double *here = slope_at(factor, shape, points, tile, r);
        double along[GP_MOST_ROOT];
        variance[r] += blur.root ? widening_along(d, here, blur.root + r * d * d, along)
                                 : widening(d, here, blur.noise + r * d);
    }
}

/* One row: d_noise += d_var slope^2. */
SIMD_CLONES static void noise_adjoint(size_t d, double d_variance, const double *slope,
                                      double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        d_noise[j] += d_variance * square(slope[j]);
}

/* One row: d_slope = 2 d_var V slope. */
SIMD_CLONES static void slope_adjoint(size_t d, double d_variance, const double *slope,
                                      const double *noise, real *d_slope) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        d_slope[j] = (real)(2.0 * d_variance * noise[j] * slope[j]);
}

/* As slope_adjoint, for correlated attributes: d_slope = 2 d_var root root' slope. */
static void slope_adjoint_along(size_t d, double d_variance, const double *slope,
                                const double *root, real *d_slope) {
    double along[GP_MOST_ROOT];
    widening_along(d, slope, root, along);
    for (size_t j = 0; j < d; j++)
        d_slope[j] = (real)(2.0 * d_variance * dot(d, root + j * d, along));
}

/* Adds the part of attribute j of a row to the gradients by q and, in `part`, by rho. */
SIMD_INLINE void turn_back(size_t j, double rho, const double *x, const double *q,
                           const real *d_slope, double *d_q, double *part) {
    d_q[j] += rho * ((double)d_slope[j] * x[j]);
    *part += (double)d_slope[j] * x[j] * q[j];
}

/* All attributes of a row for one term; returns the adjoint of rho. */
SIMD_CLONES static double term_adjoint(size_t d, double rho, const double *x, const double *q,
                                       const real *d_slope, double *restrict d_q) {
    double part[SUM_PARTS] = {0};
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            turn_back(j + l, rho, x, q, d_slope, d_q, &part[l]);
    for (size_t j = whole; j < d; j++)
        turn_back(j, rho, x, q, d_slope, d_q, &part[j - whole]);
    return sum(SUM_PARTS, part);
}

/* The adjoint of the slope at point r (d_slope, d), and from it the gradients by noise, q and
 * rho. */
static void point_adjoint(const struct gp_factor *factor, const struct gp_shape *shape,
                          const struct gp_points *points, struct gp_tile *tile, struct gp_blur blur,
                          size_t r, double d_variance, struct gp_totals *totals, real *d_slope) {
    size_t d = shape->attributes;
    const double *here = slope_at(factor, shape, points, tile, r);
    if (totals->noise)
        noise_adjoint(d, d_variance, here, totals->noise);
    if (blur.root)
        slope_adjoint_along(d, d_variance, here, blur.root + r * d * d, d_slope);
    else
        slope_adjoint(d, d_variance, here, blur.noise + r * d, d_slope);
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        double by_rho =
            term_adjoint(d, rho_at(shape, tile, t, r), points->x + r * d,
                         factor->term[t].inverse_square, d_slope, totals->term[t].inverse_square);
        double *d_rho = tile->term[t].d_norm; /* d_norm itself is computed later */
        d_rho[r] = gp_is_distance(shape, t) ? 2.0 * by_rho : 0.0;
    }
}

SIMD_CLONES static void copy_as_reals(size_t n, const double *from, real *to) {
    for (size_t r = 0; r < n; r++)
        to[r] = (real)from[r];
}

static void slope_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_points *points, struct gp_tile *tile,
                           struct gp_blur blur, const double *d_variance, struct gp_totals *totals,
                           double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    /* A row of d_slope overwrites the product from which its slope was computed. */
    real *d_slope = reals_of(tile->term[0].slope), *area = (real *)scratch;
    for (size_t r = 0; r < rows; r++)
        point_adjoint(factor, shape, points, tile, blur, r, d_variance[r], totals, d_slope + r * d);
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        real *e = reals_of(term->e), *d_e = reals_of(term->d_e);
        for (size_t i = 0; i < m; i++)
            copy_as_reals(rows, term->d_norm, d_e + i * rows);
        REAL(gemm)
        (PACKED, TRANSPOSED, m, rows, d, 1, reals_of(factor->term[t].points_z), 0, d_slope, d, 1,
         d_e, rows, area);
        /* The part of Z is stored here; gamma X, which has the same form, is added to it later. */
        WIDENED(gemm)
        (PLAIN, PLAIN, m, d, rows, 1, e, rows, d_slope, d, 0, totals->term[t].gamma_x, d, area);
    }
}

const struct gp_slopes REAL(gp_slopes) = {.slope = slope, .slope_backward = slope_backward};
