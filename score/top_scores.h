/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The n highest scores of a stream. Each has a slot, a number below n, under which the caller
 * stores the data of that score. Of equal scores the earlier one is kept.
 */

#include <stdbool.h>
#include <stddef.h>

struct candidate {
    double score;
    size_t row; /* its number in the stream */
    size_t slot;
};

struct top_scores {
    size_t count, most;
    struct candidate *candidate; /* a heap, the worst on top */
};

/* False when out of memory. */
bool top_scores_create(struct top_scores *top, size_t most);

/* The slot for a new score, which may have belonged to another; false if the score is too low.
 */
bool top_scores_offer(struct top_scores *top, double score, size_t row, size_t *slot);

/* Sorts, the best first; no offers after that. */
void top_scores_sort(struct top_scores *top);

void top_scores_free(struct top_scores *top);

/* Where the two largest of these numbers stand, as far as they are above zero; the first of equals.
 * Returns how many there are. */
size_t two_largest(size_t count, const double *value, size_t place[2]);
