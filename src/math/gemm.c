/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of row-major matrices.
 *
 * k is cut into blocks of at most DEPTH and m into blocks of at most HEIGHT. A block of op(A) is
 * packed into panels of TILE_ROWS rows and stays in the L2 cache. Panels of op(B), at most
 * TILE_VECTORS vectors wide, are packed one after the other, and each is multiplied by all panels
 * of A. Either factor may also be given in packed form.
 * The product of two panels is one tile of C. Its sums are kept in registers over the whole block
 * of k and then written to C or added to it.
 *
 * Vectors have 64 bytes if the processor has AVX-512, otherwise 32 (gemm_block.h). A panel of B
 * that consists of 32-byte vectors fits into the L1 cache. One of 64-byte vectors takes up to 50 KB
 * and comes partly from the L2 cache. A smaller DEPTH would avoid this, but change the bits.
 *
 * An element of C does not depend on its position. In every tile, whatever its width and that of
 * its vectors, each element is a single chain of multiply-adds in ascending k. If a tile is not
 * full, the panels are padded with zeros, the same chain is computed, and the padding is dropped.
 * Where k is cut depends on k alone. alpha is multiplied into op(A) while packing, and beta into C
 * beforehand, so that a chain ends with a plain store or addition.
 *
 * The factors are matrices of `real` (real.h), and C is one of `result`. This is either the same
 * type or double; then the sums of floats over a block of k are converted to double before they are
 * added up.
 */
#include "math/linalg.h"
#include "math/real.h"
#include "math/simd.h"
#include "math/square.h"

#include <assert.h>
#include <stdbool.h>

/*
 * The chains are written as sum += a * b. In ISO mode GCC does not fuse this without the pragma;
 * Clang fuses it anyway. A processor without FMA rounds twice.
 *
 * Without the second pragma GCC 12 loads a vector of B again for each row of a tile of floats,
 * instead of keeping it in a register. Products are then limited by loads, 9 % slower.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast")
#pragma GCC optimize("no-rerun-cse-after-loop")
#endif

#ifdef WIDENING
typedef double result;
#define PRODUCT(name) name##_widening
#else
typedef real result;
#define PRODUCT(name) REAL(name)
#endif

enum {
    NARROW_LANES = 32 / sizeof(real), /* numbers in a vector */
    WIDE_LANES = 64 / sizeof(real),
    /* 4 x 3 sums, 3 vectors of B and one of A fill the 16 registers of AVX2. AVX-512 has 32, but
     * with 8 x 2, 8 x 3 or 4 x 4 sums a few products are up to 7 % faster and others slower. */
    TILE_ROWS = SQUARE,
    TILE_VECTORS = 3,
    STEPS = 4, /* of k per iteration of the inner loop */
    DEPTH = GEMM_DEPTH,
    HEIGHT = GEMM_HEIGHT,
};

_Static_assert((HEIGHT + TILE_VECTORS * WIDE_LANES) * DEPTH * sizeof(real) <=
                   GEMM_SCRATCH * sizeof(double),
               "packed panels exceed the scratch");
_Static_assert(HEIGHT % TILE_ROWS == 0, "blocks of rows consist of whole tiles");

/* Which part of a product is zero or not needed. */
enum shape {
    FULL,
    LOWER_RESULT, /* only the lower triangle of C */
    LOWER_FACTOR, /* op(A) = op(L) with L lower triangular */
};

struct product {
    enum shape shape;
    enum form ta, tb;
    size_t m, n, k;
    real alpha;
    const real *weight; /* k: op(A) is A diag(weight); or NULL. Only for gemm_pack_left. */
    const real *a, *b;  /* if packed: all panels, one block of k after the other */
    size_t lda, ldb;
    bool add; /* add to C instead of overwriting it */
    result *c;
    size_t ldc;
};

/* Part of a product: rows [row, row + rows) of op(A), [start, start + depth) of k. */
struct block {
    size_t row, rows, start, depth;
};

/* [from, to) of k. */
struct range {
    size_t from, to;
};

SIMD_INLINE size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

SIMD_INLINE size_t larger(size_t x, size_t y) {
    return x > y ? x : y;
}

/* Cuts `total` into equal pieces of at most `limit`; returns their size, a multiple of `unit`. */
SIMD_INLINE size_t piece(size_t total, size_t limit, size_t unit) {
    const size_t pieces = (total + limit - 1) / limit;
    const size_t even = pieces ? (total + pieces - 1) / pieces : 1;
    return (even + unit - 1) / unit * unit;
}

/* target (k x lanes) = scale * source, where row p of the source starts at source + p * ld. */
SIMD_INLINE void pack_rows(size_t lanes, size_t used, size_t k, real scale, const real *source,
                           size_t ld, real *target) {
    for (size_t p = 0; p < k; p++) {
        const real *from = source + p * ld;
        real *to = target + p * lanes;
        if (used == lanes) {
            for (size_t v = 0; v < lanes; v += SQUARE)
                *(quad *)(to + v) = *(const unaligned_quad *)(from + v) * scale;
        } else {
            for (size_t lane = 0; lane < lanes; lane++)
                to[lane] = lane < used ? from[lane] * scale : 0;
        }
    }
}

