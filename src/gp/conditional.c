/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of one Gaussian process at a tile of points, and the adjoint, in either
 * precision. */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/tile.h"

#include <assert.h>
#include <string.h>

/* A squared distance, at least zero in spite of rounding. */
SIMD_INLINE real distance_of(double product, double norms) {
    double distance = product + norms;
    return (real)(distance < 0.0 ? 0.0 : distance); /* keeps NaN */
}

/* t += x_norm + z_norm of one row of t. */
SIMD_CLONES static void complete_distances(size_t n, double z_norm, const double *x_norm, real *t) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++)
        t[r] = distance_of((double)t[r], x_norm[r] + z_norm);
}

/* t = product + x_norm + z_norm, if the product is more precise than t. */
SIMD_CLONES static void round_distances(size_t n, double z_norm, const double *x_norm,
                                        const double *product, real *t) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++)
        t[r] = distance_of(product[r], x_norm[r] + z_norm);
}

SIMD_CLONES static void round_products(size_t n, const double *product, real *t) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++)
        t[r] = (real)product[r];
}

/* t of a term at all points, without the norms. The result is in `precise` if there are few
 * attributes, otherwise in k. */
static void multiply_points(const struct gp_factor_term *factor, const struct gp_shape *shape,
                            const struct gp_points *points, union gp_matrix k, double *precise,
                            double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    const real *packed = reals_of(points->packed_transpose);
    if (packed)
        REAL(gemm)
    (PACKED, PACKED, m, rows, d, 1, reals_of(factor->points_z), 0, packed, 0, 0, reals_of(k), rows,
     (real *)scratch);
    else gemm(PACKED, TRANSPOSED, m, rows, d, 1.0, factor->packed_z, 0, points->x, d, 0.0,
              precise ? precise : k.wide, rows, scratch);
}

/* Row i of the matrix, or NULL if there is no matrix. */
static real *row_of(union gp_matrix matrix, size_t i, size_t rows) {
    real *reals = reals_of(matrix);
    return reals ? reals + i * rows : NULL;
}

/* A term's covariances k with the inducing inputs, and their derivatives. */
static void evaluate_term(const struct gp_factor_term *factor, const struct gp_shape *shape,
                          size_t t, const struct gp_points *points, struct gp_tile_term *term,
                          double *precise, double *scratch) {
    size_t rows = points->rows;
    const double *x_norm = points->x_norm + t * points->norm_stride;
    multiply_points(factor, shape, points, term->k, precise, scratch);
    for (size_t i = 0; i < shape->inducing; i++) {
        real *k = row_of(term->k, i, rows);
        if (precise && gp_is_distance(shape, t))
            round_distances(rows, factor->z_norm[i], x_norm, precise + i * rows, k);
        else if (precise)
            round_products(rows, precise + i * rows, k);
        else if (gp_is_distance(shape, t))
            complete_distances(rows, factor->z_norm[i], x_norm, k);
        shape->kernel->term[t]->REAL(evaluate)(shape->degree, (real)factor->variance, rows, k, k,
                                               row_of(term->k_slope, i, rows),
                                               row_of(term->k_curvature, i, rows));
    }
}

/* A term's covariance of each point with itself, plus `diagonal`. */
static void evaluate_diagonal(const struct gp_factor_term *factor, const struct gp_shape *shape,
                              size_t t, const struct gp_points *points, double diagonal,
                              struct gp_tile_term *term) {
    size_t rows = points->rows;
    if (gp_is_distance(shape, t)) {
        for (size_t r = 0; r < rows; r++)
            term->k_xx[r] = factor->variance + diagonal; /* g(0) = 1 */
        return;
    }
    shape->kernel->term[t]->evaluate(shape->degree, factor->variance, rows,
                                     points->x_norm + t * points->norm_stride, term->k_xx,
                                     term->k_xx_slope, NULL);
    for (size_t r = 0; r < rows; r++)
        term->k_xx[r] += diagonal;
}

