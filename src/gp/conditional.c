/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of one Gaussian process at a tile of points, and the adjoint. */
#include "math/linalg.h"
#include "math/simd.h"
#include "math/vector.h"
#include "gp/gp.h"

#include <string.h>

void gp_tile_layout(struct gp_tile *tile, const struct gp_shape *shape, size_t rows,
                    struct gp_tile_use use, struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes, area = m * rows;
    bool slopes = use.backward || use.first_order, several = shape->kernel->terms > 1;
    *tile = (struct gp_tile){0};
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        term->k = arena_doubles(arena, area);
        term->k_xx = arena_doubles(arena, rows);
        term->k_slope = slopes ? arena_doubles(arena, area) : NULL;
        term->k_xx_slope = use.backward ? arena_doubles(arena, rows) : NULL;
        if (!use.first_order)
            continue;
        term->k_curvature = use.backward ? arena_doubles(arena, area) : NULL;
        term->e = arena_doubles(arena, area);
        term->d_e = use.backward ? arena_doubles(arena, area) : NULL;
        term->slope = arena_doubles(arena, rows * d);
        term->rho = arena_doubles(arena, rows);
    }
    tile->k = several ? arena_doubles(arena, area) : tile->term[0].k;
    tile->k_xx = several ? arena_doubles(arena, rows) : tile->term[0].k_xx;
    tile->a = arena_doubles(arena, area);
    tile->h = arena_doubles(arena, area);
    tile->slope_row = use.first_order ? arena_doubles(arena, d) : NULL;
}

void gp_tile_place(struct gp_tile *tile, const struct gp_shape *shape, size_t rows, double *gamma,
                   double *d_norm, size_t stride) {
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        tile->term[t].gamma = gamma + t * shape->inducing * rows;
        tile->term[t].d_norm = d_norm + t * stride;
    }
}

void gp_gather_layout(struct gp_gather *gather, const struct gp_shape *shape,
                      struct gp_tile_use use, bool completes, struct arena *arena) {
    size_t m = shape->inducing, d = shape->attributes;
    *gather = (struct gp_gather){
        .a_a = arena_doubles(arena, m * m),
        .b = arena_doubles(arena, m),
        .gamma_z = completes ? arena_doubles(arena, m * d) : NULL,
        .white = arena_doubles(arena, 1),
    };
    for (size_t t = 0; t < shape->kernel->terms; t++)
        gather->term[t] = (struct gp_gather_term){
            .gamma_x = arena_doubles(arena, m * d),
            .row_sum = arena_doubles(arena, m),
            .inverse_square = arena_doubles(arena, d),
            .variance = arena_doubles(arena, 1),
        };
    if (use.first_order)
        gather->d_alpha = arena_doubles(arena, m);
}

/* Of the arrays only those need clearing that are added to rather than written. */
void gp_gather_clear(struct gp_gather *gather, const struct gp_shape *shape) {
    for (size_t t = 0; t < shape->kernel->terms; t++)
        memset(gather->term[t].inverse_square, 0, shape->attributes * sizeof(double));
    if (gather->noise)
        memset(gather->noise, 0, shape->attributes * sizeof(double));
}

void gp_gather_add(struct gp_gather *into, const struct gp_gather *from,
                   const struct gp_shape *shape) {
    size_t m = shape->inducing, d = shape->attributes;
    add(m * m, from->a_a, into->a_a);
    add(m, from->b, into->b);
    add(1, from->white, into->white);
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        add(m * d, from->term[t].gamma_x, into->term[t].gamma_x);
        add(m, from->term[t].row_sum, into->term[t].row_sum);
        add(d, from->term[t].inverse_square, into->term[t].inverse_square);
        add(1, from->term[t].variance, into->term[t].variance);
    }
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

/* A term's covariances with the inducing inputs (k and its derivatives). */
static void evaluate_term(const struct gp_factor_term *factor, const struct gp_shape *shape,
                          size_t t, const struct gp_points *points, struct gp_tile_term *term,
                          double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    if (points->packed_transpose)
        gemm(PACKED, PACKED, m, rows, d, 1.0, factor->packed_z, 0, points->packed_transpose, 0, 0.0,
             term->k, rows, scratch);
    else
        gemm(PACKED, TRANSPOSED, m, rows, d, 1.0, factor->packed_z, 0, points->x, d, 0.0, term->k,
             rows, scratch);
    for (size_t i = 0; i < m; i++) {
        double *k = term->k + i * rows;
        if (gp_is_distance(shape, t))
            complete_distances(rows, factor->z_norm[i], points->x_norm + t * points->norm_stride,
                               k);
        shape->kernel->term[t]->evaluate(shape->degree, factor->variance, rows, k, k,
                                         term->k_slope ? term->k_slope + i * rows : NULL,
                                         term->k_curvature ? term->k_curvature + i * rows : NULL);
    }
}