/*
 * target (k x lanes) = scale * source, where column `lane` starts at source + lane * ld. Row p is
 * also multiplied by weight[p] unless weight is NULL.
 */
SIMD_INLINE void pack_columns(size_t lanes, size_t used, size_t k, real scale, const real *weight,
                              const real *source, size_t ld, real *target) {
    const size_t squares = used == lanes ? k / SQUARE * SQUARE : 0;
    for (size_t p = 0; p < squares; p += SQUARE) {
        quad factor = (quad){0} + scale;
        if (weight)
            factor *= *(const unaligned_quad *)(weight + p);
        for (size_t v = 0; v < lanes; v += SQUARE)
            transpose_square(source + v * ld + p, ld, &factor, target + p * lanes + v, lanes);
    }
    for (size_t p = squares; p < k; p++) {
        const real factor = weight ? scale * weight[p] : scale;
        for (size_t lane = 0; lane < lanes; lane++)
            target[p * lanes + lane] = lane < used ? source[lane * ld + p] * factor : 0;
    }
}

/* The part of a block's k in which some of the rows row .. row + TILE_ROWS - 1 are not zero. */
SIMD_INLINE struct range panel_range(const struct product *x, const struct block *block,
                                     size_t row) {
    struct range k = {block->start, block->start + block->depth};
    if (x->shape == LOWER_FACTOR && x->ta == PLAIN)
        k.to = larger(smaller(row + TILE_ROWS, k.to), k.from);
    if (x->shape == LOWER_FACTOR && x->ta == TRANSPOSED)
        k.from = smaller(larger(row, k.from), k.to);
    return k;
}

/* Packs `used` rows of alpha op(A), all of whose elements in [from, to) of k may be read. */
SIMD_INLINE void pack_plain(const struct product *x, size_t row, size_t used, size_t from,
                            size_t to, real *target) {
    if (x->ta == TRANSPOSED)
        pack_rows(TILE_ROWS, used, to - from, x->alpha, x->a + from * x->lda + row, x->lda, target);
    else
        pack_columns(TILE_ROWS, used, to - from, x->alpha, x->weight ? x->weight + from : NULL,
                     x->a + row * x->lda + from, x->lda, target);
}

/* As pack_plain where the rows cross the diagonal of L: elements beyond the diagonal are zero and
 * are not read. */
SIMD_INLINE void pack_diagonal(const struct product *x, size_t row, size_t used, size_t from,
                               size_t to, real *target) {
    for (size_t p = from; p < to; p++) {
        for (size_t lane = 0; lane < TILE_ROWS; lane++) {
            const size_t i = row + lane;
            real value = 0;
            if (lane < used && x->ta == PLAIN && p <= i)
                value = x->a[i * x->lda + p] * x->alpha;
            if (lane < used && x->ta == TRANSPOSED && p >= i)
                value = x->a[p * x->lda + i] * x->alpha;
            target[(p - from) * TILE_ROWS + lane] = value;
        }
    }
}

/* Each panel takes block->depth * TILE_ROWS numbers, even if it needs only a part of k. */
SIMD_INLINE void pack_a(const struct product *x, const struct block *block, real *packed) {
    for (size_t i = 0; i < block->rows; i += TILE_ROWS) {
        const size_t row = block->row + i, used = smaller(TILE_ROWS, block->rows - i);
        const struct range k = panel_range(x, block, row);
        real *target = packed + i * block->depth + (k.from - block->start) * TILE_ROWS;
        if (x->shape != LOWER_FACTOR) {
            pack_plain(x, row, used, k.from, k.to, target);
            continue;
        }
        /* Before, on and after the square on the diagonal; one of the outer two is empty. */
        const size_t enter = larger(smaller(row, k.to), k.from);
        const size_t leave = larger(smaller(row + TILE_ROWS, k.to), k.from);
        pack_plain(x, row, used, k.from, enter, target);
        pack_diagonal(x, row, used, enter, leave, target + (enter - k.from) * TILE_ROWS);
        pack_plain(x, row, used, leave, k.to, target + (leave - k.from) * TILE_ROWS);
    }
}

SIMD_INLINE void pack_b(const struct product *x, const struct block *block, size_t column,
                        size_t width, real *packed) {
    const size_t used = smaller(width, x->n - column);
    if (x->tb == TRANSPOSED)
        pack_columns(width, used, block->depth, 1, NULL, x->b + column * x->ldb + block->start,
                     x->ldb, packed);
    else
        pack_rows(width, used, block->depth, 1, x->b + block->start * x->ldb + column, x->ldb,
                  packed);
}

