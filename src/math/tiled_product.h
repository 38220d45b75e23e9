/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "math/linalg.h"
#include "base/pool.h"

/* C = op(A) op(B) as in gemm (linalg.h), with all threads of a pool; scratch[w]: GEMM_SCRATCH
 * doubles of worker w. */
void tiled_product(struct pool *pool, double *const *scratch, enum form ta, enum form tb, size_t m,
                   size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb,
                   double *c, size_t ldc);
