/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Sums of arrays whose bits do not depend on the order of the terms, so that processes can add them
 * in any order. Sums of doubles depend on the order; sums of integers do not.
 *
 * Arrays are divided into blocks of EXACT_BLOCK numbers. A block's exponent e is the least with
 * |v| < 2^e for all its numbers v in all terms. With at most 2^b terms every number becomes the
 * integer nearest to v 2^(62 - b - e); the sums of these are below 2^62. The rounding error is at
 * most half a unit of 2^(e + b - 62) per term, which is less than the rounding error of the block's
 * largest number in double precision.
 */

#include <stddef.h>
#include <stdint.h>

enum {
    EXACT_BLOCK = 256,
    EXACT_LEAST = -900,     /* smaller exponents are replaced by this one */
    EXACT_BROKEN = 1 << 20, /* the exponent of a block with a number that is not finite */
};

static inline size_t exact_blocks(size_t count) {
    return (count + EXACT_BLOCK - 1) / EXACT_BLOCK;
}

/* exponent[b] = the larger of itself and block b's own. */
void exact_exponents(size_t count, const double *values, int64_t *exponent);

/* total += values as integers, in a sum of at most `terms`. No exponent may be EXACT_BROKEN. */
void exact_add(size_t count, const double *values, const int64_t *exponent, size_t terms,
               int64_t *total);

/* The sum as doubles. */
void exact_read(size_t count, const int64_t *total, const int64_t *exponent, size_t terms,
                double *values);
