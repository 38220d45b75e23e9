/* SPDX-License-Identifier: Apache-2.0 */
#include "math/tiled_product.h"

enum { TILE_ROWS = 96, TILE_COLUMNS = 192 };

struct product {
    double *const *scratch;
    enum form ta, tb;
    size_t m, n, k, lda, ldb, ldc, across;
    const double *a, *b;
    double *c;
};

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void tile(void *context, size_t unit, size_t worker) {
    const struct product *p = context;
    size_t row = unit / p->across * TILE_ROWS, column = unit % p->across * TILE_COLUMNS;
    const double *a = p->a + (p->ta == PLAIN ? row * p->lda : row);
    const double *b = p->b + (p->tb == PLAIN ? column : column * p->ldb);
    gemm(p->ta, p->tb, smaller(TILE_ROWS, p->m - row), smaller(TILE_COLUMNS, p->n - column), p->k,
         1.0, a, p->lda, b, p->ldb, 0.0, p->c + row * p->ldc + column, p->ldc, p->scratch[worker]);
}

void tiled_product(struct pool *pool, double *const *scratch, enum form ta, enum form tb, size_t m,
                   size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb,
                   double *c, size_t ldc) {
    size_t down = (m + TILE_ROWS - 1) / TILE_ROWS, across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    struct product product = {scratch, ta, tb, m, n, k, lda, ldb, ldc, across, a, b, c};
    pool_run(pool, down * across, tile, &product);
}
