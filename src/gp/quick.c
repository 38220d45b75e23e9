/* SPDX-License-Identifier: Apache-2.0 */
#include "gp/quick.h"

#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* As in math/gemm.c. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast")
#endif

enum {
    LANES = 8,
    VECTORS = GP_BLOCK / LANES,
    PANEL = 4, /* rows: 4 x 3 sums, 3 vectors and a number fill 16 registers */
};

/* Largest error due to rounding: of a variance, relative, and of a mean in deviations. */
#define VARIANCE_BOUND 0.01
#define MEAN_BOUND 0.001

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef int32_t mask __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));

struct panel_sums {
    vector at[PANEL][VECTORS];
};

static size_t whole_panels(size_t inducing) {
    return (inducing + PANEL - 1) / PANEL * PANEL;
}

/* Number of elements before panel i of the triangle: rows 4 i .. 4 i + 3 have 4 (i + 1) columns
 * each. */
static size_t triangle_before(size_t panel) {
    return PANEL * PANEL * panel * (panel + 1) / 2;
}

bool gp_quick_serves(const struct gp_shape *shape) {
    for (size_t t = 0; t < shape->kernel->terms; t++)
        if (!shape->kernel->term[t]->evaluate_single)
            return false;
    return true;
}

static float *floats(struct arena *arena, size_t count) {
    return arena_bytes(arena, count, sizeof(float));
}

void gp_quick_layout(struct gp_quick *quick, const struct gp_shape *shape, struct arena *arena) {
    size_t rows = quick->rows = whole_panels(shape->inducing), d = shape->attributes;
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        quick->term[t].inverse_square = floats(arena, d);
        quick->term[t].z = floats(arena, rows * d);
        quick->term[t].z_norm = floats(arena, rows);
    }
    quick->p = floats(arena, triangle_before(rows / PANEL));
    quick->alpha = floats(arena, rows);
}

/* Whether the errors of single precision at inducing input i are within the bounds. */
static bool is_precise(const struct gp_form *form, const struct gp_factor *factor, size_t m,
                       size_t i) {
    const double unit = 0.5 * (double)FLT_EPSILON;
    double variance = factor->k[i * m + i] + factor->variance * factor->jitter + factor->white;
    double loss = 0.0, mean_loss = 0.0;
    for (size_t a = 0; a < m; a++) {
        double own = a > i ? factor->k[a * m + i] : factor->k[i * m + a], h = 0.0, large = 0.0;
        for (size_t b = 0; b <= a; b++) {
            double k = b > i ? factor->k[b * m + i] : factor->k[i * m + b];
            h += form->p[a * m + b] * k;
            large += fabs(form->p[a * m + b] * k);
        }
        variance += own * h;
        loss += unit * fabs(own) * large;
        mean_loss += unit * fabs(factor->alpha[a] * own);
    }
    return variance > 0.0 && loss <= VARIANCE_BOUND * variance &&
           mean_loss <= MEAN_BOUND * sqrt(variance);
}

static void make_term(struct gp_quick_term *quick, const struct gp_factor_term *factor,
                      const struct gp_shape *shape, size_t t, const double *z) {
    size_t d = shape->attributes;
    double sign = gp_sign(shape, t);
    quick->variance = (float)factor->variance;
    for (size_t j = 0; j < d; j++)
        quick->inverse_square[j] = (float)factor->inverse_square[j];
    for (size_t i = 0; i < shape->inducing; i++) {
        float *panel = quick->z + i / PANEL * PANEL * d + i % PANEL;
        for (size_t j = 0; j < d; j++)
            panel[j * PANEL] = (float)(sign * z[i * d + j] * factor->inverse_square[j]);
        quick->z_norm[i] = (float)factor->z_norm[i];
    }
}

bool gp_quick_make(struct gp_quick *quick, const struct gp_form *form,
                   const struct gp_factor *factor, const struct gp_shape *shape,
                   const struct gp_parameters *theta) {
    size_t m = shape->inducing;
    quick->diagonal = (float)(factor->variance * factor->jitter + factor->white);
    quick->least = (float)(0.5 * factor->variance * factor->jitter + factor->white);
    for (size_t t = 0; t < shape->kernel->terms; t++)
        make_term(&quick->term[t], &factor->term[t], shape, t, theta->z);
    for (size_t i = 0; i < m; i++) {
        float *panel = quick->p + triangle_before(i / PANEL) + i % PANEL;
        for (size_t j = 0; j <= i; j++)
            panel[j * PANEL] = (float)form->p[i * m + j];
        quick->alpha[i] = (float)factor->alpha[i];
    }
    bool precise = true;
    for (size_t i = 0; precise && i < m; i++)
        precise = is_precise(form, factor, m, i);
    return precise;
}

size_t gp_quick_scratch(const struct gp_shape *shape) {
    return shape->kernel->terms * whole_panels(shape->inducing) * GP_BLOCK;
}