/* Evaluates all terms, and adds them up if there are several. */
static void evaluate_kernel(const struct gp_factor *factor, const struct gp_shape *shape,
                            const struct gp_points *points, struct gp_tile *tile, double *scratch) {
    size_t terms = shape->kernel->terms, rows = points->rows, area = shape->inducing * rows;
    for (size_t t = 0; t < terms; t++) {
        const struct gp_factor_term *term = &factor->term[t];
        double diagonal = term->variance * factor->jitter + (t == 0 ? factor->white : 0.0);
        evaluate_term(term, shape, t, points, &tile->term[t], tile->t, scratch);
        evaluate_diagonal(term, shape, t, points, diagonal, &tile->term[t]);
    }
    if (terms == 1)
        return;
    memset(reals_of(tile->k), 0, area * sizeof(real));
    memset(tile->k_xx, 0, rows * sizeof(double));
    for (size_t t = 0; t < terms; t++) {
        REAL(add)(area, reals_of(tile->term[t].k), reals_of(tile->k));
        add(rows, tile->term[t].k_xx, tile->k_xx);
    }
}

/* Adds the part of one row to mean = A' m and variance = k_xx + colsum(A o W A). */
SIMD_CLONES static void add_moments(size_t n, double m, const real *a, const real *h, double *mean,
                                    double *variance) {
    SIMD_LOOP
    for (size_t r = 0; r < n; r++) {
        mean[r] += m * (double)a[r];
        variance[r] += (double)a[r] * (double)h[r];
    }
}

/* mean and variance from m and the rows a and h of A and W A. In exact arithmetic the variance is
 * at least the noise on the diagonal. A smaller value is a rounding error, which the gradient
 * ignores. */
static void sum_moments(const struct gp_factor *factor, size_t inducing, size_t rows,
                        const double *m, const real *a, const real *h, const double *k_xx,
                        double *mean, double *variance) {
    memset(mean, 0, rows * sizeof(double));
    memcpy(variance, k_xx, rows * sizeof(double));
    for (size_t i = 0; i < inducing; i++)
        add_moments(rows, m[i], a + i * rows, h + i * rows, mean, variance);
    double least = 0.5 * factor->variance * factor->jitter + factor->white;
    for (size_t r = 0; r < rows; r++)
        variance[r] = variance[r] > least ? variance[r] : least;
}

static void conditional(const struct gp_factor *factor, const struct gp_shape *shape,
                        const struct gp_parameters *theta, const struct gp_points *points,
                        struct gp_tile *tile, double *mean, double *variance, double *scratch) {
    size_t m = shape->inducing, rows = points->rows;
    real *a = reals_of(tile->a), *h = reals_of(tile->h), *area = (real *)scratch;
    evaluate_kernel(factor, shape, points, tile, scratch);
    REAL(trmm_lower)
    (PLAIN, m, rows, 1, reals_of(factor->points_inverse), m, reals_of(tile->k), rows, 0, a, rows,
     area);
    REAL(gemm)
    (PACKED, PLAIN, m, rows, m, 1, reals_of(factor->points_w), 0, a, rows, 0, h, rows, area);
    sum_moments(factor, m, rows, gp_mean(factor, shape, theta), a, h, tile->k_xx, mean, variance);
}

/*
 * For element r of a row: weighted = A diag(d_variance). h, which is W A, becomes
 * dA = m d_mean' + 2 W A diag(d_variance).
 * A d_mean is added to a part of the row's sum.
 */
SIMD_INLINE void whiten(size_t r, double m, const real *a, const double *d_mean,
                        const double *d_variance, real *h, real *weighted, double *part) {
    weighted[r] = (real)((double)a[r] * d_variance[r]);
    h[r] = (real)(m * d_mean[r] + 2.0 * (double)h[r] * d_variance[r]);
    *part += (double)a[r] * d_mean[r];
}

