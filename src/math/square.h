/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MATH_SQUARE_H
#define NIMGP_MATH_SQUARE_H

/* Vectors of LANES doubles, and squares of LANES x LANES of them turned over in registers. */

#include "math/simd.h"

#include <stddef.h>

enum { LANES = 4 };

typedef double vector __attribute__((vector_size(LANES * sizeof(double)), may_alias));
/* The same anywhere in memory. */
typedef double unaligned_vector
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/*
 * target (4 x 4, rows `stride` apart) = transpose of source (4 x 4, rows `ld` apart), whose columns
 * are multiplied by `scale`.
 */
SIMD_INLINE void transpose_square(const double *source, size_t ld, const vector *scale,
                                  double *target, size_t stride) {
    const vector a = *(const unaligned_vector *)source * *scale;
    const vector b = *(const unaligned_vector *)(source + ld) * *scale;
    const vector c = *(const unaligned_vector *)(source + 2 * ld) * *scale;
    const vector d = *(const unaligned_vector *)(source + 3 * ld) * *scale;
    const vector ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const vector ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const vector cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const vector cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *(unaligned_vector *)target = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    *(unaligned_vector *)(target + stride) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    *(unaligned_vector *)(target + 2 * stride) =
        __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    *(unaligned_vector *)(target + 3 * stride) =
        __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

#endif
