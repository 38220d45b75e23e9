/* SPDX-License-Identifier: Apache-2.0 */
#include "score/top_scores.h"

#include <stdlib.h>

bool top_scores_create(struct top_scores *top, size_t most) {
    *top = (struct top_scores){.most = most, .candidate = calloc(most, sizeof *top->candidate)};
    return top->candidate != NULL;
}

void top_scores_free(struct top_scores *top) {
    free(top->candidate);
    *top = (struct top_scores){0};
}

static bool worse(const struct candidate *a, const struct candidate *b) {
    return a->score < b->score || (a->score <= b->score && a->row > b->row);
}

static void swap(struct candidate *a, struct candidate *b) {
    struct candidate first = *a;
    *a = *b;
    *b = first;
}

static void sink(struct top_scores *top, size_t at) {
    for (;;) {
        size_t worst = at, left = 2 * at + 1, right = left + 1;
        if (left < top->count && worse(&top->candidate[left], &top->candidate[worst]))
            worst = left;
        if (right < top->count && worse(&top->candidate[right], &top->candidate[worst]))
            worst = right;
        if (worst == at)
            return;
        swap(&top->candidate[at], &top->candidate[worst]);
        at = worst;
    }
}

static void rise(struct top_scores *top, size_t at) {
    while (at && worse(&top->candidate[at], &top->candidate[(at - 1) / 2])) {
        swap(&top->candidate[at], &top->candidate[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

bool top_scores_offer(struct top_scores *top, double score, size_t row, size_t *slot) {
    struct candidate newcomer = {.score = score, .row = row};
    if (top->count < top->most) {
        *slot = newcomer.slot = top->count;
        top->candidate[top->count++] = newcomer;
        rise(top, top->count - 1);
        return true;
    }
    if (!top->most || !worse(&top->candidate[0], &newcomer))
        return false;
    *slot = newcomer.slot = top->candidate[0].slot;
    top->candidate[0] = newcomer;
    sink(top, 0);
    return true;
}

static int best_first(const void *left, const void *right) {
    return worse(left, right) ? 1 : -1;
}

void top_scores_sort(struct top_scores *top) {
    qsort(top->candidate, top->count, sizeof *top->candidate, best_first);
}

size_t two_largest(size_t count, const double *value, size_t place[2]) {
    size_t found = 0;
    for (size_t j = 0; j < count; j++) {
        if (!(value[j] > 0.0))
            continue;
        if (found == 0 || value[j] > value[place[0]]) {
            place[1] = place[0];
            place[0] = j;
        } else if (found == 1 || value[j] > value[place[1]]) {
            place[1] = j;
        }
        found += found < 2;
    }
    return found;
}
