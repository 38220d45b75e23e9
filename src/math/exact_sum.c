/* SPDX-License-Identifier: Apache-2.0 */
#include "math/exact_sum.h"

#include "math/simd.h"

#include <math.h>
#include <stdbool.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__)
#include <immintrin.h>
#define SIMD_CONVERTS /* as SIMD_WIDE */
#endif

enum { SUM_BITS = 62, PARTS = 8 };

/* The largest |v|, or NaN if a number is not finite. */
SIMD_CLONES static double largest_size(size_t n, const double *v) {
    double largest[PARTS] = {0}, trouble[PARTS] = {0};
    size_t whole = n / PARTS * PARTS;
    for (size_t i = 0; i < whole; i += PARTS)
        for (size_t l = 0; l < PARTS; l++) {
            double size = fabs(v[i + l]);
            largest[l] = size > largest[l] ? size : largest[l];
            trouble[l] += 0.0 * size; /* NaN for NaN and infinity, 0 otherwise */
        }
    for (size_t i = whole; i < n; i++) {
        double size = fabs(v[i]);
        largest[0] = size > largest[0] ? size : largest[0];
        trouble[0] += 0.0 * size;
    }
    for (size_t l = 1; l < PARTS; l++) {
        largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
        trouble[0] += trouble[l];
    }
    return largest[0] + trouble[0];
}

static int64_t exponent_of(double largest) {
    int exponent = EXACT_LEAST;
    if (isnan(largest))
        return EXACT_BROKEN;
    if (largest > 0.0)
        frexp(largest, &exponent);
    return exponent > EXACT_LEAST ? exponent : EXACT_LEAST;
}

static size_t block_size(size_t count, size_t block) {
    size_t left = count - block * EXACT_BLOCK;
    return left < EXACT_BLOCK ? left : EXACT_BLOCK;
}

void exact_exponents(size_t count, const double *values, int64_t *exponent) {
    for (size_t b = 0; b < exact_blocks(count); b++) {
        int64_t own = exponent_of(largest_size(block_size(count, b), values + b * EXACT_BLOCK));
        exponent[b] = own > exponent[b] ? own : exponent[b];
    }
}

/* Binary exponent of the factor by which the numbers of a block are multiplied: 62 - b - e. */
static int shift_of(int64_t exponent, size_t terms) {
    int bits = 0;
    while (((size_t)1 << bits) < terms)
        bits++;
    return SUM_BITS - bits - (int)exponent;
}

/* sum += the integers nearest to v unit, of one block. */
static void add_block(size_t n, const double *v, double unit, int64_t *sum) {
    for (size_t i = 0; i < n; i++)
        sum[i] += (int64_t)llrint(v[i] * unit);
}

static void read_block(size_t n, const int64_t *sum, double unit, double *v) {
    for (size_t i = 0; i < n; i++)
        v[i] = (double)sum[i] * unit;
}

/* The same with conversions of vectors, which only AVX-512 has. The bits are the same: both round
 * to the nearest number, in case of a tie to the even one. */
#ifdef SIMD_CONVERTS
SIMD_WIDE static void add_block_wide(size_t n, const double *v, double unit, int64_t *sum) {
    const __m512d factor = _mm512_set1_pd(unit);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512i term = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_loadu_pd(v + i), factor));
        _mm512_storeu_si512(sum + i, _mm512_add_epi64(_mm512_loadu_si512(sum + i), term));
    }
    add_block(n - i, v + i, unit, sum + i);
}

SIMD_WIDE static void read_block_wide(size_t n, const int64_t *sum, double unit, double *v) {
    const __m512d factor = _mm512_set1_pd(unit);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512d number = _mm512_cvtepi64_pd(_mm512_loadu_si512(sum + i));
        _mm512_storeu_pd(v + i, _mm512_mul_pd(number, factor));
    }
    read_block(n - i, sum + i, unit, v + i);
}
#else
#define add_block_wide add_block
#define read_block_wide read_block
#endif

void exact_add(size_t count, const double *values, const int64_t *exponent, size_t terms,
               int64_t *total) {
    bool wide = simd_is_wide();
    for (size_t b = 0; b < exact_blocks(count); b++) {
        double unit = ldexp(1.0, shift_of(exponent[b], terms));
        (wide ? add_block_wide : add_block)(block_size(count, b), values + b * EXACT_BLOCK, unit,
                                            total + b * EXACT_BLOCK);
    }
}

void exact_read(size_t count, const int64_t *total, const int64_t *exponent, size_t terms,
                double *values) {
    bool wide = simd_is_wide();
    for (size_t b = 0; b < exact_blocks(count); b++) {
        double unit = ldexp(1.0, -shift_of(exponent[b], terms));
        (wide ? read_block_wide : read_block)(block_size(count, b), total + b * EXACT_BLOCK, unit,
                                              values + b * EXACT_BLOCK);
    }
}
