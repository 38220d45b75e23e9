/* SPDX-License-Identifier: Apache-2.0 */
#include "score/ranking.h"

#include <math.h>

#define WIDEST_LOGIT 10.0

static size_t bin_of(double p) {
    double logit = fmin(fmax(log(p / (1.0 - p)), -WIDEST_LOGIT), WIDEST_LOGIT);
    size_t bin = (size_t)((logit / WIDEST_LOGIT + 1.0) * 0.5 * RANKING_BINS);
    return bin < RANKING_BINS ? bin : RANKING_BINS - 1;
}

void rankings_add(struct ranking *ranking, const struct predictions *predictions,
                  const unsigned char *known) {
    for (size_t i = 0; i < predictions->rows; i++)
        for (size_t c = 0; (!known || known[i]) && c < predictions->classes; c++) {
            size_t bin = bin_of(predictions->p[i * predictions->classes + c]);
            if ((size_t)predictions->label[i] == c)
                ranking[c].with[bin]++;
            else
                ranking[c].without[bin]++;
        }
}

double ranking_area(const struct ranking *ranking) {
    double below = 0.0, with = 0.0, won = 0.0;
    for (size_t b = 0; b < RANKING_BINS; b++) {
        won += ranking->with[b] * (below + 0.5 * ranking->without[b]);
        below += ranking->without[b];
        with += ranking->with[b];
    }
    return with > 0.0 && below > 0.0 ? won / (with * below) : (double)NAN;
}
