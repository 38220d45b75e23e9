/* SPDX-License-Identifier: Apache-2.0 */
#include "train/order.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The order of the rows of one part of the table. */
struct part {
    size_t first, total; /* rows */
    size_t blocks;       /* of rows; 0 if one window holds all */
    uint64_t epoch;      /* a different number for each epoch and part */
    size_t window;       /* the one whose rows are in `row`; SIZE_MAX if none */
    size_t *block;       /* blocks: their order in this epoch */
    size_t *row;         /* of a window; counted from `first` */
};

struct order {
    struct shards shards;
    uint64_t seed;
    size_t window_rows;
    uint64_t windows;  /* of the longest part */
    struct part *part; /* one for each shard of this process */
    size_t *shuffle;   /* of a window: scratch */
    size_t *answer;
};

static size_t part_count(const struct order *order) {
    return order->shards.end - order->shards.first;
}

static bool part_create(struct part *part, size_t total, size_t shard, const struct order *order) {
    size_t parts = order->shards.count, window = order->window_rows;
    part->first = shard_part_start(total, shard, parts);
    part->total = shard_part_start(total, shard + 1, parts) - part->first;
    bool whole = part->total <= window;
    part->blocks = whole ? 0 : (part->total + ORDER_BLOCK - 1) / ORDER_BLOCK;
    part->row = calloc((whole ? part->total : window) + 1, sizeof *part->row);
    part->block = whole ? NULL : calloc(part->blocks, sizeof *part->block);
    return part->row && (whole || part->block);
}

struct order *order_create(size_t total, struct shards shards, size_t most, uint64_t seed) {
    struct order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    size_t longest = (total + shards.count - 1) / shards.count,
           window = ORDER_WINDOW / shards.count;
    order->shards = shards;
    order->seed = seed;
    order->window_rows = window;
    order->windows = (longest + window - 1) / window;
    order->part = calloc(part_count(order) + 1, sizeof *order->part);
    order->shuffle = calloc(longest <= window ? 1 : window, sizeof *order->shuffle);
    order->answer =
        calloc(part_count(order) * (most / shards.count + 1) + 1, sizeof *order->answer);
    bool good = order->part && order->shuffle && order->answer;
    for (size_t k = 0; good && k < part_count(order); k++)
        good = part_create(&order->part[k], total, shards.first + k, order);
    if (good)
        return order;
    order_free(order);
    return NULL;
}

void order_free(struct order *order) {
    if (!order)
        return;
    for (size_t k = 0; order->part && k < part_count(order); k++) {
        free(order->part[k].block);
        free(order->part[k].row);
    }
    free(order->part);
    free(order->shuffle);
    free(order->answer);
    free(order);
}

/* If the last block is shorter than the others it stays last, so that all windows are full. */
static void part_start_epoch(struct part *part, uint64_t epoch, uint64_t seed) {
    const struct random_key key = {seed, STREAM_EPOCH};
    size_t full = part->total / ORDER_BLOCK;
    part->epoch = epoch;
    part->window = SIZE_MAX;
    if (!part->blocks) {
        random_permutation(key, epoch, part->total, part->row);
        return;
    }
    random_permutation(key, epoch, full, part->block);
    if (full < part->blocks)
        part->block[full] = full;
}

void order_start(struct order *order, uint64_t epoch) {
    for (size_t k = 0; k < part_count(order); k++)
        part_start_epoch(&order->part[k], epoch * order->shards.count + order->shards.first + k,
                         order->seed);
}

/* The rows of a window, shuffled. */
static void open_window(const struct order *order, struct part *part, size_t window) {
    size_t start = window * order->window_rows, left = part->total - start;
    size_t count = left < order->window_rows ? left : order->window_rows;
    random_permutation((struct random_key){order->seed, STREAM_WINDOW},
                       part->epoch * order->windows + window, count, order->shuffle);
    for (size_t i = 0; i < count; i++) {
        size_t at = start + order->shuffle[i];
        part->row[i] = part->block[at / ORDER_BLOCK] * ORDER_BLOCK + at % ORDER_BLOCK;
    }
    part->window = window;
}

static size_t row_at(const struct order *order, struct part *part, size_t position) {
    size_t window = position / order->window_rows;
    if (part->blocks && window != part->window)
        open_window(order, part, window);
    return part->first + part->row[position % order->window_rows];
}

const size_t *order_rows(struct order *order, size_t start, size_t count, size_t *rows) {
    size_t parts = order->shards.count;
    *rows = 0;
    for (size_t k = 0; k < part_count(order); k++) {
        size_t shard = order->shards.first + k, end = shard_positions(start + count, shard, parts);
        for (size_t i = shard_positions(start, shard, parts); i < end; i++)
            order->answer[(*rows)++] = row_at(order, &order->part[k], i);
    }
    return order->answer;
}
