/* SPDX-License-Identifier: Apache-2.0 */
#include "train/order.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

struct order {
    size_t total, blocks; /* rows; blocks of rows, 0 if one window holds all */
    uint64_t seed, epoch;
    size_t window;   /* the one whose rows are in `row`; SIZE_MAX if none */
    size_t *block;   /* blocks: their order in this epoch */
    size_t *row;     /* of a window */
    size_t *shuffle; /* of a window: scratch */
    size_t *answer;  /* most */
};

struct order *order_create(size_t total, size_t most, uint64_t seed) {
    struct order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    bool whole = total <= ORDER_WINDOW;
    size_t window = whole ? total : ORDER_WINDOW;
    order->total = total;
    order->blocks = whole ? 0 : (total + ORDER_BLOCK - 1) / ORDER_BLOCK;
    order->seed = seed;
    order->window = SIZE_MAX;
    order->row = calloc(window + 1, sizeof *order->row);
    order->shuffle = whole ? NULL : calloc(window, sizeof *order->shuffle);
    order->block = whole ? NULL : calloc(order->blocks, sizeof *order->block);
    order->answer = whole ? NULL : calloc(most, sizeof *order->answer);
    if (order->row && (whole || (order->shuffle && order->block && order->answer)))
        return order;
    order_free(order);
    return NULL;
}

void order_free(struct order *order) {
    if (!order)
        return;
    free(order->block);
    free(order->row);
    free(order->shuffle);
    free(order->answer);
    free(order);
}

/* If the last block is shorter than the others it stays last, so that all windows are full. */
void order_start(struct order *order, uint64_t epoch) {
    const struct random_key key = {order->seed, STREAM_EPOCH};
    size_t full = order->total / ORDER_BLOCK;
    order->epoch = epoch;
    order->window = SIZE_MAX;
    if (!order->blocks) {
        random_permutation(key, epoch, order->total, order->row);
        return;
    }
    random_permutation(key, epoch, full, order->block);
    if (full < order->blocks)
        order->block[full] = full;
}

/* The rows of a window, shuffled. */
static void open_window(struct order *order, size_t window) {
    size_t start = window * ORDER_WINDOW, left = order->total - start;
    size_t count = left < ORDER_WINDOW ? left : ORDER_WINDOW;
    uint64_t windows = (order->total + ORDER_WINDOW - 1) / ORDER_WINDOW;
    random_permutation((struct random_key){order->seed, STREAM_WINDOW},
                       order->epoch * windows + window, count, order->shuffle);
    for (size_t i = 0; i < count; i++) {
        size_t at = start + order->shuffle[i];
        order->row[i] = order->block[at / ORDER_BLOCK] * ORDER_BLOCK + at % ORDER_BLOCK;
    }
    order->window = window;
}

const size_t *order_rows(struct order *order, size_t start, size_t count) {
    if (!order->blocks)
        return order->row + start;
    for (size_t i = 0; i < count; i++) {
        size_t window = (start + i) / ORDER_WINDOW;
        if (window != order->window)
            open_window(order, window);
        order->answer[i] = order->row[(start + i) % ORDER_WINDOW];
    }
    return order->answer;
}
