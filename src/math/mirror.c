/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a matrix symmetric, one square and its mirror image at a time. */
#include "math/linalg.h"
#include "math/square.h"

SIMD_CLONES void mirror_lower(size_t n, double *a) {
    const size_t whole = n / SQUARE * SQUARE;
    const quad one = {1.0, 1.0, 1.0, 1.0};
    for (size_t i = 0; i < whole; i += SQUARE)
        for (size_t j = 0; j < i; j += SQUARE)
            transpose_square(a + i * n + j, n, &one, a + j * n + i, n);
    for (size_t i = 0; i < n; i++) /* squares on the diagonal, and the remaining rows */
        for (size_t j = i < whole ? i / SQUARE * SQUARE : 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
}

SIMD_CLONES void add_transpose(size_t n, double *a) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] += a[j * n + i];
    mirror_lower(n, a);
}
