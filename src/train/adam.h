/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_ADAM_H
#define NIMGP_TRAIN_ADAM_H

/* Adam (Kingma and Ba, 2015), uphill, with its published constants. */

#include "base/pool.h"

#include <stddef.h>
#include <stdint.h>

/* Updates consecutive parameters; `visit` counts their updates from 1. */
void adam_update(size_t n, double rate, uint64_t visit, const double *gradient, double *theta,
                 double *moment1, double *moment2);

/* The same with all threads of a pool. */
void adam_update_pooled(struct pool *pool, size_t n, double rate, uint64_t visit,
                        const double *gradient, double *theta, double *moment1, double *moment2);

#endif
