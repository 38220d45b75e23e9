/* SPDX-License-Identifier: Apache-2.0 */
/* g(t) = exp(-t/2), g' = -g/2, g'' = g/4. */
#include "math/simd.h"
#include "math/single.h"
#include "math/special.h"
#include "kernel/kernel.h"

SIMD_CLONES static void evaluate(unsigned degree, double scale, size_t n, const double *t,
                                 double *value, double *slope, double *curvature) {
    (void)degree;
    exp_scaled_array(n, scale, -0.5, t, value);
    if (slope)
        for (size_t i = 0; i < n; i++)
            slope[i] = -0.5 * value[i];
    if (curvature)
        for (size_t i = 0; i < n; i++)
            curvature[i] = 0.25 * value[i];
}

SIMD_CLONES static void evaluate_single(unsigned degree, float scale, size_t n, const float *t,
                                        float *value, float *slope, float *curvature) {
    (void)degree;
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        value[i] = scale * single_exp(-0.5f * t[i]);
    for (size_t i = 0; slope && i < n; i++)
        slope[i] = -0.5f * value[i];
    for (size_t i = 0; curvature && i < n; i++)
        curvature[i] = 0.25f * value[i];
}

const struct kernel_term kernel_squared_exponential = {
    .argument = SQUARED_DISTANCE, .evaluate = evaluate, .evaluate_single = evaluate_single};
