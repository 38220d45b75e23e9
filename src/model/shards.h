/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which rows belong to which process, in a training by several (parallel_bound.h).
 *
 * The rows of a step are divided into shards. The table is divided into as many consecutive parts
 * of equal size, and shard s of every step takes its rows from part s. So a process, which has
 * consecutive shards, only ever needs the rows of its own consecutive parts.
 *
 * The positions of an epoch are dealt to the shards in turn: position i belongs to shard i mod K,
 * as number i / K of its part. So each row comes once in an epoch, and a step of B rows has B / K
 * rows of each part, rounded up or down; which parts have one more changes from step to step. If
 * K does not divide the number of rows, the first parts have one row more than the others.
 */

#include "base/collectives.h"

struct shards {
    size_t count;      /* K: of a step. It depends on the shape of the problem only */
    size_t first, end; /* this process has shards first .. end-1 */
};

/* A process that trains alone has all rows. */
static inline struct shards shards_alone(void) {
    return (struct shards){.count = 1, .first = 0, .end = 1};
}

/* The shards of one of several processes. */
static inline struct shards shards_of(size_t count, size_t rank, size_t processes) {
    return (struct shards){.count = count,
                           .first = part_start(count, rank, processes),
                           .end = part_start(count, rank + 1, processes)};
}

/* How many of the first `positions` positions of an epoch belong to the shard. */
static inline size_t shard_positions(size_t positions, size_t shard, size_t count) {
    return positions / count + (shard < positions % count);
}

/* The first row of a shard's part of the table; of shard K, the number of rows. */
static inline size_t shard_part_start(size_t rows, size_t shard, size_t count) {
    size_t longer = rows % count;
    return rows / count * shard + (shard < longer ? shard : longer);
}
