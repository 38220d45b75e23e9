/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Counter-based random numbers: every number is a pure function of its name (seed, stream, step,
 * row, index), so results depend neither on the order of the calls nor on the number of threads.
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
 * 1, 2, 3; SC 2011), a keyed bijection of 128-bit counters. The name is its input:
 *
 *     counter = (block, stream, row low, row high)      key = mix(mix(seed) + step)
 *
 * where each block yields two numbers and mix is the 64-bit finaliser of splitmix64, a bijection.
 * So for one seed, distinct (stream, step, row) always have distinct (counter, key). Two sequences
 * with different seeds share a key only with probability 2^-64.
 *
 * Uniform, normal and other numbers are functions of the same bits, so each purpose needs its own
 * stream. A sequence has at most 2^33 numbers.
 */
struct random_key {
    uint64_t seed;
    uint32_t stream;
};

/*
 * out[i], i < n: the i-th number of the sequence (key, step, row), uniform in the open interval
 * (0, 1) with 52 random bits or standard normal. Any prefix length gives the same numbers.
 */
void random_uniform(struct random_key key, uint64_t step, uint64_t row, size_t n, double *out);
void random_normal(struct random_key key, uint64_t step, uint64_t row, size_t n, double *out);

/* Uniform in 0 .. bound - 1, up to a bias of bound / 2^64. Zero if bound is zero. */
uint64_t random_below(struct random_key key, uint64_t step, uint64_t row, uint64_t bound);

/* out = a uniformly random permutation of 0 .. n-1, made from the row UINT64_MAX. */
void random_permutation(struct random_key key, uint64_t step, size_t n, size_t *out);

/* The raw generator: out = Philox4x32-10(counter, key), exposed for known-answer tests. */
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
