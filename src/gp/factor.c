/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a Gaussian process that depends only on its inducing inputs, and its adjoint. */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/posterior_form.h"
#include "gp/tile.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The arrays of a factor used in products with points. In double precision they are the factor's
 * own arrays. */
static void layout_for_points(struct gp_factor *factor, const struct gp_shape *shape,
                              struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes;
    bool single = factor->single;
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        struct gp_factor_term *term = &factor->term[t];
        term->points_z.wide = term->packed_z;
        if (single) {
            term->points_z = gp_matrix_layout(true, gemm_packed_size_single(m, d), arena);
            term->narrow_square = gp_matrix_layout(true, d, arena).narrow;
        }
    }
    factor->points_inverse.wide = factor->inverse;
    factor->points_w.wide = factor->packed_w;
    if (!single)
        return;
    factor->z = gp_matrix_layout(true, m * d, arena);
    factor->points_inverse = gp_matrix_layout(true, m * m, arena);
    factor->points_w = gp_matrix_layout(true, gemm_packed_size_single(m, m), arena);
    factor->narrow_w = gp_matrix_layout(true, m * m, arena).narrow;
    factor->narrow_gamma = gp_matrix_layout(true, m * m, arena).narrow;
    factor->narrow_l = gp_matrix_layout(true, m * m, arena).narrow;
}

void gp_factor_layout(struct gp_factor *factor, const struct gp_shape *shape, bool single,
                      struct arena *arena, const double *q, union gp_matrix zq) {
    size_t m = shape->inducing, d = shape->attributes, terms = shape->kernel->terms;
    bool plain = single ? zq.narrow != NULL : zq.wide != NULL;
    factor->single = single;
    for (size_t t = 0; t < terms; t++) {
        struct gp_factor_term *term = &factor->term[t];
        term->inverse_square = q ? q + t * d : NULL;
        term->zq = plain ? gp_matrix_from(single, zq, t * m * d) : zq;
        term->packed_z = arena_doubles(arena, gemm_packed_size(m, d));
        term->z_norm = arena_doubles(arena, m);
        term->k = arena_doubles(arena, m * m);
        term->k_slope = arena_doubles(arena, m * m);
    }
    factor->k = terms == 1 ? factor->term[0].k : arena_doubles(arena, m * m);
    factor->root = arena_doubles(arena, m * m);
    factor->inverse = arena_doubles(arena, m * m);
    factor->l = arena_doubles(arena, m * m);
    factor->m = arena_doubles(arena, m);
    factor->d_m = arena_doubles(arena, m);
    factor->packed_w = arena_doubles(arena, gemm_packed_size(m, m));
    factor->alpha = arena_doubles(arena, m);
    factor->work = arena_doubles(arena, 2 * m * m);
    factor->posterior_work = arena_doubles(arena, m * m);
    factor->z_row = arena_doubles(arena, d);
    factor->cross_row = arena_doubles(arena, d);
    layout_for_points(factor, shape, arena);
}

/* Whether products of inducing inputs with each other are in single precision too. */
static bool among_is_single(const struct gp_factor *factor, const struct gp_shape *shape) {
    return factor->single && !gp_has_few_attributes(shape);
}

/* Whether products of size M x M x M are. */
static bool roots_are_single(const struct gp_factor *factor, const struct gp_shape *shape) {
    return factor->single && shape->attributes > GP_CLOSE_ATTRIBUTES;
}

