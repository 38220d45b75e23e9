/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With a = sqrt(5 t):  g(t) = (1 + a + a^2/3) exp(-a),  g' = -5/6 (1 + a) exp(-a),
 * g'' = 25/12 exp(-a).
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
            root[i] = sqrt(5.0 * t[start + i]);
            decay[i] = -root[i];
        }
        exp_array(count, decay, decay);
        for (size_t i = 0; i < count; i++)
            value[start + i] = scale * (1.0 + root[i] * (1.0 + root[i] * (1.0 / 3.0))) * decay[i];
        if (slope)
            for (size_t i = 0; i < count; i++)
                slope[start + i] = scale * (-5.0 / 6.0) * (1.0 + root[i]) * decay[i];
        if (curvature)
            for (size_t i = 0; i < count; i++)
                curvature[start + i] = scale * (25.0 / 12.0) * decay[i];
    }
}

SIMD_CLONES static void evaluate_single(unsigned degree, float scale, size_t n, const float *t,
                                        float *value, float *slope, float *curvature) {
    (void)degree;
    for (size_t i = 0; slope && i < n; i++) {
        float a = sqrtf(5.0f * t[i]);
        slope[i] = scale * (-5.0f / 6.0f) * (1.0f + a) * single_exp(-a);
    }
    for (size_t i = 0; curvature && i < n; i++)
        curvature[i] = scale * (25.0f / 12.0f) * single_exp(-sqrtf(5.0f * t[i]));
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) { /* last, since value may be t */
        float a = sqrtf(5.0f * t[i]);
        value[i] = scale * (1.0f + a * (1.0f + a * (1.0f / 3.0f))) * single_exp(-a);
    }
}

const struct kernel_term kernel_matern52 = {
    .argument = SQUARED_DISTANCE, .evaluate = evaluate, .evaluate_single = evaluate_single};
