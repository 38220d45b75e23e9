/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a Gaussian process that depends on its inducing inputs alone, and its adjoint. */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/gp.h"

#include <math.h>
#include <string.h>

void gp_factor_layout(struct gp_factor *factor, const struct gp_shape *shape, struct arena *arena,
                      const double *q, double *zq) {
    size_t m = shape->inducing;
    factor->inverse_square = q;
    factor->zq = zq;
    factor->packed_z = arena_doubles(arena, gemm_packed_size(m, shape->attributes));
    factor->z_norm = arena_doubles(arena, m);
    factor->k = arena_doubles(arena, m * m);
    factor->k_slope = arena_doubles(arena, m * m);
    factor->root = arena_doubles(arena, m * m);
    factor->inverse = arena_doubles(arena, m * m);
    factor->l = arena_doubles(arena, m * m);
    factor->packed_w = arena_doubles(arena, gemm_packed_size(m, m));
    factor->alpha = arena_doubles(arena, m);
    factor->work = arena_doubles(arena, 2 * m * m);
    factor->posterior_work = arena_doubles(arena, m * m);
}

static void scale_inputs(struct gp_factor *factor, const struct gp_shape *shape,
                         const struct gp_parameters *theta) {
    size_t m = shape->inducing, d = shape->attributes;
    factor->variance = exp(*theta->log_variance);
    factor->white = exp(*theta->log_white);
    gemm_pack_left(m, d, gp_sign(shape), theta->z, d, factor->inverse_square, factor->packed_z);
    for (size_t i = 0; factor->zq && i < m; i++)
        multiply(d, theta->z + i * d, factor->inverse_square, factor->zq + i * d);
}

/* k and k_slope (M x M), from t of every pair of inducing inputs. */
static void covariance(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    double *t = factor->k;
    gemm_lower(PACKED, TRANSPOSED, m, d, 1.0, factor->packed_z, 0, theta->z, d, 0.0, t, m, scratch);
    for (size_t i = 0; distance && i < m; i++) {
        factor->z_norm[i] = t[i * m + i] / gp_sign(shape);
        for (size_t j = 0; j < i; j++) {
            double square = t[i * m + j] + factor->z_norm[i] + factor->z_norm[j];
            t[i * m + j] = square < 0.0 ? 0.0 : square; /* NaN stays */
        }
        t[i * m + i] = 0.0;
    }
    mirror_lower(m, t);
    shape->kernel->evaluate(shape->degree, factor->variance, m * m, t, factor->k, factor->k_slope,
                            NULL);
}

static bool factorise(struct gp_factor *factor, size_t m, double *scratch) {
    for (;;) {
        memcpy(factor->root, factor->k, m * m * sizeof(double));
        for (size_t i = 0; i < m; i++)
            factor->root[i * m + i] += factor->variance * factor->jitter + factor->white;
        if (cholesky(m, factor->root, m, scratch) == 0)
            return true;
        /* Nothing but a jitter above zero grows; whatever else there is ends here. */
        if (!(factor->jitter > 0.0 && factor->jitter * 10.0 <= GP_JITTER_LIMIT * 1.001))
            return false;
        factor->jitter *= 10.0;
    }
}

bool gp_factor_prior(struct gp_factor *factor, const struct gp_shape *shape,
                     const struct gp_parameters *theta, double *scratch) {
    size_t m = shape->inducing;
    scale_inputs(factor, shape, theta);
    covariance(factor, shape, theta, scratch);
    if (!factorise(factor, m, scratch))
        return false;
    triangular_inverse(m, factor->root, m, factor->inverse, m, scratch);
    memset(factor->alpha, 0, m * sizeof(double));
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, theta->m[i], factor->inverse + i * m, factor->alpha);
    return true;
}

void gp_factor_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                         const struct gp_parameters *theta, double *scratch) {
    size_t m = shape->inducing;
    const double *packed = theta->l;
    double squares = dot(m, theta->m, theta->m), log_determinant = 0.0;
    for (size_t i = 0; i < m; packed += ++i) {
        double *row = factor->l + i * m;
        memcpy(row, packed, i * sizeof(double));
        row[i] = exp(packed[i]);
        squares += dot(i + 1, row, row);
        log_determinant += packed[i];
    }
    factor->kl = 0.5 * (squares - (double)m) - log_determinant;
    double *w = factor->posterior_work;
    gemm_lower(PLAIN, TRANSPOSED, m, m, 1.0, factor->l, m, factor->l, m, 0.0, w, m, scratch);
    for (size_t i = 0; i < m; i++)
        w[i * m + i] -= 1.0;
    mirror_lower(m, w);
    gemm_pack_left(m, m, 1.0, w, m, NULL, factor->packed_w);
}

/*
 * dK_zz = -sym(L_K^-T Phi(P) L_K^-1) with P = m b' + 2 W (A diag(d_var) A'), where Phi keeps the
 * lower triangle and halves the diagonal. That no product of size M x M x R is left, and no
 * adjoint of the Cholesky factor itself, is shown in docs/derivations/gp.md.
 */
