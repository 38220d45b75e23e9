/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_BEST_H
#define CLI_SCORE_BEST_H

/*
 * The n highest scores of a stream. Each has a slot, a number below n, under which the caller keeps
 * what belongs to it. Of equal scores the earlier one stays.
 */

#include <stdbool.h>
#include <stddef.h>

struct candidate {
    double score;
    size_t row; /* its number in the stream */
    size_t slot;
};

struct best {
    size_t count, most;
    struct candidate *candidate; /* a heap, the worst on top */
};

/* False when out of memory. */
bool best_create(struct best *best, size_t most);

/* The slot for a newcomer, which may have been another's before; false when it is not good enough.
 */
bool best_offer(struct best *best, double score, size_t row, size_t *slot);

/* Sorts, the best first; no offers after that. */
void best_sort(struct best *best);

void best_free(struct best *best);

#endif
