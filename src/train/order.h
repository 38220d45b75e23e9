/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_ORDER_H
#define NIMGP_TRAIN_ORDER_H

/*
 * The order of the rows in an epoch.
 *
 * Up to ORDER_WINDOW rows, it is a random permutation. Longer tables may be larger than memory and
 * in a file, from which consecutive rows are read faster. Their rows are divided into blocks of
 * ORDER_BLOCK neighbours, the blocks are shuffled, and the rows of each window of ORDER_WINDOW /
 * ORDER_BLOCK blocks are shuffled. So only one window is read at a time, and memory grows only by
 * one number per block. Each epoch has a new order.
 */

#include "math/random.h"

#include <stdbool.h>

enum { ORDER_BLOCK = 1024, ORDER_WINDOW = 1 << 20 };

struct order;

/* `most`: the largest number of rows in one call. NULL when out of memory. */
struct order *order_create(size_t total, size_t most, uint64_t seed);
void order_free(struct order *order);

void order_start(struct order *order, uint64_t epoch);

/* Rows start .. start+count-1 of the epoch; valid until the next call. */
const size_t *order_rows(struct order *order, size_t start, size_t count);

#endif
