/* SPDX-License-Identifier: Apache-2.0 */
#include "score/scatter.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_KEPT = 1 << 18 };

#define FAR 5.0

bool scatter_add(struct scatter *scatter, double r, double weight) {
    scatter->stride = scatter->stride ? scatter->stride : 1;
    if (scatter->rows++ % scatter->stride || !(weight > 0.0))
        return true;
    if (scatter->kept == MOST_KEPT) {
        scatter->kept /= 2;
        scatter->stride *= 2;
        for (size_t i = 0; i < scatter->kept; i++)
            scatter->miss[i] = scatter->miss[2 * i];
    }
    if (scatter->kept == scatter->room) {
        size_t room = 2 * scatter->room + 1024;
        struct miss *grown = realloc(scatter->miss, room * sizeof *grown);
        if (!grown)
            return false;
        scatter->miss = grown;
        scatter->room = room;
    }
    scatter->miss[scatter->kept++] = (struct miss){r, weight};
    return true;
}

static int by_size(const void *left, const void *right) {
    double a = ((const struct miss *)left)->r, b = ((const struct miss *)right)->r;
    return (a > b) - (a < b);
}

/* The middle of the values that have half of the weight on either side. Sorts the rows. */
static double median(struct scatter *scatter) {
    double total = 0.0, below = 0.0;
    size_t low = 0;
    qsort(scatter->miss, scatter->kept, sizeof *scatter->miss, by_size);
    for (size_t i = 0; i < scatter->kept; i++)
        total += scatter->miss[i].weight;
    while (low + 1 < scatter->kept && below + scatter->miss[low].weight < 0.5 * total)
        below += scatter->miss[low++].weight;
    bool between = low + 1 < scatter->kept && below + scatter->miss[low].weight <= 0.5 * total;
    return 0.5 * (scatter->miss[low].r + scatter->miss[low + between].r);
}

void scatter_find(struct scatter *scatter, struct score *width, struct score *outliers) {
    *width = *outliers = (struct score){(double)NAN, (double)NAN};
    if (!scatter->kept)
        return;
    double middle = median(scatter), total = 0.0, squares = 0.0, far = 0.0;
    for (size_t i = 0; i < scatter->kept; i++)
        scatter->miss[i].r = fabs(scatter->miss[i].r - middle);
    width->value = 1.4826 * median(scatter);
    for (size_t i = 0; i < scatter->kept; i++) {
        double weight = scatter->miss[i].weight;
        total += weight;
        squares += weight * weight;
        far += scatter->miss[i].r > FAR * width->value ? weight : 0.0;
    }
    *outliers = weighted_share_of(far, total, squares);
}

void scatter_free(struct scatter *scatter) {
    free(scatter->miss);
    *scatter = (struct scatter){0};
}