/* Sets gp_sign Z / lambda^2 of a term for products with points. */
static void scale_inputs(struct gp_factor *factor, const struct gp_shape *shape, size_t t,
                         const double *z) {
    size_t m = shape->inducing, d = shape->attributes;
    struct gp_factor_term *term = &factor->term[t];
    double sign = gp_sign(shape, t);
    if (!among_is_single(factor, shape))
        gemm_pack_left(m, d, sign, z, d, term->inverse_square, term->packed_z);
    if (factor->single) {
        narrow(d, term->inverse_square, term->narrow_square);
        gemm_pack_left_single(m, d, (float)sign, factor->z.narrow, d, term->narrow_square,
                              term->points_z.narrow);
    }
    for (size_t i = 0; term->zq.narrow && factor->single && i < m; i++) {
        multiply_single(d, factor->z.narrow + i * d, term->narrow_square, term->zq.narrow + i * d);
        scale_single(d, (float)sign, term->zq.narrow + i * d);
    }
    for (size_t i = 0; term->zq.wide && !factor->single && i < m; i++) {
        multiply(d, z + i * d, term->inverse_square, term->zq.wide + i * d);
        scale(d, sign, term->zq.wide + i * d);
    }
}

/* Sets Z for products with points. */
static void hand_inputs_to_points(struct gp_factor *factor, const struct gp_shape *shape,
                                  double *z) {
    if (!factor->single)
        factor->z.wide = z;
    else if (!factor->z_is_rounded)
        narrow(shape->inducing * shape->attributes, z, factor->z.narrow);
}

/* Sets L_K^-1 for products with points. */
static void hand_prior_to_points(struct gp_factor *factor, const struct gp_shape *shape) {
    if (factor->single)
        narrow(shape->inducing * shape->inducing, factor->inverse, factor->points_inverse.narrow);
}

/* Sets W (M x M), which is in posterior_work, as the left factor of products. */
static void hand_posterior_to_points(struct gp_factor *factor, const struct gp_shape *shape) {
    size_t m = shape->inducing;
    if (!roots_are_single(factor, shape))
        gemm_pack_left(m, m, 1.0, factor->posterior_work, m, NULL, factor->packed_w);
    if (!factor->single)
        return;
    narrow(m * m, factor->posterior_work, factor->narrow_w);
    gemm_pack_left_single(m, m, 1.0f, factor->narrow_w, m, NULL, factor->points_w.narrow);
}

/* gp_sign z' z / lambda^2 of every pair of inducing inputs, the lower triangle (M x M). */
static void multiply_inputs(struct gp_factor *factor, const struct gp_shape *shape, size_t index,
                            bool single, const double *z, double *t, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes;
    struct gp_factor_term *term = &factor->term[index];
    if (single) {
        gemm_lower_widening(PACKED, TRANSPOSED, m, d, 1.0f, term->points_z.narrow, 0,
                            factor->z.narrow, d, 0.0f, t, m, (float *)scratch);
        return;
    }
    if (among_is_single(factor, shape)) /* not packed yet; see is_rounded_well */
        gemm_pack_left(m, d, gp_sign(shape, index), z, d, term->inverse_square, term->packed_z);
    gemm_lower(PACKED, TRANSPOSED, m, d, 1.0, term->packed_z, 0, z, d, 0.0, t, m, scratch);
}

/* k and k_slope (M x M) of a term, from t of every pair of inducing inputs. */
static void term_covariance(struct gp_factor *factor, const struct gp_shape *shape, size_t index,
                            bool single, const double *z, double *scratch) {
    size_t m = shape->inducing;
    struct gp_factor_term *term = &factor->term[index];
    double *t = term->k, sign = gp_sign(shape, index);
    multiply_inputs(factor, shape, index, single, z, t, scratch);
    for (size_t i = 0; i < m; i++)
        term->z_norm[i] = t[i * m + i] / sign;
    for (size_t i = 0; gp_is_distance(shape, index) && i < m; i++) {
        for (size_t j = 0; j < i; j++) {
            double square = t[i * m + j] + term->z_norm[i] + term->z_norm[j];
            t[i * m + j] = square < 0.0 ? 0.0 : square; /* keeps NaN */
        }
        t[i * m + i] = 0.0;
    }
    mirror_lower(m, t);
    shape->kernel->term[index]->evaluate(shape->degree, term->variance, m * m, t, term->k,
                                         term->k_slope, NULL);
}

