/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/weigh.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 300 };

#define PRIOR 2.0
#define LEAST_PROBABILITY 1e-6
#define LEAST_DEVIATIONS 2.0 /* of a gain, above zero */

typedef double panel_weights[PANEL_MOST_PARTS + 1];

/* Adds what row i of a way contributes to the sums of each region and part; returns the row's
 * probability. */
static double add_row(const struct weighing *all, size_t way, size_t i, const panel_weights *weight,
                      panel_weights *sum) {
    size_t at = way * all->rows + i;
    double inside = all->gate ? all->gate[at] : 1.0, region[2] = {inside, 1.0 - inside};
    panel_weights share[2];
    double total = 0.0;
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < all->parts; k++) {
            double p = all->p[k][at * all->classes + (size_t)all->labels[i]];
            total += share[r][k] = region[r] * weight[r][k] * fmax(p, LEAST_PROBABILITY);
        }
    for (size_t r = 0; sum && r < 2; r++)
        for (size_t k = 0; k < all->parts; k++)
            sum[r][k] += all->weights[i] * share[r][k] / total;
    return total;
}

static void improve(const struct weighing *all, panel_weights *weight) {
    panel_weights sum[2];
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < all->parts; k++)
            sum[r][k] = PRIOR;
    for (size_t way = 0; way < all->ways; way++)
        for (size_t i = 0; i < all->rows; i++)
            add_row(all, way, i, weight, sum);
    for (size_t r = 0; r < 2; r++) {
        double total = 0.0;
        for (size_t k = 0; k < all->parts; k++)
            total += sum[r][k];
        for (size_t k = 0; k < all->parts; k++)
            weight[r][k] = sum[r][k] / total;
    }
}

void weigh(const struct weighing *all, double weight[2][PANEL_MOST_PARTS + 1]) {
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < all->parts; k++)
            weight[r][k] = 1.0 / (double)all->parts;
    for (size_t round = 0; round < ROUNDS; round++)
        improve(all, weight);
}

bool weighing_gains(const struct weighing *all, double weight[2][PANEL_MOST_PARTS + 1]) {
    double total = 0.0, sum = 0.0, square = 0.0;
    for (size_t i = 0; i < all->rows; i++) {
        double plain = all->p[0][i * all->classes + (size_t)all->labels[i]];
        double gain = log(add_row(all, 0, i, weight, NULL) / fmax(plain, LEAST_PROBABILITY));
        total += all->weights[i];
        sum += all->weights[i] * gain;
        square += all->weights[i] * gain * gain;
    }
    double mean = sum / total, variance = square / total - mean * mean;
    return mean > LEAST_DEVIATIONS * sqrt(fmax(variance, 0.0) / (double)all->rows);
}
