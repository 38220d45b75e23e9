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
 *
 * With several shards each part of the table has such an order of its own, with windows of
 * ORDER_WINDOW / shards rows (shards.h). A process has the orders of its parts only.
 */

#include "math/random.h"
#include "model/shards.h"

#include <stdbool.h>

enum { ORDER_BLOCK = 1024, ORDER_WINDOW = 1 << 20 };

struct order;

/* `most`: the largest number of positions in one call. NULL when out of memory. */
struct order *order_create(size_t total, struct shards shards, size_t most, uint64_t seed);
void order_free(struct order *order);

void order_start(struct order *order, uint64_t epoch);

/* This process's rows at positions start .. start+count-1 of the epoch, shard by shard, and how
 * many; valid until the next call. */
const size_t *order_rows(struct order *order, size_t start, size_t count, size_t *rows);

#endif
