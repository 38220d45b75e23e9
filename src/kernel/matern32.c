/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With a = sqrt(3 t):  g(t) = (1 + a) exp(-a),  g' = -3/2 exp(-a),  g'' = 9/4 exp(-a) / a.
 * g'' has a pole at t = 0, which the factors (x - x')^2 cancel; the code keeps a above zero there.
 */
#include "math/simd.h"
#include "math/single.h"
#include "math/special.h"
#include "kernel/kernel.h"

#include <math.h>

SIMD_CLONES static void evaluate(unsigned degree, double scale, size_t n, const double *t,
                                 double *value, double *slope, double *curvature) {
    (void)degree;
    enum { CHUNK = 256 }; /* exp(-a) is wanted several times; keep a piece of it in the cache */
    double root[CHUNK], decay[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        for (size_t i = 0; i < count; i++) {
            root[i] = sqrt(3.0 * t[start + i]);
            decay[i] = -root[i];
        }
        exp_array(count, decay, decay);
        for (size_t i = 0; i < count; i++)
            value[start + i] = scale * (1.0 + root[i]) * decay[i];
        if (slope)
            for (size_t i = 0; i < count; i++)
                slope[start + i] = scale * -1.5 * decay[i];
        if (curvature)
            for (size_t i = 0; i < count; i++)
                curvature[start + i] =
                    scale * 2.25 * decay[i] / (root[i] > 1e-15 ? root[i] : 1e-15);
    }
}

SIMD_INLINE void values_single(float scale, size_t n, const float *t, float *value) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) {
        float a = sqrtf(3.0f * t[i]);
        value[i] = scale * (1.0f + a) * single_exp(-a);
    }
}

SIMD_CLONES static void values_narrow(float scale, size_t n, const float *t, float *value) {
    values_single(scale, n, t, value);
}

SIMD_WIDE static void values_wide(float scale, size_t n, const float *t, float *value) {
    values_single(scale, n, t, value);
}

SIMD_CLONES static void slopes_single(float scale, size_t n, const float *t, float *slope,
                                      float *curvature) {
    for (size_t i = 0; slope && i < n; i++)
        slope[i] = scale * -1.5f * single_exp(-sqrtf(3.0f * t[i]));
    for (size_t i = 0; curvature && i < n; i++) {
        float a = sqrtf(3.0f * t[i]);
        curvature[i] = scale * 2.25f * single_exp(-a) / (a > 1e-7f ? a : 1e-7f);
    }
}

static void evaluate_single(unsigned degree, float scale, size_t n, const float *t, float *value,
                            float *slope, float *curvature) {
    (void)degree;
    slopes_single(scale, n, t, slope, curvature); /* first, since value may be t */
    (simd_is_wide() ? values_wide : values_narrow)(scale, n, t, value);
}

const struct kernel_term kernel_matern32 = {
    .argument = SQUARED_DISTANCE, .evaluate = evaluate, .evaluate_single = evaluate_single};