/* sum_j<i ((norm_i + norm_j) k_slope_ij)^2 of one row. */
SIMD_CLONES static double moved_by_rounding(size_t n, double own, const double *norm,
                                            const double *slope) {
    double part[SUM_PARTS] = {0};
    for (size_t j = 0; j < n; j++) {
        double moved = (own + norm[j]) * slope[j];
        part[j % SUM_PARTS] += moved * moved;
    }
    return sum(SUM_PARTS, part);
}

/*
 * Whether K_zz stays positive definite when rounded to single precision. The error of t is about
 * FLT_EPSILON (z_norm_i + z_norm_j), and that of an element of K_zz this times k_slope; the
 * distances on the diagonal are exactly zero. The Frobenius norm of the errors must be less than
 * half of what is added to the diagonal.
 */
static bool is_rounded_well(const struct gp_factor *factor, const struct gp_shape *shape,
                            size_t index) {
    size_t m = shape->inducing;
    const struct gp_factor_term *term = &factor->term[index];
    double squares = 0.0;
    for (size_t i = 0; i < m; i++)
        squares += 2.0 * moved_by_rounding(i, term->z_norm[i], term->z_norm, term->k_slope + i * m);
    return (double)FLT_EPSILON * sqrt(squares) <=
           0.5 * (factor->white + term->variance * factor->jitter);
}

/* Evaluates all terms, and adds them up if there are several. */
static void covariance(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, double *scratch) {
    size_t area = shape->inducing * shape->inducing, terms = shape->kernel->terms;
    bool single = among_is_single(factor, shape);
    factor->white = exp(*theta->log_white);
    factor->variance = 0.0;
    hand_inputs_to_points(factor, shape, theta->z);
    for (size_t t = 0; t < terms; t++) {
        struct gp_factor_term *term = &factor->term[t];
        factor->variance += term->variance = exp(theta->log_variance[t]);
        scale_inputs(factor, shape, t, theta->z);
        term_covariance(factor, shape, t, single, theta->z, scratch);
        if (single && !is_rounded_well(factor, shape, t))
            term_covariance(factor, shape, t, false, theta->z, scratch);
    }
    if (terms > 1)
        memset(factor->k, 0, area * sizeof(double));
    for (size_t t = 0; terms > 1 && t < terms; t++)
        add(area, factor->term[t].k, factor->k);
}

static bool factorise(struct gp_factor *factor, size_t m, double *scratch) {
    for (;;) {
        memcpy(factor->root, factor->k, m * m * sizeof(double));
        for (size_t i = 0; i < m; i++)
            factor->root[i * m + i] += factor->variance * factor->jitter + factor->white;
        if (cholesky(m, factor->root, m, scratch) == 0)
            return true;
        /* Only a jitter above zero can be increased. Otherwise the factorisation has failed. */
        if (!(factor->jitter > 0.0 && factor->jitter * 10.0 <= GP_JITTER_LIMIT * 1.001))
            return false;
        factor->jitter *= 10.0;
    }
}

const double *gp_mean(const struct gp_factor *factor, const struct gp_shape *shape,
                      const struct gp_parameters *theta) {
    return shape->form->mean(factor, theta);
}

bool gp_factor_prior(struct gp_factor *factor, const struct gp_shape *shape,
                     const struct gp_parameters *theta, double *scratch) {
    size_t m = shape->inducing;
    covariance(factor, shape, theta, scratch);
    if (!factorise(factor, m, scratch))
        return false;
    triangular_inverse(m, factor->root, m, factor->inverse, m, scratch);
    shape->form->find_mean(factor, m, theta);
    const double *mean = gp_mean(factor, shape, theta);
    memset(factor->alpha, 0, m * sizeof(double));
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, mean[i], factor->inverse + i * m, factor->alpha);
    hand_prior_to_points(factor, shape);
    return true;
}

