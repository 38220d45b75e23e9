/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_MIX_H
#define CLI_TRAINING_MIX_H

#include <stdint.h>

/* A number in 0 .. 2^64 - 1 that depends on all three (SplitMix64's mixing). */
static inline uint64_t mix(uint64_t seed, uint64_t class, uint64_t cell) {
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (class + 1) + 0xd1b54a32d192ed03u * (cell + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
