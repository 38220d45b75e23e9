/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_ADAM_H
#define NIMGP_TRAIN_ADAM_H

/* Adam (Kingma and Ba, 2015), uphill, with its published constants. */

#include "base/pool.h"
#include "gp/gp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADAM_BETA1 0.9
#define ADAM_BETA2 0.999
#define ADAM_FLOOR 1e-8

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

#endif
