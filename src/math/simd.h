/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h> /* with glibc this also defines __GLIBC__ */
#include <string.h>

/*
 * SIMD_CLONES before a function definition compiles the function twice, for the baseline and for
 * AVX2 + FMA machines; the loader picks one (an "ifunc"). The resolvers run before a sanitizer has
 * set up its shadow memory, hence no clones in sanitized builds.
 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) &&           \
    defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIMD_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#define SIMD_HAS_CLONES 1
#else
#define SIMD_CLONES
#define SIMD_HAS_CLONES 0
#endif

/*
 * SIMD_INLINE: helpers that must be inlined into their caller, so that each clone vectorises them
 * with its own instruction set.
 */
#define SIMD_INLINE static inline __attribute__((always_inline))

/*
 * SIMD_AVX2 marks functions that use AVX2 intrinsics (<immintrin.h>) and are called only after
 * __builtin_cpu_supports("avx2"), SIMD_AVX2_INLINE their helpers. Undefined where unavailable.
 */
#if defined(__x86_64__)
#define SIMD_AVX2 __attribute__((target("avx2")))
#define SIMD_AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))
#endif

/*
 * SIMD_WIDE marks a function that is compiled for AVX-512 with the widest vectors, and called only
 * if simd_is_wide(). Each element has the same operations as in a function with SIMD_CLONES and
 * therefore the same bits, unless it has multiply-adds, see below. Tests define SIMD_NARROW as 1 to
 * run what a processor without AVX-512 runs.
 */
#ifndef SIMD_NARROW
#define SIMD_NARROW 0
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__)
#define SIMD_WIDE __attribute__((target("arch=x86-64-v4,prefer-vector-width=512")))
static inline int simd_is_wide(void) {
    return !SIMD_NARROW && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("bmi2");
}
#else
#define SIMD_WIDE
static inline int simd_is_wide(void) {
    return 0;
}
#endif

/* The same for functions with multiply-adds. In builds without clones (sanitized, or without glibc)
 * only SIMD_WIDE functions would fuse them, and the bits would depend on the processor. */
static inline int simd_is_wide_and_fuses(void) {
    return SIMD_HAS_CLONES && simd_is_wide();
}

/*
 * SIMD_LOOP before a `for`: iterations touch only their own index, so arrays may coincide (in-place
 * use) without forcing the compiler into scalar code.
 */
#if defined(__clang__)
#define SIMD_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIMD_LOOP _Pragma("GCC ivdep")
#endif

/* The bits of a double as an integer and back: for branch-free work on signs and exponents. */
SIMD_INLINE uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SIMD_INLINE double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