/* Width, in vectors, of the next panel of B: 3, unless that would leave a slow panel of 1. */
SIMD_INLINE size_t panel_vectors(size_t lanes, size_t columns) {
    const size_t vectors = (columns + lanes - 1) / lanes;
    return vectors == 4 ? 2 : smaller(vectors, TILE_VECTORS);
}

/* m or n including the padding of the last panel. */
SIMD_INLINE size_t padded(size_t lanes, size_t n) {
    return (n + lanes - 1) / lanes * lanes;
}

#define LANES NARROW_LANES
#define BLOCK_TARGET SIMD_CLONES
#define VARIANT(name) name##_narrow
#include "math/gemm_block.h"

#define LANES WIDE_LANES
#define BLOCK_TARGET SIMD_WIDE
#define VARIANT(name) name##_wide
#include "math/gemm_block.h"

/* C = beta C, or only its lower triangle. */
static void scale(const struct product *x, real beta) {
    for (size_t i = 0; i < x->m; i++) {
        result *row = x->c + i * x->ldc;
        const size_t columns = x->shape == LOWER_RESULT ? i + 1 : x->n;
        for (size_t j = 0; j < columns; j++)
            row[j] = beta == 0 ? 0 : row[j] * (result)beta;
    }
}

static void run(const struct product *x, real beta, real *scratch) {
    assert(x->ta != PACKED || x->alpha == 1.0); /* alpha was applied while packing */
    if ((beta != 0 && beta != 1) || (x->k == 0 && beta == 0))
        scale(x, beta);
    const size_t depth = piece(x->k, DEPTH, STEPS), height = piece(x->m, HEIGHT, TILE_ROWS);
    for (size_t start = 0; start < x->k; start += depth) {
        for (size_t row = 0; row < x->m; row += height) {
            const struct block block = {row, smaller(height, x->m - row), start,
                                        smaller(depth, x->k - start)};
            (simd_is_wide_and_fuses() ? multiply_block_wide : multiply_block_narrow)(x, &block,
                                                                                     scratch);
        }
    }
}

#ifndef WIDENING
/* LANES of the multiply_block that run calls: packed panels depend on it. */
static size_t vector_lanes(void) {
    return simd_is_wide_and_fuses() ? WIDE_LANES : NARROW_LANES;
}

size_t REAL(gemm_packed_size)(size_t n, size_t k) {
    return padded(vector_lanes(), n) * k;
}

SIMD_CLONES void REAL(gemm_pack)(enum form tb, size_t n, size_t k, const real *b, size_t ldb,
                                 real *packed) {
    const struct product x = {.tb = tb, .n = n, .k = k, .b = b, .ldb = ldb};
    const size_t depth = piece(k, DEPTH, STEPS), lanes = vector_lanes();
    for (size_t start = 0; start < k; start += depth) {
        const struct block block = {0, 0, start, smaller(depth, k - start)};
        for (size_t column = 0; column < n;) {
            const size_t width = panel_vectors(lanes, n - column) * lanes;
            pack_b(&x, &block, column, width, packed);
            packed += width * block.depth;
            column += width;
        }
    }
}

SIMD_CLONES void REAL(gemm_pack_left)(size_t m, size_t k, real alpha, const real *a, size_t lda,
                                      const real *weight, real *packed) {
    const struct product x = {.m = m, .k = k, .alpha = alpha, .weight = weight, .a = a, .lda = lda};
    const size_t depth = piece(k, DEPTH, STEPS);
    for (size_t start = 0; start < k; start += depth) {
        const struct block block = {0, m, start, smaller(depth, k - start)};
        pack_a(&x, &block, packed);
        packed += padded(vector_lanes(), m) * block.depth;
    }
}
#endif

void PRODUCT(gemm)(enum form ta, enum form tb, size_t m, size_t n, size_t k, real alpha,
                   const real *a, size_t lda, const real *b, size_t ldb, real beta, result *c,
                   size_t ldc, real *scratch) {
    const struct product product = {FULL, ta, tb,  m,   n,         k, alpha, NULL,
                                    a,    b,  lda, ldb, beta != 0, c, ldc};
    run(&product, beta, scratch);
}

void PRODUCT(gemm_lower)(enum form ta, enum form tb, size_t n, size_t k, real alpha, const real *a,
                         size_t lda, const real *b, size_t ldb, real beta, result *c, size_t ldc,
                         real *scratch) {
    const struct product product = {LOWER_RESULT, ta,  tb,        n, n,  k, alpha, NULL, a, b,
                                    lda,          ldb, beta != 0, c, ldc};
    run(&product, beta, scratch);
}

#ifndef WIDENING
void REAL(trmm_lower)(enum form tl, size_t m, size_t n, real alpha, const real *l, size_t ldl,
                      const real *b, size_t ldb, real beta, result *c, size_t ldc, real *scratch) {
    const struct product product = {LOWER_FACTOR, tl,  PLAIN,     m, n,  m, alpha, NULL, l, b,
                                    ldl,          ldb, beta != 0, c, ldc};
    run(&product, beta, scratch);
}
#endif
