/* SPDX-License-Identifier: Apache-2.0 */
#include "math/vector.h"

#include "math/real.h"
#include "math/simd.h"

SIMD_INLINE double fold(const double part[SUM_PARTS]) {
    return ((part[0] + part[4]) + (part[1] + part[5])) +
           ((part[2] + part[6]) + (part[3] + part[7]));
}

SIMD_CLONES double REAL(dot)(size_t n, const real *a, const real *b) {
    double part[SUM_PARTS] = {0};
    size_t i = 0;
    for (; i + SUM_PARTS <= n; i += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += (double)a[i + l] * (double)b[i + l];
    for (size_t l = 0; i + l < n; l++)
        part[l] += (double)a[i + l] * (double)b[i + l];
    return fold(part);
}

SIMD_CLONES void REAL(add)(size_t n, const real *a, real *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += a[i];
}

SIMD_CLONES void REAL(scale)(size_t n, real s, real *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] *= s;
}

SIMD_CLONES void REAL(multiply)(size_t n, const real *a, const real *b, real *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

#ifndef SINGLE
SIMD_CLONES double sum(size_t n, const double *a) {
    double part[SUM_PARTS] = {0};
    size_t i = 0;
    for (; i + SUM_PARTS <= n; i += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += a[i + l];
    for (size_t l = 0; i + l < n; l++)
        part[l] += a[i + l];
    return fold(part);
}

SIMD_CLONES double dot3(size_t n, const double *a, const double *b, const double *c) {
    double part[SUM_PARTS] = {0};
    size_t i = 0;
    for (; i + SUM_PARTS <= n; i += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += a[i + l] * b[i + l] * c[i + l];
    for (size_t l = 0; i + l < n; l++)
        part[l] += a[i + l] * b[i + l] * c[i + l];
    return fold(part);
}

SIMD_CLONES void add_scaled(size_t n, double s, const double *a, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += s * a[i];
}

SIMD_CLONES void narrow(size_t n, const double *a, float *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)a[i];
}

SIMD_CLONES void widen(size_t n, const float *a, double *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = (double)a[i];
}
#endif
