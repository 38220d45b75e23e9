/* SPDX-License-Identifier: Apache-2.0 */
/* g(t) = (1 + t)^p, g' = p (1 + t)^(p-1), g'' = p (p-1) (1 + t)^(p-2), for whole p >= 1. */
#include "math/simd.h"
#include "kernel/kernel.h"

/* power[i] = factor (1 + t_i)^p by repeated squaring, whole pieces at a time so that it vectorises.
 */
SIMD_CLONES static void powers(double factor, unsigned p, size_t n, const double *t,
                               double *power) {
    enum { CHUNK = 256 };
    double base[CHUNK], result[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        for (size_t i = 0; i < count; i++) {
            base[i] = 1.0 + t[start + i];
            result[i] = factor;
        }
        for (unsigned bits = p; bits; bits >>= 1) {
            if (bits & 1)
                for (size_t i = 0; i < count; i++)
                    result[i] *= base[i];
            for (size_t i = 0; i < count; i++)
                base[i] *= base[i];
        }
        for (size_t i = 0; i < count; i++)
            power[start + i] = result[i];
    }
}

static void evaluate(unsigned degree, double scale, size_t n, const double *t, double *value,
                     double *slope, double *curvature) {
    double p = degree;
    if (curvature)
        powers(scale * p * (p - 1.0), degree >= 2 ? degree - 2 : 0, n, t, curvature);
    if (slope)
        powers(scale * p, degree - 1, n, t, slope);
    powers(scale, degree, n, t, value); /* last, since value may be t */
}

SIMD_CLONES static void powers_single(float factor, unsigned p, size_t n, const float *t,
                                      float *power) {
    enum { CHUNK = 256 };
    float base[CHUNK], result[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        for (size_t i = 0; i < count; i++) {
            base[i] = 1.0f + t[start + i];
            result[i] = factor;
        }
        for (unsigned k = 0; k < p; k++)
            for (size_t i = 0; i < count; i++)
                result[i] *= base[i];
        for (size_t i = 0; i < count; i++)
            power[start + i] = result[i];
    }
}

static void evaluate_single(unsigned degree, float scale, size_t n, const float *t, float *value,
                            float *slope, float *curvature) {
    float p = (float)degree;
    if (curvature)
        powers_single(scale * p * (p - 1.0f), degree >= 2 ? degree - 2 : 0, n, t, curvature);
    if (slope)
        powers_single(scale * p, degree - 1, n, t, slope);
    powers_single(scale, degree, n, t, value); /* last, since value may be t */
}

const struct kernel_term kernel_polynomial = {
    .argument = DOT_PRODUCT,
    .uses_degree = 1,
    .evaluate = evaluate,
    .evaluate_single = evaluate_single,
};
