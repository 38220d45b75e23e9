/* SPDX-License-Identifier: Apache-2.0 */
#include "math/vector.h"

#include "math/real.h"
#include "math/simd.h"

SIMD_INLINE double fold(const double part[SUM_PARTS]) {
    return ((part[0] + part[4]) + (part[1] + part[5])) +
           ((part[2] + part[6]) + (part[3] + part[7]));
}

/* The body of a sum over i < n of a term, which may use i. */
#define FOLDED(term)                                                                               \
    double part[SUM_PARTS] = {0};                                                                  \
    size_t i = 0, whole = n / SUM_PARTS * SUM_PARTS;                                               \
    while (i < whole)                                                                              \
        for (size_t l = 0; l < SUM_PARTS; l++, i++)                                                \
            part[l] += term;                                                                       \
    for (; i < n; i++)                                                                             \
        part[i - whole] += term;                                                                   \
    return fold(part);

SIMD_CLONES double REAL(dot)(size_t n, const real *a,
                             const real *b){FOLDED((double)a[i] * (double)b[i])}

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
SIMD_CLONES double sum(size_t n, const double *a){FOLDED(a[i])}

SIMD_CLONES double dot3(size_t n, const double *a, const double *b,
                        const double *c){FOLDED(a[i] * b[i] * c[i])}

SIMD_CLONES void add_scaled(size_t n, double s, const double *a, double *out) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        out[i] += s * a[i];
}

SIMD_CLONES void narrow(size_t n, const double *a, float *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)a[i];
}
#endif
