/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_ADAM_H
#define NIMGP_TRAIN_ADAM_H

/* Adam (Kingma and Ba, 2015), uphill, with its published constants. */

#include "base/pool.h"
#include "gp/gp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The constants of one update. */
struct adam_step {
    double rate, correction1, correction2;
    bool single; /* moments are floats (docs/derivations/single.md) */
};

/* `visit` counts the updates of the parameters from 1. */
struct adam_step adam_step(double rate, uint64_t visit, bool single);

/* Updates consecutive parameters. */
void adam_update(size_t n, struct adam_step step, const double *gradient, double *theta,
                 union gp_matrix moment1, union gp_matrix moment2);

/* The same with all threads of a pool. */
void adam_update_pooled(struct pool *pool, size_t n, struct adam_step step, const double *gradient,
                        double *theta, union gp_matrix moment1, union gp_matrix moment2);

/* What updates number `from` + 1 to `to` of consecutive parameters do if their gradient is zero:
 * the parameters move on by their moments, which decay. */
void adam_coast(size_t n, double rate, uint64_t from, uint64_t to, double *theta, double *moment1,
                double *moment2);

#endif
