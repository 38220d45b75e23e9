/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/score/best.h"

#include <stdlib.h>

bool best_create(struct best *best, size_t most) {
    *best = (struct best){.most = most, .candidate = calloc(most, sizeof *best->candidate)};
    return best->candidate != NULL;
}

void best_free(struct best *best) {
    free(best->candidate);
    *best = (struct best){0};
}

static bool worse(const struct candidate *a, const struct candidate *b) {
    return a->score < b->score || (a->score <= b->score && a->row > b->row);
}

static void swap(struct candidate *a, struct candidate *b) {
    struct candidate kept = *a;
    *a = *b;
    *b = kept;
}

static void sink(struct best *best, size_t at) {
    for (;;) {
        size_t worst = at, left = 2 * at + 1, right = left + 1;
        if (left < best->count && worse(&best->candidate[left], &best->candidate[worst]))
            worst = left;
        if (right < best->count && worse(&best->candidate[right], &best->candidate[worst]))
            worst = right;
        if (worst == at)
            return;
        swap(&best->candidate[at], &best->candidate[worst]);
        at = worst;
    }
}

static void rise(struct best *best, size_t at) {
    while (at && worse(&best->candidate[at], &best->candidate[(at - 1) / 2])) {
        swap(&best->candidate[at], &best->candidate[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

bool best_offer(struct best *best, double score, size_t row, size_t *slot) {
    struct candidate newcomer = {.score = score, .row = row};
    if (best->count < best->most) {
        *slot = newcomer.slot = best->count;
        best->candidate[best->count++] = newcomer;
        rise(best, best->count - 1);
        return true;
    }
    if (!best->most || !worse(&best->candidate[0], &newcomer))
        return false;
    *slot = newcomer.slot = best->candidate[0].slot;
    best->candidate[0] = newcomer;
    sink(best, 0);
    return true;
}

static int best_first(const void *left, const void *right) {
    return worse(left, right) ? 1 : -1;
}

void best_sort(struct best *best) {
    qsort(best->candidate, best->count, sizeof *best->candidate, best_first);
}
