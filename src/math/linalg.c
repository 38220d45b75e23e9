/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cholesky factor and triangular inverse, both right-looking over blocks of at most BLOCK columns:
 * compute a block of the result by substitution, then subtract its contribution from all later
 * blocks by one matrix product, which does nearly all of the work.
 *
 * Substitution uses strips: a strip holds at most STRIP right-hand sides side by side, one row of
 * the triangular system after the other, so that its loops run over a constant number of contiguous
 * numbers. Unused places of a strip are zeros.
 */
#include "math/linalg.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

/* As in gemm.c: makes GCC fuse multiply-adds in ISO mode. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast")
#endif

enum {
    BLOCK = 24,
    STRIP = 32,
    LANES = 4, /* doubles in a vector */
    STRIP_VECTORS = STRIP / LANES,
};

_Static_assert(BLOCK <= STRIP, "a block on the diagonal fits into a strip");

typedef double vector __attribute__((vector_size(LANES * sizeof(double)), may_alias));

/* Row j of a strip as numbers and as vectors. */
union strip {
    double number[BLOCK][STRIP];
    vector vectors[BLOCK][STRIP_VECTORS];
};

static size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Row j -= sum over t < j of coefficient t times row t. */
SIMD_INLINE void eliminate(union strip *x, size_t j, const double *coefficients, size_t stride) {
    vector row[STRIP_VECTORS];
    memcpy(row, x->vectors[j], sizeof row);
    for (size_t t = 0; t < j; t++)
        for (size_t v = 0; v < STRIP_VECTORS; v++)
            row[v] -= coefficients[t * stride] * x->vectors[t][v];
    memcpy(x->vectors[j], row, sizeof row);
}

SIMD_INLINE void divide(union strip *x, size_t j, double divisor) {
    for (size_t v = 0; v < STRIP_VECTORS; v++)
        x->vectors[j][v] *= 1 / divisor;
}

/* x = inverse of L (n x n, n <= BLOCK) times x. */
SIMD_CLONES static void substitute(size_t n, const double *l, size_t ldl, union strip *x) {
    for (size_t j = 0; j < n; j++) {
        eliminate(x, j, l + j * ldl, 1);
        divide(x, j, l[j * ldl + j]);
    }
}

/*
 * Factor of a block on the diagonal. The strip holds the transpose of the block, the upper
 * triangle. Its rows become those of the transposed factor. The numbers below the diagonal have no
 * meaning.
 */
SIMD_CLONES static size_t factorise(size_t n, union strip *x) {
    for (size_t j = 0; j < n; j++) {
        eliminate(x, j, &x->number[0][j], STRIP);
        const double pivot = x->number[j][j];
        if (!(pivot > 0 && isfinite(pivot)))
            return j + 1;
        divide(x, j, sqrt(pivot));
        x->number[j][j] = sqrt(pivot);
    }
    return 0;
}

/* Factorises the n x n block on the diagonal of A at `a`, using a strip. */
static size_t factorise_block(size_t n, double *a, size_t lda) {
    union strip x = {{{0}}};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            x.number[j][i] = a[i * lda + j];
    const size_t failed = factorise(n, &x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * lda + j] = x.number[j][i];
    return failed;
}

/* Rows of the panel below it: A (rows x n) = A times the inverse of L' (n x n). */
static void solve_panel(size_t rows, size_t n, const double *l, double *a, size_t lda) {
    for (size_t first = 0; first < rows; first += STRIP) {
        const size_t width = smaller(STRIP, rows - first);
        double *part = a + first * lda;
        union strip x = {{{0}}};
        for (size_t s = 0; s < width; s++)
            for (size_t j = 0; j < n; j++)
                x.number[j][s] = part[s * lda + j];
        substitute(n, l, lda, &x);
        for (size_t s = 0; s < width; s++)
            for (size_t j = 0; j < n; j++)
                part[s * lda + j] = x.number[j][s];
    }
}

size_t cholesky(size_t n, double *a, size_t lda, double *scratch) {
    for (size_t start = 0; start < n; start += BLOCK) {
        const size_t size = smaller(BLOCK, n - start), rest = n - start - size;
        double *diagonal = a + start * lda + start, *below = diagonal + size * lda;
        const size_t failed = factorise_block(size, diagonal, lda);
        if (failed)
            return start + failed;
        solve_panel(rest, size, diagonal, below, lda);
        gemm_lower(PLAIN, TRANSPOSED, rest, size, -1, below, lda, below, lda, 1, below + size, lda,
                   scratch);
    }
    for (size_t i = 0; i < n; i++)
        memset(a + i * lda + i + 1, 0, (n - i - 1) * sizeof *a);
    return 0;
}

/* B (n x columns) = inverse of L (n x n) times B. */
static void solve_rows(size_t n, size_t columns, const double *l, size_t ldl, double *b,
                       size_t ldb) {
    for (size_t first = 0; first < columns; first += STRIP) {
        const size_t width = smaller(STRIP, columns - first);
        union strip x = {{{0}}};
        for (size_t j = 0; j < n; j++)
            memcpy(x.number[j], b + j * ldb + first, width * sizeof *b);
        substitute(n, l, ldl, &x);
        for (size_t j = 0; j < n; j++)
            memcpy(b + j * ldb + first, x.number[j], width * sizeof *b);
    }
}

void triangular_inverse(size_t n, const double *l, size_t ldl, double *out, size_t ldo,
                        double *scratch) {
    for (size_t i = 0; i < n; i++) {
        memset(out + i * ldo, 0, n * sizeof *out);
        out[i * ldo + i] = 1;
    }
    for (size_t start = 0; start < n; start += BLOCK) {
        const size_t size = smaller(BLOCK, n - start), end = start + size;
        const double *diagonal = l + start * ldl + start;
        double *done = out + start * ldo;
        solve_rows(size, end, diagonal, ldl, done, ldo);
        gemm(PLAIN, PLAIN, n - end, end, size, -1, diagonal + size * ldl, ldl, done, ldo, 1,
             out + end * ldo, ldo, scratch);
    }
}
