/* SPDX-License-Identifier: Apache-2.0 */
/* g(t) = 1 + t, g' = 1, g'' = 0: a plane. Its value at the origin has the variance s2, and its
 * slope along attribute j has the variance s2 / lambda_j^2. */
#include "math/simd.h"
#include "kernel/kernel.h"

SIMD_CLONES static void evaluate(unsigned degree, double scale, size_t n, const double *t,
                                 double *value, double *slope, double *curvature) {
    (void)degree;
    for (size_t i = 0; i < n; i++)
        value[i] = scale * (1.0 + t[i]);
    for (size_t i = 0; slope && i < n; i++)
        slope[i] = scale;
    for (size_t i = 0; curvature && i < n; i++)
        curvature[i] = 0.0;
}

SIMD_CLONES static void evaluate_single(unsigned degree, float scale, size_t n, const float *t,
                                        float *value, float *slope, float *curvature) {
    (void)degree;
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        value[i] = scale * (1.0f + t[i]);
    for (size_t i = 0; slope && i < n; i++)
        slope[i] = scale;
    for (size_t i = 0; curvature && i < n; i++)
        curvature[i] = 0.0f;
}

const struct kernel_term kernel_linear = {
    .argument = DOT_PRODUCT, .evaluate = evaluate, .evaluate_single = evaluate_single};
