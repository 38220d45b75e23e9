/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_ORDER_H
#define NIMGP_TRAIN_ORDER_H

/*
 * The order in which an epoch goes through the rows.
 *
 * Up to ORDER_WINDOW rows: a permutation of all of them. More may be larger than memory and come
 * from a file, which wants to be read in stretches: the rows are cut into blocks of ORDER_BLOCK
 * neighbours, the blocks are shuffled, and the rows of each window of ORDER_WINDOW / ORDER_BLOCK
 * blocks are shuffled among themselves. A window's rows are read while its steps last, and memory
 * does not grow with the rows but for a number a block. Both are new in each epoch.
 */

#include "math/random.h"

#include <stdbool.h>

enum { ORDER_BLOCK = 1024, ORDER_WINDOW = 1 << 20 };

struct order;

/* `most`: rows that are asked for at a time. NULL when memory runs out. */
struct order *order_create(size_t total, size_t most, uint64_t seed);
void order_free(struct order *order);

void order_start(struct order *order, uint64_t epoch);

/* Rows number start .. start+count-1 of the epoch; good until the next call. */
const size_t *order_rows(struct order *order, size_t start, size_t count);

#endif
