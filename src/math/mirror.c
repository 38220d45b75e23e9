/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides of the diagonal made one, a square and its mirror image at a time. */
#include "math/linalg.h"
#include "math/square.h"

SIMD_CLONES void mirror_lower(size_t n, double *a) {
    const size_t whole = n / LANES * LANES;
    const vector one = {1.0, 1.0, 1.0, 1.0};
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t j = 0; j < i; j += LANES)
            transpose_square(a + i * n + j, n, &one, a + j * n + i, n);
    for (size_t i = 0; i < n; i++) /* squares on the diagonal, and what is left over below */
        for (size_t j = i < whole ? i / LANES * LANES : 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
}

SIMD_CLONES void add_transpose(size_t n, double *a) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] += a[j * n + i];
    mirror_lower(n, a);
}
