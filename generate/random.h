/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* splitmix64: separate from the library's generator, so that the problems do not change with the
 * library. */

#include <math.h>
#include <stdint.h>

#define PI 3.14159265358979323846

static inline uint64_t next_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In (0, 1), never 0 nor 1. */
static inline double next_uniform(uint64_t *state) {
    return ((double)(next_bits(state) >> 12) + 0.5) * 0x1p-52;
}

/* log N(x; mean, variance) */
static inline double log_normal(double x, double mean, double variance) {
    return -0.5 * ((x - mean) * (x - mean) / variance + log(2.0 * PI * variance));
}

static inline double next_normal(uint64_t *state) {
    double radius = sqrt(-2.0 * log(next_uniform(state)));
    return radius * cos(2.0 * PI * next_uniform(state));
}
