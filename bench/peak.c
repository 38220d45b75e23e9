/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "peak.h"

#include "base/simd.h"

#include <stdlib.h>
#include <time.h>

enum { CHAINS = 12, LANES = 4, ROUNDS = 2000000, TRIES = 5 };

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Twelve chains of multiply-adds hide the latency; the sum is returned so that none is left out. */
SIMD_CLONES static double multiply_add(double seed) {
    vector sum[CHAINS], factor, term;
    for (int l = 0; l < LANES; l++) {
        factor[l] = 0.999999 + seed * 1e-9;
        term[l] = 1e-9;
    }
    for (int c = 0; c < CHAINS; c++)
        sum[c] = term * (double)c;
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * factor + term;
    double total = 0.0;
    for (int c = 0; c < CHAINS; c++)
        for (int l = 0; l < LANES; l++)
            total += sum[c][l];
    return total;
}

static void unit(void *context, size_t number, size_t worker) {
    ((double *)context)[number] = multiply_add((double)worker);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double peak_gflops(struct pool *pool) {
    size_t threads = pool_threads(pool);
    double rate[TRIES], result[64];
    for (int t = 0; t < TRIES; t++) {
        double start = now();
        pool_run(pool, threads, unit, result);
        rate[t] = 2e-9 * CHAINS * LANES * (double)ROUNDS * (double)threads / (now() - start);
    }
    qsort(rate, TRIES, sizeof *rate, by_size);
    return rate[TRIES / 2];
}
