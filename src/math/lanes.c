/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each function is compiled for vectors of 16, 32 and 64 bytes. Sums of products run along rows of
 * the factors, for four results at a time, so that a vector of the common row is loaded once for
 * four multiply-adds.
 */
#include "math/lanes.h"
#include "math/simd.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

typedef double lane __attribute__((vector_size(LANES * sizeof(double)), may_alias));

enum { GROUP = 4 };

#define row_of(t, i) ((t) + packed_at(i, 0) * LANES)

/* sum[c] -= sum over k in [from, to) of y_k rows[c]_k. */
SIMD_INLINE void subtract_products(size_t from, size_t to, const double *y,
                                   const double *const rows[GROUP], lane sum[GROUP]) {
    for (size_t k = from; k < to; k++) {
        lane common = *(const lane *)(y + k * LANES);
        for (size_t c = 0; c < GROUP; c++)
            sum[c] -= common * *(const lane *)(rows[c] + k * LANES);
    }
}

SIMD_INLINE void subtract_product(size_t from, size_t to, const double *y, const double *row,
                                  lane *sum) {
    for (size_t k = from; k < to; k++)
        *sum -= *(const lane *)(y + k * LANES) * *(const lane *)(row + k * LANES);
}

/* y_i = (y_i - sum over k in [from, i) of y_k L_ik) / L_ii for the GROUP elements from i = at on.
 */
SIMD_INLINE void solve_group(size_t at, size_t from, const double *l, const double *inverse,
                             double *y) {
    const double *rows[GROUP];
    lane sum[GROUP];
    for (size_t c = 0; c < GROUP; c++) {
        rows[c] = row_of(l, at + c);
        sum[c] = *(lane *)(y + (at + c) * LANES);
    }
    subtract_products(from, at, y, rows, sum);
    for (size_t c = 0; c < GROUP; c++) {
        for (size_t e = 0; e < c; e++)
            sum[c] -= sum[e] * *(const lane *)(rows[c] + (at + e) * LANES);
        sum[c] *= *(const lane *)(inverse + (at + c) * LANES);
        *(lane *)(y + (at + c) * LANES) = sum[c];
    }
}

/* The same for i in [from, to). */
SIMD_INLINE void solve(size_t from, size_t to, const double *l, const double *inverse, double *y) {
    size_t i = from;
    for (; i + GROUP <= to; i += GROUP)
        solve_group(i, from, l, inverse, y);
    for (; i < to; i++) {
        lane sum = *(lane *)(y + i * LANES);
        subtract_product(from, i, y, row_of(l, i), &sum);
        *(lane *)(y + i * LANES) = sum * *(const lane *)(inverse + i * LANES);
    }
}

/* inverse = 1 / sqrt(pivot) and factor = pivot, or 0 and 1 if the pivot is left out; count += 1 if
 * not. Without branches, so that the compiler takes all lanes at once. */
SIMD_INLINE void take_pivot(const double *pivot, double least, double *inverse, double *factor,
                            double *count) {
    double some[LANES] __attribute__((aligned(64))), p[LANES] __attribute__((aligned(64)));
    SIMD_LOOP
    for (size_t l = 0; l < LANES; l++) {
        some[l] = pivot[l] > least ? 1.0 : 0.0;
        some[l] = pivot[l] < HUGE_VAL ? some[l] : 0.0;
        p[l] = some[l] > 0.0 ? pivot[l] : 1.0;
    }
    lane root;
    SIMD_LOOP
    for (size_t l = 0; l < LANES; l++)
        root[l] = sqrt(p[l]);
    *(lane *)inverse = *(const lane *)some / root;
    *(lane *)factor *= *(const lane *)p;
    *(lane *)count += *(const lane *)some;
}

/* Moves the product of a few pivots to the sum of logarithms. */
SIMD_INLINE void take_logarithm(double *product, double *log_det) {
    double logarithm[LANES];
    log_array(LANES, product, logarithm);
    for (size_t l = 0; l < LANES; l++) {
        log_det[l] += logarithm[l];
        product[l] = 1.0;
    }
}

/* Rows [at, to) of the columns [at, to) of the triangle, of which the products of earlier columns
 * have been subtracted. */
SIMD_INLINE void factor_square(size_t at, size_t to, const double *least, double *t,
                               double *inverse, double *product, double *count) {
    for (size_t i = at; i < to; i++) {
        double *row = row_of(t, i);
        for (size_t j = at; j < i; j++) {
            lane sum = *(lane *)(row + j * LANES);
            subtract_product(at, j, row, row_of(t, j), &sum);
            *(lane *)(row + j * LANES) = sum * *(const lane *)(inverse + j * LANES);
        }
        lane pivot = *(lane *)(row + i * LANES);
        subtract_product(at, i, row, row, &pivot);
        *(lane *)(row + i * LANES) = pivot;
        take_pivot(row + i * LANES, least[i], inverse + i * LANES, product, count);
    }
}

/* GROUP columns at a time: their square, then the rows below, which do not wait for each other. */
SIMD_INLINE void factor(size_t d, const double *least, double *t, double *inverse, double *log_det,
                        double *count) {
    double product[LANES] __attribute__((aligned(64)));
    for (size_t l = 0; l < LANES; l++) {
        product[l] = 1.0;
        log_det[l] = count[l] = 0.0;
    }
    for (size_t at = 0; at < d; at += GROUP) {
        size_t to = at + GROUP < d ? at + GROUP : d;
        for (size_t i = at; i < to; i++)
            for (size_t j = at; j <= i; j++)
                subtract_product(0, at, row_of(t, i), row_of(t, j),
                                 (lane *)(row_of(t, i) + j * LANES));
        factor_square(at, to, least, t, inverse, product, count);
        for (size_t i = to; i < d; i++)
            solve_group(at, 0, t, inverse, row_of(t, i));
        if (at / GROUP % 2 == 1 || to == d)
            take_logarithm(product, log_det);
    }
}

