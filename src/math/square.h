/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Transposition of SQUARE x SQUARE numbers (real.h) in registers. */

#include "math/real.h"
#include "math/simd.h"

#include <stddef.h>

enum { SQUARE = 4 };

typedef real quad __attribute__((vector_size(SQUARE * sizeof(real)), may_alias));
/* The same type without alignment. */
typedef real unaligned_quad
    __attribute__((vector_size(SQUARE * sizeof(real)), aligned(sizeof(real)), may_alias));

/*
 * target (4 x 4, rows `stride` apart) = transpose of source (4 x 4, rows `ld` apart), whose columns
 * are multiplied by `scale`.
 */
SIMD_INLINE void transpose_square(const real *source, size_t ld, const quad *scale, real *target,
                                  size_t stride) {
    const quad a = *(const unaligned_quad *)source * *scale;
    const quad b = *(const unaligned_quad *)(source + ld) * *scale;
    const quad c = *(const unaligned_quad *)(source + 2 * ld) * *scale;
    const quad d = *(const unaligned_quad *)(source + 3 * ld) * *scale;
    const quad ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const quad ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const quad cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const quad cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *(unaligned_quad *)target = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    *(unaligned_quad *)(target + stride) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    *(unaligned_quad *)(target + 2 * stride) =
        __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    *(unaligned_quad *)(target + 3 * stride) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
