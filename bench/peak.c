/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "peak.h"

#include "math/simd.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { CHAINS = 12, ROUNDS = 2000000, TRIES = 20, MOST_THREADS = 64 };

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Twelve chains of multiply-adds hide the latency; the sum is returned so that none is left out. */
#define MULTIPLY_ADD(name, lanes)                                                                  \
    static double name(double seed) {                                                              \
        typedef double vector __attribute__((vector_size(lanes * sizeof(double))));                \
        vector sum[CHAINS], factor, term;                                                          \
        double total = 0.0;                                                                        \
        for (int l = 0; l < lanes; l++) {                                                          \
            factor[l] = 0.999999 + seed * 1e-9;                                                    \
            term[l] = 1e-9;                                                                        \
        }                                                                                          \
        for (int c = 0; c < CHAINS; c++)                                                           \
            sum[c] = term * (double)c;                                                             \
        for (int round = 0; round < ROUNDS; round++)                                               \
            _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) sum[c] =                     \
                sum[c] * factor + term;                                                            \
        for (int c = 0; c < CHAINS; c++)                                                           \
            for (int l = 0; l < lanes; l++)                                                        \
                total += sum[c][l];                                                                \
        return total;                                                                              \
    }

/* With AVX2 or less, and with AVX-512. */
enum { LANES = 4, WIDE_LANES = 8 };
SIMD_CLONES MULTIPLY_ADD(multiply_add, LANES)
SIMD_WIDE MULTIPLY_ADD(multiply_add_wide, WIDE_LANES)

/* One try: every thread has one unit, and none begins before all have theirs. */
struct attempt {
    size_t threads;
    bool wide;
    atomic_size_t ready;
    double start[MOST_THREADS], end[MOST_THREADS], result[MOST_THREADS];
};

static void unit(void *context, size_t number, size_t worker) {
    struct attempt *attempt = context;
    atomic_fetch_add(&attempt->ready, 1);
    while (atomic_load(&attempt->ready) < attempt->threads)
        ;
    attempt->start[number] = now();
    attempt->result[number] = (attempt->wide ? multiply_add_wide : multiply_add)((double)worker);
    attempt->end[number] = now();
}

/* From when the first thread began to when the last was done. */
static double seconds(const struct attempt *attempt) {
    double start = attempt->start[0], end = attempt->end[0];
    for (size_t t = 1; t < attempt->threads; t++) {
        start = attempt->start[t] < start ? attempt->start[t] : start;
        end = attempt->end[t] > end ? attempt->end[t] : end;
    }
    return end - start;
}

double peak_gflops(struct pool *pool) {
    size_t threads = pool_threads(pool), kinds = simd_is_wide() ? 2 : 1;
    double most = 0.0;
    for (size_t t = 0; t < TRIES * kinds; t++) {
        struct attempt attempt = {.threads = threads, .wide = t % kinds == 1};
        pool_run(pool, threads, unit, &attempt);
        double lanes = attempt.wide ? WIDE_LANES : LANES;
        double rate = 2e-9 * CHAINS * lanes * (double)ROUNDS * (double)threads / seconds(&attempt);
        most = rate > most ? rate : most;
    }
    return most;
}