SIMD_INLINE void broadcast_sum(size_t count, const double *a, const double *b, double *t) {
    for (size_t e = 0; e < count; e++)
        *(lane *)(t + e * LANES) = *(const lane *)(b + e * LANES) + a[e];
}

SIMD_INLINE void broadcast_difference(size_t count, const double *a, const double *b, double *t) {
    for (size_t e = 0; e < count; e++)
        *(lane *)(t + e * LANES) = *(const lane *)(b + e * LANES) - a[e];
}

SIMD_INLINE void broadcast_diagonal(size_t d, const double *a, const double *diagonal, double *t) {
    size_t e = 0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++, e++)
            *(lane *)(t + e * LANES) = (lane){0} + a[e];
        *(lane *)(t + e * LANES) = *(const lane *)(diagonal + i * LANES) + a[e];
        e++;
    }
}

SIMD_INLINE void solve_vector(size_t d, const double *l, const double *inverse, double *u,
                              double *square) {
    lane sum = {0};
    solve(0, d, l, inverse, u);
    for (size_t i = 0; i < d; i++)
        sum += *(lane *)(u + i * LANES) * *(lane *)(u + i * LANES);
    *(lane *)square = sum;
}

SIMD_INLINE void solve_root(size_t d, const double *l, const double *inverse, const double *g,
                            double *h) {
    for (size_t j = 0; j < d; j++) {
        double *row = h + j * d * LANES;
        for (size_t i = j; i < d; i++)
            *(lane *)(row + i * LANES) = (lane){0} + g[i * d + j];
        solve(j, d, l, inverse, row);
    }
}

SIMD_INLINE void add_mean(size_t d, const double *weight, const double *h, const double *u,
                          double *e, double *first, double *second) {
    for (size_t j = 0; j < d; j++) {
        const double *row = h + j * d * LANES;
        lane sum = {0};
        for (size_t k = j; k < d; k++)
            sum += *(const lane *)(row + k * LANES) * *(const lane *)(u + k * LANES);
        *(lane *)(e + j * LANES) = sum;
        lane weighted = sum * *(const lane *)weight;
        *(lane *)(first + j * LANES) += weighted;
        double *out = row_of(second, j);
        for (size_t i = 0; i <= j; i++)
            *(lane *)(out + i * LANES) += weighted * *(lane *)(e + i * LANES);
    }
}

SIMD_INLINE void subtract_gram(size_t d, const double *weight, const double *h, double *second) {
    lane share = *(const lane *)weight;
    for (size_t j = 0; j < d; j++) { /* (H'H)_ji for i <= j: sums from k = j on */
        const double *row = h + j * d * LANES;
        double *out = row_of(second, j);
        size_t i = 0;
        for (; i + GROUP <= j + 1; i += GROUP) {
            const double *rows[GROUP];
            lane sum[GROUP];
            for (size_t c = 0; c < GROUP; c++) {
                rows[c] = h + (i + c) * d * LANES;
                sum[c] = (lane){0};
            }
            subtract_products(j, d, row, rows, sum);
            for (size_t c = 0; c < GROUP; c++)
                *(lane *)(out + (i + c) * LANES) += share * sum[c];
        }
        for (; i <= j; i++) {
            lane sum = {0};
            subtract_product(j, d, row, h + i * d * LANES, &sum);
            *(lane *)(out + i * LANES) += share * sum;
        }
    }
}

/* Two compilations of a function, for processors with and without vectors of 64 bytes, and the
 * function that chooses. */
#define COMPILE(name, inner, arguments, names)                                                     \
    SIMD_CLONES static void inner##_narrow arguments {                                             \
        inner names;                                                                               \
    }                                                                                              \
    SIMD_WIDE static void inner##_wide arguments {                                                 \
        inner names;                                                                               \
    }                                                                                              \
    void name arguments {                                                                          \
        if (simd_is_wide_and_fuses())                                                              \
            inner##_wide names;                                                                    \
        else                                                                                       \
            inner##_narrow names;                                                                  \
    }

COMPILE(lanes_add, broadcast_sum, (size_t count, const double *a, const double *b, double *t),
        (count, a, b, t))
COMPILE(lanes_subtract, broadcast_difference,
        (size_t count, const double *a, const double *b, double *t), (count, a, b, t))
COMPILE(lanes_add_diagonal, broadcast_diagonal,
        (size_t d, const double *a, const double *diagonal, double *t), (d, a, diagonal, t))
COMPILE(lanes_factor, factor,
        (size_t d, const double *least, double *t, double *inverse, double *log_det, double *count),
        (d, least, t, inverse, log_det, count))
COMPILE(lanes_solve, solve_vector,
        (size_t d, const double *l, const double *inverse, double *u, double *square),
        (d, l, inverse, u, square))
COMPILE(lanes_solve_root, solve_root,
        (size_t d, const double *l, const double *inverse, const double *g, double *h),
        (d, l, inverse, g, h))
COMPILE(lanes_add_mean, add_mean,
        (size_t d, const double *weight, const double *h, const double *u, double *e, double *first,
         double *second),
        (d, weight, h, u, e, first, second))
COMPILE(lanes_subtract_gram, subtract_gram,
        (size_t d, const double *weight, const double *h, double *second), (d, weight, h, second))
