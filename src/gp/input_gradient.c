/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient by Z and lengthscales from the sum gamma X, in either precision.
 *
 * From gamma (with K_zx: summed over tiles; with K_zz: gamma_zz, symmetric) to z and q =
 * 1/lambda^2:
 *     distance   dz = -2 q (gamma X - z rowsum),   dq = sum_m rowsum z^2 - 2 sum_m z (gamma X)
 *     dot        dz = q (gamma X),                 dq = sum_m z (gamma X)
 * With gamma_zz, dz is twice this, since z is then on both sides.
 */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/tile.h"

#include <string.h>

/*
 * One row for a term of distances: cross is gamma X, among is gamma_zz Z, `row` is the rowsum of
 * gamma plus twice that of gamma_zz.
 */
SIMD_CLONES static void distance_row(size_t d, real row, const real *z, const double *q,
                                     const real *cross, const real *among, double *d_q,
                                     double *d_z) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_q[j] += (double)(z[j] * (row * z[j] - 2 * (cross[j] + among[j])));
        d_z[j] = -2.0 * q[j] * (double)(cross[j] + 2 * among[j] - row * z[j]);
    }
}

SIMD_CLONES static void dot_row(size_t d, const real *z, const double *q, const real *cross,
                                const real *among, double *d_q, double *d_z) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_q[j] += (double)(z[j] * (cross[j] + among[j]));
        d_z[j] = q[j] * (double)(cross[j] + 2 * among[j]);
    }
}

/* The factors of products, as reals. */
struct operands {
    const real *gamma_zz, *z;
};

static struct operands rounded(const struct gp_factor *factor, const struct gp_shape *shape,
                               const struct gp_parameters *theta, const double *gamma_zz) {
#ifdef SINGLE
    (void)theta;
    narrow(shape->inducing * shape->inducing, gamma_zz, factor->narrow_gamma);
    return (struct operands){factor->narrow_gamma, factor->z.narrow};
#else
    (void)factor, (void)shape;
    return (struct operands){gamma_zz, theta->z};
#endif
}

/* Row i of gamma X as reals; `rounded` is memory for them. */
static const real *cross_row(const struct gp_totals_term *term, size_t d, size_t i,
                             double *rounded) {
#ifdef SINGLE
    if (term->narrow_gamma_x)
        return term->narrow_gamma_x + i * d;
    narrow(d, term->gamma_x + i * d, (float *)rounded);
    return (float *)rounded;
#else
    (void)rounded;
    return term->gamma_x + i * d;
#endif
}

/* Passes on the gradient by row i of Z, which is in z_row. The taker may change the row. */
static void hand_over(const struct gp_z_taker *taker, const struct gp_factor *factor,
                      const struct gp_parameters *theta, size_t d, size_t i) {
    taker->take(taker->context, i, factor->z_row);
    if (factor->single)
        narrow(d, theta->z + i * d, factor->z.narrow + i * d);
}

/* Writes the dz of the first term, and adds those of the other terms. The taker
 * may change a row of Z, so the product, which reads all rows, comes first. */
void REAL(gp_input_gradient)(const struct gp_factor *factor, const struct gp_shape *shape, size_t t,
                             const struct gp_parameters *theta, struct gp_totals *totals,
                             const double *gamma_zz, const struct gp_parameters *gradient,
                             const struct gp_z_taker *taker, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes;
    const struct gp_totals_term *term = &totals->term[t];
    const double *q = factor->term[t].inverse_square;
    struct operands operands = rounded(factor, shape, theta, gamma_zz);
    real *gamma_z = (real *)totals->gamma_z;
    double *d_q = term->inverse_square;
    REAL(gemm)
    (PLAIN, PLAIN, m, d, m, 1, operands.gamma_zz, m, operands.z, d, 0, gamma_z, d, (real *)scratch);
    for (size_t i = 0; i < m; i++) {
        double *d_z = factor->z_row;
        const real *cross = cross_row(term, d, i, factor->cross_row);
        const real *z = operands.z + i * d, *among = gamma_z + i * d;
        if (gp_is_distance(shape, t))
            distance_row(d, (real)(term->row_sum[i] + 2.0 * sum(m, gamma_zz + i * m)), z, q, cross,
                         among, d_q, d_z);
        else
            dot_row(d, z, q, cross, among, d_q, d_z);
        if (t > 0)
            add(d, gradient->z + i * d, d_z);
        if (taker)
            hand_over(taker, factor, theta, d, i);
        else
            memcpy(gradient->z + i * d, d_z, d * sizeof(double));
    }
    for (size_t j = 0; j < d; j++) /* without the part of x_norm, see norms.c */
        gradient->log_lengthscale[t * d + j] = -2.0 * q[j] * d_q[j];
}
