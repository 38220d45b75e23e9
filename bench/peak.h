/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "base/pool.h"

/* Seconds since some moment. */
double now(void);

/*
 * Gflop/s of independent double-precision multiply-adds on all of a pool's threads at once, with
 * vectors of AVX2 or, if the processor has it and is faster with them, of AVX-512: the best of some
 * tries, since at first threads may have to be spread over the cores.
 */
double peak_gflops(struct pool *pool);

#endif