/* A term's covariance of each point with itself, and `diagonal` on top. */
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

/* All terms, and their sums where there are several. */
static void evaluate_kernel(const struct gp_factor *factor, const struct gp_shape *shape,
                            const struct gp_points *points, struct gp_tile *tile, double *scratch) {
    size_t terms = shape->kernel->terms, rows = points->rows, area = shape->inducing * rows;
    for (size_t t = 0; t < terms; t++) {
        const struct gp_factor_term *term = &factor->term[t];
        double diagonal = term->variance * factor->jitter + (t == 0 ? factor->white : 0.0);
        evaluate_term(term, shape, t, points, &tile->term[t], scratch);
        evaluate_diagonal(term, shape, t, points, diagonal, &tile->term[t]);
    }
    if (terms == 1)
        return;
    memset(tile->k, 0, area * sizeof(double));
    memset(tile->k_xx, 0, rows * sizeof(double));
    for (size_t t = 0; t < terms; t++) {
        add(area, tile->term[t].k, tile->k);
        add(rows, tile->term[t].k_xx, tile->k_xx);
    }
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

/* mean and variance from rows a and h of M, and m. In exact arithmetic the variance is at least the
 * diagonal's noise; what goes below it is rounding, of which the gradient need not know. */
static void sum_moments(const struct gp_factor *factor, size_t inducing, size_t rows,
                        const double *m, const double *a, const double *h, const double *k_xx,
                        double *mean, double *variance) {
    memset(mean, 0, rows * sizeof(double));
    memcpy(variance, k_xx, rows * sizeof(double));
    for (size_t i = 0; i < inducing; i++)
        add_moments(rows, m[i], a + i * rows, h + i * rows, mean, variance);
    double least = 0.5 * factor->variance * factor->jitter + factor->white;
    for (size_t r = 0; r < rows; r++)
        variance[r] = variance[r] > least ? variance[r] : least;
}

void gp_conditional(const struct gp_factor *factor, const struct gp_shape *shape,
                    const struct gp_parameters *theta, const struct gp_points *points,
                    struct gp_tile *tile, double *mean, double *variance, double *scratch) {
    size_t m = shape->inducing, rows = points->rows;
    evaluate_kernel(factor, shape, points, tile, scratch);
    trmm_lower(PLAIN, m, rows, 1.0, factor->inverse, m, tile->k, rows, 0.0, tile->a, rows, scratch);
    gemm(PACKED, PLAIN, m, rows, m, 1.0, factor->packed_w, 0, tile->a, rows, 0.0, tile->h, rows,
         scratch);
    sum_moments(factor, m, rows, theta->m, tile->a, tile->h, tile->k_xx, mean, variance);
}

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
    trmm_lower(PLAIN, m, rows, 1.0, form->p, m, tile->k, rows, 0.0, tile->h, rows, scratch);
    sum_moments(factor, m, rows, factor->alpha, tile->k, tile->h, tile->k_xx, mean, variance);
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
static void diagonal_backward(const struct gp_factor *factor, size_t terms, size_t rows,
                              const struct gp_tile *tile, const double *d_variance,
                              struct gp_gather *gather) {
    *gather->white = sum(rows, d_variance);
    for (size_t t = 0; t < terms; t++)
        *gather->term[t].variance = dot(rows, d_variance, tile->term[t].k_xx) -
                                    (t == 0 ? factor->white * *gather->white : 0.0);
}

/* What reaches the variance, alpha and row i of gamma through e = alpha o k_slope: the latter
 * replaces d_e. Returns d_alpha. */
static double slope_row_backward(double alpha, size_t rows, size_t i, struct gp_tile_term *term,
                                 double *d_log_variance) {
    double *d_e = term->d_e + i * rows;
    *d_log_variance += dot(rows, d_e, term->e + i * rows);
    double d_alpha = dot(rows, d_e, term->k_slope + i * rows);
    multiply(rows, d_e, term->k_curvature + i * rows, d_e);
    scale(rows, alpha, d_e);
    return d_alpha;
}

/* From row i of dK_zx, which is in gamma, to gamma itself and what it adds up to. */
static void term_row_backward(const struct gp_factor *factor, size_t rows, size_t i, size_t t,
                              struct gp_tile_term *term, struct gp_gather *gather) {
    struct gp_gather_term *sums = &gather->term[t];
    double *more = term->d_e ? term->d_e + i * rows : NULL;
    if (more)
        gather->d_alpha[i] += slope_row_backward(factor->alpha[i], rows, i, term, sums->variance);
    struct row_sums row = kernel_adjoint(rows, term->k + i * rows, term->k_slope + i * rows, more,
                                         term->gamma + i * rows, term->d_norm);
    *sums->variance += row.variance;
    sums->row_sum[i] = row.gamma;
}

void gp_conditional_backward(const struct gp_factor *factor, const struct gp_shape *shape,
                             const struct gp_parameters *theta, const struct gp_points *points,
                             struct gp_tile *tile, const double *d_mean, const double *d_variance,
                             struct gp_gather *gather, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    size_t terms = shape->kernel->terms;
    diagonal_backward(factor, terms, rows, tile, d_variance, gather);

    double *d_k = tile->term[0].gamma; /* dK_zx, until gamma itself is made */
    double *weighted = d_k;            /* A diag(d_variance), until dK_zx is */
    for (size_t i = 0; i < m; i++)
        gather->b[i] = whitened_adjoint(rows, theta->m[i], tile->a + i * rows, d_mean, d_variance,
                                        tile->h + i * rows, weighted + i * rows);
    gemm_lower(PLAIN, TRANSPOSED, m, rows, 1.0, weighted, rows, tile->a, rows, 0.0, gather->a_a, m,
               scratch);
    trmm_lower(TRANSPOSED, m, rows, 1.0, factor->inverse, m, tile->h, rows, 0.0, d_k, rows,
               scratch);
    if (gather->d_alpha)
        memset(gather->d_alpha, 0, m * sizeof(double));
    for (size_t t = 1; t < terms; t++)
        memcpy(tile->term[t].gamma, d_k, m * rows * sizeof(double));
    for (size_t t = 0; t < terms; t++) {
        struct gp_tile_term *term = &tile->term[t];
        memset(term->d_norm, 0, rows * sizeof(double));
        for (size_t i = 0; i < m; i++)
            term_row_backward(factor, rows, i, t, term, gather);
        if (!gp_is_distance(shape, t))
            multiply(rows, d_variance, term->k_xx_slope, term->d_norm);
        const double *x = points->packed ? points->packed : points->x;
        gemm(PLAIN, points->packed ? PACKED : PLAIN, m, d, rows, 1.0, term->gamma, rows, x, d,
             term->d_e ? 1.0 : 0.0, gather->term[t].gamma_x, d, scratch);
    }
}

/*
 * With q = 1/lambda^2, summed over terms too:
 *     distance   dx = 2 sum_c (x q_c d_norm_c - gamma_c' Z_c q_c)
 *     dot        dx = sum_c (2 x q_c d_norm_c + gamma_c' Z_c q_c)
 */
void gp_points_backward(const struct gp_shape *shape, size_t functions,
                        const struct gp_factor *factors, const struct gp_tile *tiles,
                        const struct gp_points *points, size_t stride, size_t first, size_t width,
                        double *d_x, double *scratch) {
    size_t m = shape->inducing, d = shape->attributes, rows = points->rows;
    size_t all = functions * shape->kernel->terms;
    const struct gp_tile_term *tile = &tiles[0].term[0];
    const struct gp_factor_term *factor = &factors[0].term[0];
    gemm(TRANSPOSED, PLAIN, rows, width, all, 2.0, tile->d_norm, stride,
         factor->inverse_square + first, d, 0.0, d_x + first, d, scratch);
    for (size_t r = 0; r < rows; r++)
        multiply(width, d_x + r * d + first, points->x + r * d + first, d_x + r * d + first);
    gemm(TRANSPOSED, PLAIN, rows, width, all * m, 1.0, tile->gamma, rows, factor->zq + first, d,
         1.0, d_x + first, d, scratch);
}
