/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Functions of single numbers for loops that the compiler turns into vector code (special.c has
 * them in double precision). Relative errors are a few times 1e-7.
 */

#include "math/simd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

SIMD_INLINE uint32_t single_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SIMD_INLINE float single_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x) for x <= 0, zero below -87; NaN gives NaN. See exp_in_range in special.c. */
SIMD_INLINE float single_exp(float x) {
    const float shifter = 0x1.8p23f;
    float inside = x < -87.0f ? -87.0f : x; /* NaN stays */
    float shifted = inside * 0x1.715476p+0f + shifter, k = shifted - shifter;
    float r = (inside - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float q = 0x1.6c16c2p-10f;
    q = q * r + 0x1.111112p-7f;
    q = q * r + 0x1.555556p-5f;
    q = q * r + 0x1.555556p-3f;
    q = q * r + 0.5f;
    float e = 1.0f + (r + r * r * q);
    float y = single_of(single_bits(e) + (single_bits(shifted) << 23));
    return x < -87.0f ? 0.0f : y;
}

/*
 * phi(z) and Phi(z) for |z| <= 12. Q(x) = phi(x) m(x) with Mills' ratio m, and (x + 3) m(x) a
 * polynomial in t = (x - 3) / (x + 3), fitted on 0 <= x <= 14 to a relative error of 6e-8.
 */
SIMD_INLINE void single_normal(float z, float *density, float *cdf) {
    float x = fabsf(z), inverse = 1.0f / (x + 3.0f), t = 1.0f - 6.0f * inverse;
    float p = -0x1.6932b4p-11f;
    p = p * t - 0x1.2b74a2p-9f;
    p = p * t + 0x1.63e23cp-9f;
    p = p * t + 0x1.1ca240p-6f;
    p = p * t - 0x1.ae7e04p-6f;
    p = p * t - 0x1.e5339ep-4f;
    p = p * t + 0x1.2734aep-1f;
    p = p * t - 0x1.46d63cp+0f;
    p = p * t + 0x1.d3d9c6p+0f;
    float phi = 0x1.988454p-2f * single_exp(-0.5f * x * x), tail = phi * p * inverse;
    *density = phi;
    *cdf = z < 0.0f ? tail : 1.0f - tail;
}
