/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first-order model: input noise becomes output noise through the slope of the posterior mean.
 *
 * mean = sum_m alpha_m k(x, z_m), so with e = alpha o k_slope (M x R), q = 1/lambda^2 and
 * rho = colsum(e),
 *     distance   slope = 2 q (x rho - e' Z)         dot   slope = q (e' Z)        (R x d)
 *     variance += sum_j V_j slope_j^2, or |root' slope|^2 where attributes hang together.
 * Forward costs one product of size R x M x d, backward two (by e and by Z). Slopes of all
 * functions fill no cache: tile->slope keeps the bare product gp_sign e' Z, and what makes it a
 * slope is done anew wherever a row of it is read.
 */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/gp.h"

#include <string.h>

/* rho below is 2 rho for distances and 0 for dot products, so that one formula does for both. */
SIMD_INLINE double slope_at(size_t j, double rho, const double *x, const double *q,
                            const double *product) {
    return q[j] * (product[j] + rho * x[j]);
}

SIMD_INLINE double square(double number) {
    return number * number;
}

/* One row of e, and its share in rho. */
SIMD_CLONES static void weigh_slopes(size_t n, double alpha, const double *k_slope, double *e,
                                     double *rho) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++) {
        e[r] = alpha * k_slope[r];
        rho[r] += e[r];
    }
}

/* One row's sum_j V_j slope_j^2. */
SIMD_CLONES static double widening(size_t d, double rho, const double *x, const double *q,
                                   const double *noise, const double *product) {
    double part[SUM_PARTS] = {0};
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += noise[j + l] * square(slope_at(j + l, rho, x, q, product));
    for (size_t j = whole; j < d; j++)
        part[j - whole] += noise[j] * square(slope_at(j, rho, x, q, product));
    return sum(SUM_PARTS, part);
}

/* slope (d) of a row and along = root' slope (d); returns |along|^2. */
static double widening_along(size_t d, double rho, const double *x, const double *q,
                             const double *root, const double *product, double *along) {
    memset(along, 0, d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        add_scaled(d, slope_at(j, rho, x, q, product), root + j * d, along);
    return dot(d, along, along);
}

void gp_slope(const struct gp_factor *factor, const struct gp_shape *shape,
              const struct gp_parameters *theta, const struct gp_points *points,
              struct gp_tile *tile, struct gp_blur blur, double *variance, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    memset(tile->rho, 0, rows * sizeof(double));
    for (size_t i = 0; i < m; i++)
        weigh_slopes(rows, factor->alpha[i], tile->k_slope + i * rows, tile->e + i * rows,
                     tile->rho);
    gemm(TRANSPOSED, PLAIN, rows, d, m, gp_sign(shape), tile->e, rows, theta->z, d, 0.0,
         tile->slope, d, scratch);
    for (size_t r = 0; r < rows; r++) {
        const double *x = points->x + r * d, *q = factor->inverse_square;
        double rho = distance ? 2.0 * tile->rho[r] : 0.0, along[GP_MOST_ROOT];
        variance[r] += blur.root ? widening_along(d, rho, x, q, blur.root + r * d * d,
                                                  tile->slope + r * d, along)
                                 : widening(d, rho, x, q, blur.noise + r * d, tile->slope + r * d);
    }
}

/* One row: d_noise += d_var slope^2. */
SIMD_CLONES static void noise_adjoint(size_t d, double d_variance, double rho, const double *x,
                                      const double *q, const double *product, double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        d_noise[j] += d_variance * square(slope_at(j, rho, x, q, product));
}

/*
 * Attribute j of a row: the product becomes the adjoint of the slope, d_slope = 2 d_var V slope;
 * d_q gets the share of 1/lambda^2 in x q rho, and d_slope x q, the adjoint of rho, goes to a part
 * of the row's sum.
 */
SIMD_INLINE void turn_back(size_t j, double d_variance, double rho, const double *x,
                           const double *q, const double *noise, double *product, double *d_q,
                           double *part) {
    double d_slope = 2.0 * d_variance * noise[j] * slope_at(j, rho, x, q, product);
    product[j] = d_slope;
    d_q[j] += rho * (d_slope * x[j]);
    *part += d_slope * x[j] * q[j];
}

/* The whole row; returns the adjoint of rho. */
SIMD_CLONES static double slope_adjoint(size_t d, double d_variance, double rho, const double *x,
                                        const double *q, const double *noise,
                                        double *restrict product, double *restrict d_q) {
    double part[SUM_PARTS] = {0};
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            turn_back(j + l, d_variance, rho, x, q, noise, product, d_q, &part[l]);
    for (size_t j = whole; j < d; j++)
        turn_back(j, d_variance, rho, x, q, noise, product, d_q, &part[j - whole]);
    return sum(SUM_PARTS, part);
}

/* The same where attributes hang together: d_slope = 2 d_var root root' slope. */
static double slope_adjoint_along(size_t d, double d_variance, double rho, const double *x,
                                  const double *q, const double *root, double *product,
                                  double *d_q) {
    double along[GP_MOST_ROOT], by_rho = 0.0;
    widening_along(d, rho, x, q, root, product, along);
    for (size_t j = 0; j < d; j++) {
        double d_slope = 2.0 * d_variance * dot(d, root + j * d, along);
        product[j] = d_slope;
        d_q[j] += rho * (d_slope * x[j]);
        by_rho += d_slope * x[j] * q[j];
    }
    return by_rho;
}

void gp_slope_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_points *points, struct gp_tile *tile, struct gp_blur blur,
                       const double *d_variance, struct gp_gather *gather, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    double *d_slope = tile->slope, *d_rho = tile->d_norm; /* made anew afterwards */
    for (size_t r = 0; r < rows; r++) {
        const double *x = points->x + r * d, *q = factor->inverse_square;
        double rho = distance ? 2.0 * tile->rho[r] : 0.0;
        if (gather->noise)
            noise_adjoint(d, d_variance[r], rho, x, q, tile->slope + r * d, gather->noise);
        double by_rho =
            blur.root ? slope_adjoint_along(d, d_variance[r], rho, x, q, blur.root + r * d * d,
                                            d_slope + r * d, gather->inverse_square)
                      : slope_adjoint(d, d_variance[r], rho, x, q, blur.noise + r * d,
                                      d_slope + r * d, gather->inverse_square);
        d_rho[r] = distance ? 2.0 * by_rho : 0.0;
    }
    for (size_t i = 0; i < m; i++)
        memcpy(tile->d_e + i * rows, d_rho, rows * sizeof(double));
    gemm(PACKED, TRANSPOSED, m, rows, d, 1.0, factor->packed_z, 0, d_slope, d, 1.0, tile->d_e, rows,
         scratch);
    /* e d_slope reaches Z as gamma X does, which joins it. */
    gemm(PLAIN, PLAIN, m, d, rows, 1.0, tile->e, rows, d_slope, d, 0.0, gather->gamma_x, d,
         scratch);
}
