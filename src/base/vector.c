/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vector.h"

#include "base/simd.h"

enum { LANES = 8 };

SIMD_INLINE double fold(const double lane[LANES]) {
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

SIMD_CLONES double sum(size_t n, const double *a) {
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += a[i + l];
    for (size_t l = 0; i + l < n; l++)
        lane[l] += a[i + l];
    return fold(lane);
}

SIMD_CLONES double dot(size_t n, const double *a, const double *b) {
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    for (size_t l = 0; i + l < n; l++)
        lane[l] += a[i + l] * b[i + l];
    return fold(lane);
}

SIMD_CLONES double dot3(size_t n, const double *a, const double *b, const double *c) {
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l] * c[i + l];
    for (size_t l = 0; i + l < n; l++)
        lane[l] += a[i + l] * b[i + l] * c[i + l];
    return fold(lane);
}

SIMD_CLONES void add(size_t n, const double *a, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += a[i];
}

SIMD_CLONES void add_scaled(size_t n, double s, const double *a, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += s * a[i];
}

SIMD_CLONES void add_product(size_t n, const double *a, const double *b, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += a[i] * b[i];
}

SIMD_CLONES void scale(size_t n, double s, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] *= s;
}

SIMD_CLONES void multiply(size_t n, const double *a, const double *b, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}