/* sums = panel (k x PANEL), transposed, times block (k x GP_BLOCK). */
SIMD_INLINE void multiply_panel(size_t k, const float *panel, const float *block,
                                struct panel_sums *sums) {
    for (size_t i = 0; i < PANEL; i++)
        for (size_t v = 0; v < VECTORS; v++)
            sums->at[i][v] = (vector){0};
    for (size_t p = 0; p < k; p++, panel += PANEL, block += GP_BLOCK)
        for (size_t i = 0; i < PANEL; i++)
            for (size_t v = 0; v < VECTORS; v++)
                sums->at[i][v] += panel[i] * ((const vector *)block)[v];
}

/* norm (GP_BLOCK) = x^2' / lambda^2. */
SIMD_INLINE void find_norms(size_t d, const float *inverse_square, const float *x_square,
                            float *norm) {
    vector sum[VECTORS] = {0};
    for (size_t j = 0; j < d; j++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[v] += inverse_square[j] * ((const vector *)(x_square + j * GP_BLOCK))[v];
    for (size_t v = 0; v < VECTORS; v++)
        ((vector *)norm)[v] = sum[v];
}

/* t (rows x GP_BLOCK) of one term. */
SIMD_CLONES static void find_arguments(const struct gp_quick_term *term, size_t rows, size_t d,
                                       bool distance, const float *x, const float *norm, float *t) {
    for (size_t i = 0; i < rows; i += PANEL) {
        struct panel_sums sums;
        multiply_panel(d, term->z + i * d, x, &sums);
        for (size_t l = 0; l < PANEL; l++)
            for (size_t v = 0; v < VECTORS; v++) {
                vector value = sums.at[l][v];
                if (distance) {
                    value += ((const vector *)norm)[v] + term->z_norm[i + l];
                    value = (vector)((mask)value & ~(value < 0.0f)); /* at least 0; keeps NaN */
                }
                ((vector *)(t + (i + l) * GP_BLOCK))[v] = value;
            }
    }
}

SIMD_CLONES static void find_all_norms(const struct gp_quick_term *term, size_t d,
                                       const float *x_square, float *norm) {
    find_norms(d, term->inverse_square, x_square, norm);
}

SIMD_CLONES static void add_floats(size_t n, const float *from, float *into) {
    for (size_t i = 0; i < n; i += LANES)
        *(vector *)(into + i) += *(const vector *)(from + i);
}

/* mean = K' alpha, variance += colsum(K o P K). */
SIMD_CLONES static void find_moments(size_t rows, const float *p, const float *alpha,
                                     const float *k, float *mean, float *variance) {
    vector first[VECTORS] = {0}, second[VECTORS] = {0};
    for (size_t i = 0; i < rows; i += PANEL) {
        struct panel_sums sums;
        multiply_panel(i + PANEL, p, k, &sums);
        p += (i + PANEL) * PANEL;
        for (size_t l = 0; l < PANEL; l++)
            for (size_t v = 0; v < VECTORS; v++) {
                vector own = ((const vector *)(k + (i + l) * GP_BLOCK))[v];
                first[v] += alpha[i + l] * own;
                second[v] += own * sums.at[l][v];
            }
    }
    for (size_t v = 0; v < VECTORS; v++) {
        ((vector *)mean)[v] = first[v];
        ((vector *)variance)[v] += second[v];
    }
}

void gp_quick_conditional(const struct gp_quick *quick, const struct gp_shape *shape,
                          const float *x, const float *x_square, float *mean, float *variance,
                          float *scratch) {
    size_t rows = quick->rows, d = shape->attributes, area = rows * GP_BLOCK;
    _Alignas(64) float norm[GP_BLOCK], own[GP_BLOCK];
    for (size_t p = 0; p < GP_BLOCK; p++)
        variance[p] = quick->diagonal;
    for (size_t t = 0; t < shape->kernel->terms; t++) {
        const struct gp_quick_term *term = &quick->term[t];
        const struct kernel_term *kernel = shape->kernel->term[t];
        float *k = scratch + (t ? area : 0);
        bool distance = gp_is_distance(shape, t);
        find_all_norms(term, d, x_square, norm);
        find_arguments(term, rows, d, distance, x, norm, k);
        kernel->evaluate_single(shape->degree, term->variance, area, k, k, NULL, NULL);
        if (t)
            add_floats(area, k, scratch);
        memset(own, 0, sizeof own);
        kernel->evaluate_single(shape->degree, term->variance, GP_BLOCK, distance ? own : norm, own,
                                NULL, NULL);
        add_floats(GP_BLOCK, own, variance);
    }
    find_moments(rows, quick->p, quick->alpha, scratch, mean, variance);
    for (size_t p = 0; p < GP_BLOCK; p++)
        variance[p] = variance[p] > quick->least ? variance[p] : quick->least;
}
