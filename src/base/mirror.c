/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both sides of the diagonal made one, in squares of SQUARE x SQUARE: a square and its mirror image
 * are met at the same time, so that neither is walked through column by column.
 */
#include "base/linalg.h"
#include "base/simd.h"

enum { SQUARE = 8 };

SIMD_INLINE size_t end_of(size_t start, size_t n) {
    return start + SQUARE < n ? start + SQUARE : n;
}

SIMD_CLONES void mirror_lower(size_t n, double *a) {
    for (size_t top = 0; top < n; top += SQUARE)
        for (size_t left = 0; left <= top; left += SQUARE)
            for (size_t j = left; j < end_of(left, n); j++)
                for (size_t i = top > j ? top : j + 1; i < end_of(top, n); i++)
                    a[j * n + i] = a[i * n + j];
}

SIMD_CLONES void add_transpose(size_t n, double *a) {
    for (size_t top = 0; top < n; top += SQUARE)
        for (size_t left = 0; left <= top; left += SQUARE)
            for (size_t j = left; j < end_of(left, n); j++)
                for (size_t i = top > j ? top : j; i < end_of(top, n); i++) {
                    double both = a[i * n + j] + a[j * n + i];
                    a[i * n + j] = both;
                    a[j * n + i] = both;
                }
}
