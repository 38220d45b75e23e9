/* SPDX-License-Identifier: Apache-2.0 */
#include "math/exact_sum.h"

#include "math/simd.h"

#include <math.h>

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

void exact_add(size_t count, const double *values, const int64_t *exponent, size_t terms,
               int64_t *total) {
    for (size_t b = 0; b < exact_blocks(count); b++) {
        const double *v = values + b * EXACT_BLOCK;
        int64_t *sum = total + b * EXACT_BLOCK;
        double unit = ldexp(1.0, shift_of(exponent[b], terms));
        size_t n = block_size(count, b);
        for (size_t i = 0; i < n; i++)
            sum[i] += (int64_t)llrint(v[i] * unit);
    }
}

void exact_read(size_t count, const int64_t *total, const int64_t *exponent, size_t terms,
                double *values) {
    for (size_t b = 0; b < exact_blocks(count); b++) {
        const int64_t *sum = total + b * EXACT_BLOCK;
        double *v = values + b * EXACT_BLOCK, unit = ldexp(1.0, -shift_of(exponent[b], terms));
        size_t n = block_size(count, b);
        for (size_t i = 0; i < n; i++)
            v[i] = (double)sum[i] * unit;
    }
}