void gp_factor_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                         const struct gp_parameters *theta, double *scratch) {
    size_t m = shape->inducing;
    double log_determinant = shape->form->unpack(factor, m, theta, scratch);
    const double *mean = gp_mean(factor, shape, theta);
    double squares = dot(m, mean, mean);
    for (size_t i = 0; i < m; i++)
        squares += dot(i + 1, factor->l + i * m, factor->l + i * m);
    factor->kl = 0.5 * (squares - (double)m) - log_determinant;
    double *w = factor->posterior_work;
    if (roots_are_single(factor, shape)) {
        narrow(m * m, factor->l, factor->narrow_l);
        gemm_lower_widening(PLAIN, TRANSPOSED, m, m, 1.0f, factor->narrow_l, m, factor->narrow_l, m,
                            0.0f, w, m, (float *)scratch);
    } else {
        gemm_lower(PLAIN, TRANSPOSED, m, m, 1.0, factor->l, m, factor->l, m, 0.0, w, m, scratch);
    }
    for (size_t i = 0; i < m; i++)
        w[i * m + i] -= 1.0;
    mirror_lower(m, w);
    hand_posterior_to_points(factor, shape);
}

size_t gp_factor_sent(const struct gp_shape *shape) {
    size_t m = shape->inducing;
    return 2 + 2 * m * m + m + shape->kernel->terms * m;
}

/* Copies the arrays, one after the other, to `numbers`, or from `received` if not NULL. */
static void copy_parts(const struct gp_factor *factor, const struct gp_shape *shape,
                       double *numbers, const double *received) {
    size_t m = shape->inducing, at = 2;
    struct {
        double *array;
        size_t count;
    } part[3 + KERNEL_MOST_TERMS] = {
        {factor->inverse, m * m}, {factor->posterior_work, m * m}, {factor->alpha, m}};
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        part[3 + t].array = factor->term[t].z_norm;
        part[3 + t].count = m;
    }
    for (size_t i = 0; i < 3 + shape->kernel->terms; at += part[i++].count)
        if (received)
            memcpy(part[i].array, received + at, part[i].count * sizeof(double));
        else
            memcpy(numbers + at, part[i].array, part[i].count * sizeof(double));
}

void gp_factor_send(const struct gp_factor *factor, const struct gp_shape *shape, double *numbers) {
    numbers[0] = factor->jitter;
    numbers[1] = factor->kl;
    copy_parts(factor, shape, numbers, NULL);
}

void gp_factor_receive(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, const double *numbers) {
    factor->jitter = numbers[0];
    factor->kl = numbers[1];
    factor->white = exp(*theta->log_white);
    factor->variance = 0.0;
    hand_inputs_to_points(factor, shape, theta->z);
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        factor->variance += factor->term[t].variance = exp(theta->log_variance[t]);
        scale_inputs(factor, shape, t, theta->z);
    }
    copy_parts(factor, shape, NULL, numbers);
    shape->form->find_mean(factor, shape->inducing, theta);
    hand_prior_to_points(factor, shape);
    hand_posterior_to_points(factor, shape);
}

/*
 * dK_zz = -sym(L_K^-T Phi(P) L_K^-1) with P = m b' + 2 W (A diag(d_var) A'), where Phi keeps the
 * lower triangle and halves the diagonal. docs/derivations/gp.md shows why this needs neither a
 * product of size M x M x R nor the adjoint of the Cholesky factor. The
 * posterior's form may add to P.
 */
