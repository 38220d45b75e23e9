/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Many rounds of expectation maximisation, for learn.c and last.c. */

#include "population/batch.h"

#define ROUGHLY 1e-4 /* nats per row: what a round gains at least, while there are many trials */

/* One Gaussian. False if memory runs out. */
bool population_gaussian(struct population *population, const struct population_rows *rows,
                         const struct batch *batch, struct pool *pool);

/* Runs rounds, at most `most`, until one gains no more than `enough`; `pull` as in
 * population_improve. Returns the likelihood before the last round, or NaN if memory runs out. */
double population_settle(struct population *population, const struct batch *batch, double pull,
                         double enough, size_t most, struct pool *pool);