static void covariance_gradient(struct gp_factor *factor, const struct gp_shape *shape,
                                const struct gp_parameters *theta, struct gp_gather *gather,
                                double *d_k, double *scratch) {
    size_t m = shape->inducing;
    double *p = factor->work, *half = factor->work + m * m;
    memset(p, 0, m * m * sizeof(double));
    gemm_lower(PACKED, PLAIN, m, m, 1.0, factor->packed_w, 0, gather->a_a, m, 0.0, p, m, scratch);
    for (size_t i = 0; i < m; i++) {
        add_scaled(i + 1, 0.5 * theta->m[i], gather->b, p + i * m);
        p[i * m + i] *= 0.5;
    }
    trmm_lower(TRANSPOSED, m, m, 1.0, factor->inverse, m, p, m, 0.0, half, m, scratch);
    gemm(PLAIN, PLAIN, m, m, m, -1.0, half, m, factor->inverse, m, 0.0, d_k, m, scratch);
    add_transpose(m, d_k);
}

/*
 * One row of the distance kernels' share below: cross is gamma X, among gamma_zz Z.
 * row: rowsum of gamma plus twice that of gamma_zz.
 */
SIMD_CLONES static void distance_row(size_t d, double row, const double *z, const double *q,
                                     const double *cross, const double *among, double *d_q,
                                     double *d_z) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_q[j] += z[j] * (row * z[j] - 2.0 * (cross[j] + among[j]));
        d_z[j] = -2.0 * q[j] * (cross[j] + 2.0 * among[j] - row * z[j]);
    }
}

SIMD_CLONES static void dot_row(size_t d, const double *z, const double *q, const double *cross,
                                const double *among, double *d_q, double *d_z) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_q[j] += z[j] * (cross[j] + among[j]);
        d_z[j] = q[j] * (cross[j] + 2.0 * among[j]);
    }
}

/*
 * From gamma (with K_zx: gathered; with K_zz: gamma_zz, symmetric) to z and 1/lambda^2 = q:
 *     distance   dz = -2 q (gamma X - z rowsum),   dq = sum_m rowsum z^2 - 2 sum_m z (gamma X)
 *     dot        dz = q (gamma X),                 dq = sum_m z (gamma X)
 * and twice the dz with gamma_zz, since z then stands on both sides.
 */
static void input_gradient(struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_parameters *theta, struct gp_gather *gather,
                           const double *gamma_zz, const struct gp_parameters *gradient,
                           double *scratch) {
    size_t m = shape->inducing, d = shape->attributes;
    bool distance = shape->kernel->argument == SQUARED_DISTANCE;
    const double *q = factor->inverse_square;
    double *d_q = gather->inverse_square;
    gemm(PLAIN, PLAIN, m, d, m, 1.0, gamma_zz, m, theta->z, d, 0.0, gather->gamma_z, d, scratch);
    for (size_t i = 0; i < m; i++) {
        const double *z = theta->z + i * d, *cross = gather->gamma_x + i * d;
        const double *among = gather->gamma_z + i * d;
        double *d_z = gradient->z + i * d;
        if (distance)
            distance_row(d, gather->row_sum[i] + 2.0 * sum(m, gamma_zz + i * m), z, q, cross, among,
                         d_q, d_z);
        else
            dot_row(d, z, q, cross, among, d_q, d_z);
    }
    for (size_t j = 0; j < d; j++) /* without what x_norm adds, see norms.c */
        gradient->log_lengthscale[j] = -2.0 * q[j] * d_q[j];
}

void gp_gather_complete(const struct gp_factor *factor, const struct gp_shape *shape,
                        struct gp_gather *gather) {
    size_t m = shape->inducing;
    mirror_lower(m, gather->a_a);
    if (gather->d_alpha) /* alpha = L_K^-T m: its adjoint joins b, see docs/derivations/gp.md */
        for (size_t i = 0; i < m; i++)
            gather->b[i] += dot(i + 1, factor->inverse + i * m, gather->d_alpha);
}

void gp_gradient_prior(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, struct gp_gather *gather,
                       const struct gp_parameters *gradient, double *scratch) {
    size_t m = shape->inducing;
    double *d_k = factor->root; /* the factor itself is done with */
    covariance_gradient(factor, shape, theta, gather, d_k, scratch);
    double trace = 0.0;
    for (size_t i = 0; i < m; i++)
        trace += d_k[i * m + i];
    *gradient->log_variance =
        *gather->variance + dot(m * m, d_k, factor->k) + factor->variance * factor->jitter * trace;
    *gradient->log_white = factor->white * (*gather->white + trace);
    multiply(m * m, d_k, factor->k_slope, d_k);
    input_gradient(factor, shape, theta, gather, d_k, gradient, scratch);
}

/* The likelihood's part, less the KL's. */
void gp_gradient_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_parameters *theta, const struct gp_gather *gather,
                           const struct gp_parameters *gradient, double *scratch) {
    size_t m = shape->inducing;
    double *d_l = factor->posterior_work;
    gemm_lower(PLAIN, PLAIN, m, m, 2.0, gather->a_a, m, factor->l, m, 0.0, d_l, m, scratch);
    double *packed = gradient->l;
    for (size_t i = 0; i < m; packed += ++i) {
        const double *row = d_l + i * m, *l = factor->l + i * m;
        for (size_t j = 0; j < i; j++)
            packed[j] = row[j] - l[j];
        packed[i] = (row[i] - l[i]) * l[i] + 1.0;
        gradient->m[i] = gather->b[i] - theta->m[i];
    }
}