static void covariance_gradient(struct gp_factor *factor, const struct gp_shape *shape,
                                const struct gp_parameters *theta, struct gp_totals *totals,
                                double *d_k, double *scratch) {
    size_t m = shape->inducing;
    double *p = factor->work, *half = factor->work + m * m;
    const double *mean = gp_mean(factor, shape, theta);
    float *narrow_half = (float *)half;
    bool single = roots_are_single(factor, shape);
    memset(p, 0, m * m * sizeof(double));
    if (single) {
        narrow(m * m, totals->a_a, narrow_half);
        gemm_lower_widening(PACKED, PLAIN, m, m, 1.0f, factor->points_w.narrow, 0, narrow_half, m,
                            0.0f, p, m, (float *)scratch);
    } else {
        gemm_lower(PACKED, PLAIN, m, m, 1.0, factor->packed_w, 0, totals->a_a, m, 0.0, p, m,
                   scratch);
    }
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, 0.5 * mean[i], totals->b, p + i * m);
    shape->form->covariance(factor, m, p, scratch);
    for (size_t i = 0; i < m; i++)
        p[i * m + i] *= 0.5;
    if (single) { /* P was computed from floats and is no more precise */
        float *narrow_p = factor->narrow_gamma;
        const float *inverse = factor->points_inverse.narrow;
        narrow(m * m, p, narrow_p);
        trmm_lower_single(TRANSPOSED, m, m, 1.0f, inverse, m, narrow_p, m, 0.0f, narrow_half, m,
                          (float *)scratch);
        gemm_widening(PLAIN, PLAIN, m, m, m, -1.0f, narrow_half, m, inverse, m, 0.0f, d_k, m,
                      (float *)scratch);
    } else {
        trmm_lower(TRANSPOSED, m, m, 1.0, factor->inverse, m, p, m, 0.0, half, m, scratch);
        gemm(PLAIN, PLAIN, m, m, m, -1.0, half, m, factor->inverse, m, 0.0, d_k, m, scratch);
    }
    add_transpose(m, d_k);
}

void gp_totals_complete(const struct gp_factor *factor, const struct gp_shape *shape,
                        struct gp_totals *totals) {
    size_t m = shape->inducing;
    mirror_lower(m, totals->a_a);
    if (totals->d_alpha) /* alpha = L_K^-T m: adds its adjoint to b, see docs/derivations/gp.md */
        for (size_t i = 0; i < m; i++)
            totals->b[i] += dot(i + 1, factor->inverse + i * m, totals->d_alpha);
}

void gp_gradient_prior(struct gp_factor *factor, const struct gp_shape *shape,
                       const struct gp_parameters *theta, struct gp_totals *totals,
                       const struct gp_parameters *gradient, const struct gp_z_taker *taker,
                       double *scratch) {
    size_t m = shape->inducing, last = shape->kernel->terms - 1;
    double *d_k = factor->root; /* the factor is no longer needed */
    covariance_gradient(factor, shape, theta, totals, d_k, scratch);
    double trace = 0.0;
    for (size_t i = 0; i < m; i++)
        trace += d_k[i * m + i];
    *gradient->log_white = factor->white * (*totals->white + trace);
    for (size_t t = 0; t <= last; t++) {
        struct gp_factor_term *term = &factor->term[t];
        gradient->log_variance[t] = *totals->term[t].variance + dot(m * m, d_k, term->k) +
                                    term->variance * factor->jitter * trace;
        double *gamma_zz = term->k; /* k is no longer needed */
        multiply(m * m, d_k, term->k_slope, gamma_zz);
        (among_is_single(factor, shape) ? gp_input_gradient_single : gp_input_gradient)(
            factor, shape, t, theta, totals, gamma_zz, gradient, t == last ? taker : NULL, scratch);
    }
}

/* The gradient of the likelihood's term minus that of the KL divergence. */
void gp_gradient_posterior(struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_parameters *theta, const struct gp_totals *totals,
                           const struct gp_parameters *gradient, double *scratch) {
    size_t m = shape->inducing;
    double *d_l = factor->posterior_work;
    if (roots_are_single(factor, shape)) {
        narrow(m * m, totals->a_a, factor->narrow_w);
        gemm_lower_widening(PLAIN, PLAIN, m, m, 2.0f, factor->narrow_w, m, factor->narrow_l, m,
                            0.0f, d_l, m, (float *)scratch);
    } else {
        gemm_lower(PLAIN, PLAIN, m, m, 2.0, totals->a_a, m, factor->l, m, 0.0, d_l, m, scratch);
    }
    shape->form->gradient(factor, m, theta, totals, gradient, scratch);
}
