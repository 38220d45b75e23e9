/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/*
 * The leading 128 bits of 10^k, truncated: 10^k = (high 2^64 + low + r) 2^e with 0 <= r < 1, the
 * top bit of high set and e = floor(k log2 10) - 127. r = 0 for k = 0 .. 55 and nowhere else; low
 * is never all ones.
 */
struct power_of_ten {
    uint64_t high, low;
};

enum { LEAST_POWER = -342, MOST_POWER = 324 };

/* floor(k log2 10) for all these k. */
static inline int floor_log2_of_power(int k) {
    return (k * 217706) >> 16;
}

extern const struct power_of_ten powers_of_ten[MOST_POWER - LEAST_POWER + 1];