/* All elements of a row; returns A d_mean. */
SIMD_CLONES static double whitened_adjoint(size_t n, double m, const real *a, const double *d_mean,
                                           const double *d_variance, real *restrict h,
                                           real *restrict weighted) {
    double part[SUM_PARTS] = {0};
    size_t whole = n / SUM_PARTS * SUM_PARTS;
    for (size_t r = 0; r < whole; r += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            whiten(r + l, m, a, d_mean, d_variance, h, weighted, &part[l]);
    for (size_t r = whole; r < n; r++)
        whiten(r, m, a, d_mean, d_variance, h, weighted, &part[r - whole]);
    return sum(SUM_PARTS, part);
}

/* Sums over a row: of d_k o k, and of gamma. */
struct row_sums {
    double variance, gamma;
};

/* Replaces element r of a row of d_k by that of gamma = d_k o k_slope, plus `more` unless NULL. */
SIMD_INLINE void chain(size_t r, const real *k, const real *k_slope, const real *more, real *gamma,
                       double *d_norm, double *variance, double *total) {
    *variance += (double)gamma[r] * (double)k[r];
    gamma[r] = gamma[r] * k_slope[r] + (more ? more[r] : 0);
    *total += (double)gamma[r];
    d_norm[r] += (double)gamma[r];
}

SIMD_CLONES static struct row_sums kernel_adjoint(size_t n, const real *k, const real *k_slope,
                                                  const real *more, real *restrict gamma,
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

/* The gradient through k_xx: d bound / d k_xx = d_variance. */
static void diagonal_backward(const struct gp_factor *factor, size_t terms, size_t rows,
                              const struct gp_tile *tile, const double *d_variance,
                              struct gp_totals *totals) {
    *totals->white = sum(rows, d_variance);
    for (size_t t = 0; t < terms; t++)
        *totals->term[t].variance = dot(rows, d_variance, tile->term[t].k_xx) -
                                    (t == 0 ? factor->white * *totals->white : 0.0);
}

/* The adjoint of e = alpha o k_slope in row i: adds to the gradient by log variance, replaces d_e
 * by the part of gamma, and returns d_alpha. */
static double slope_row_backward(double alpha, size_t rows, size_t i, struct gp_tile_term *term,
                                 double *d_log_variance) {
    real *d_e = row_of(term->d_e, i, rows);
    *d_log_variance += REAL(dot)(rows, d_e, row_of(term->e, i, rows));
    double d_alpha = REAL(dot)(rows, d_e, row_of(term->k_slope, i, rows));
    REAL(multiply)(rows, d_e, row_of(term->k_curvature, i, rows), d_e);
    REAL(scale)(rows, (real)alpha, d_e);
    return d_alpha;
}

/* Replaces row i of dK_zx, which is stored in gamma, by gamma, and adds to the sums over it. */
static void term_row_backward(const struct gp_factor *factor, size_t rows, size_t i, size_t t,
                              struct gp_tile_term *term, struct gp_totals *totals) {
    struct gp_totals_term *sums = &totals->term[t];
    const real *more = row_of(term->d_e, i, rows);
    assert(!more || totals->d_alpha); /* slopes have adjoints of both */
    if (more)
        totals->d_alpha[i] += slope_row_backward(factor->alpha[i], rows, i, term, sums->variance);
    struct row_sums row =
        kernel_adjoint(rows, row_of(term->k, i, rows), row_of(term->k_slope, i, rows), more,
                       row_of(term->gamma, i, rows), term->d_norm);
    *sums->variance += row.variance;
    sums->row_sum[i] = row.gamma;
}

/* Adds gamma X to what slope.c has stored there. */
static void multiply_by_points(const struct gp_shape *shape, const struct gp_points *points,
                               const struct gp_tile_term *term, const struct gp_totals_term *totals,
                               double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
#ifdef SINGLE
    if (totals->narrow_gamma_x) {
        gemm_single(PLAIN, PACKED, m, d, rows, 1, term->gamma.narrow, rows, points->packed.narrow,
                    0, 0, totals->narrow_gamma_x, d, (float *)scratch);
        return;
    }
#endif
    WIDENED(gemm)
    (PLAIN, PACKED, m, d, rows, 1, reals_of(term->gamma), rows, reals_of(points->packed), 0,
     reals_of(term->d_e) ? 1 : 0, totals->gamma_x, d, (real *)scratch);
}

static void conditional_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                                 const struct gp_parameters *theta, const struct gp_points *points,
                                 struct gp_tile *tile, const double *d_mean,
                                 const double *d_variance, struct gp_totals *totals,
                                 double *scratch) {
    size_t m = shape->inducing, rows = points->rows, terms = shape->kernel->terms;
    diagonal_backward(factor, terms, rows, tile, d_variance, totals);

    real *a = reals_of(tile->a), *h = reals_of(tile->h);
    real *d_k = reals_of(tile->term[0].gamma); /* dK_zx, until it is replaced by gamma */
    real *weighted = d_k;                      /* A diag(d_variance), until replaced by dK_zx */
    const double *mean = gp_mean(factor, shape, theta);
    for (size_t i = 0; i < m; i++)
        totals->b[i] = whitened_adjoint(rows, mean[i], a + i * rows, d_mean, d_variance,
                                        h + i * rows, weighted + i * rows);
    WIDENED(gemm_lower)
    (PLAIN, TRANSPOSED, m, rows, 1, weighted, rows, a, rows, 0, totals->a_a, m, (real *)scratch);
    REAL(trmm_lower)
    (TRANSPOSED, m, rows, 1, reals_of(factor->points_inverse), m, h, rows, 0, d_k, rows,
     (real *)scratch);
    if (totals->d_alpha)
        memset(totals->d_alpha, 0, m * sizeof(double));
    for (size_t t = 1; t < terms; t++)
        memcpy(reals_of(tile->term[t].gamma), d_k, m * rows * sizeof(real));
    for (size_t t = 0; t < terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        memset(term->d_norm, 0, rows * sizeof(double));
        for (size_t i = 0; i < m; i++)
            term_row_backward(factor, rows, i, t, term, totals);
        if (!gp_is_distance(shape, t))
            multiply(rows, d_variance, term->k_xx_slope, term->d_norm);
        multiply_by_points(shape, points, term, &totals->term[t], scratch);
    }
}

/*
 * With q = 1/lambda^2, and summed over terms as well:
 *     distance   dx = 2 sum_c (x q_c d_norm_c - gamma_c' Z_c q_c)
 *     dot        dx = sum_c (2 x q_c d_norm_c + gamma_c' Z_c q_c)
 */
static void points_backward(const struct gp_shape *shape, size_t functions,
                            const struct gp_factor *factors, const struct gp_tile *tiles,
                            const struct gp_points *points, size_t stride, size_t first,
                            size_t width, double *d_x, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    size_t all = functions * shape->kernel->terms;
    const struct gp_tile_term *tile = &tiles[0].term[0];
    const struct gp_factor_term *factor = &factors[0].term[0];
    gemm(TRANSPOSED, PLAIN, rows, width, all, 2.0, tile->d_norm, stride,
         factor->inverse_square + first, d, 0.0, d_x + first, d, scratch);
    for (size_t r = 0; r < rows; r++)
        multiply(width, d_x + r * d + first, points->x + r * d + first, d_x + r * d + first);
    WIDENED(gemm)
    (TRANSPOSED, PLAIN, rows, width, all * m, 1, reals_of(tile->gamma), rows,
     reals_of(factor->zq) + first, d, 1, d_x + first, d, (real *)scratch);
}

const struct gp_arithmetic REAL(gp_arithmetic) = {.conditional = conditional,
                                                  .conditional_backward = conditional_backward,
                                                  .points_backward = points_backward};

/* Prediction uses double precision, except in quick.c. */
#ifndef SINGLE
void gp_form_layout(struct gp_form *form, const struct gp_shape *shape, struct arena *arena) {
    form->p = arena_doubles(arena, shape->inducing * shape->inducing);
}

bool gp_form_make(struct gp_form *form, const struct gp_factor *factor,
                  const struct gp_shape *shape, double *scratch) {
    size_t m = shape->inducing;
    double *b = factor->work; /* L' L_K^-1; P = b' b - L_K^-T L_K^-1 */
    gemm(TRANSPOSED, PLAIN, m, m, m, 1.0, factor->l, m, factor->inverse, m, 0.0, b, m, scratch);
    gemm_lower(TRANSPOSED, PLAIN, m, m, 2.0, b, m, b, m, 0.0, form->p, m, scratch);
    gemm_lower(TRANSPOSED, PLAIN, m, m, -2.0, factor->inverse, m, factor->inverse, m, 1.0, form->p,
               m, scratch);
    for (size_t i = 0; i < m; i++)
        form->p[i * m + i] *= 0.5;
    return factor->variance * factor->jitter + factor->white >=
           GP_LEAST_FOR_FORM * factor->variance;
}

void gp_form_conditional(const struct gp_form *form, const struct gp_factor *factor,
                         const struct gp_shape *shape, const struct gp_points *points,
                         struct gp_tile *tile, double *mean, double *variance, double *scratch) {
    size_t m = shape->inducing, rows = points->rows;
    evaluate_kernel(factor, shape, points, tile, scratch);
    trmm_lower(PLAIN, m, rows, 1.0, form->p, m, tile->k.wide, rows, 0.0, tile->h.wide, rows,
               scratch);
    sum_moments(factor, m, rows, factor->alpha, tile->k.wide, tile->h.wide, tile->k_xx, mean,
                variance);
}
#endif
