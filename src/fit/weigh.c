/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/weigh.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 200 };

#define FIRST_STEP 1.0
#define LEAST_STEP 1e-6
#define SETTLED 1e-4 /* gain of a round, in nats of all rows */

/* -log p(y_i) of row i of a way, without flattery, and what it adds to the gradient, unless that is
 * NULL. p: classes. */
static double row_cost(const struct weighing *all, size_t way, size_t i,
                       const panel_weights *weight, double *p, panel_weights *gradient) {
    size_t at = way * all->rows + i, own = (size_t)all->labels[i];
    const double typical[PANEL_REGIONS] = {[PANEL_TYPICAL] = 1.0};
    const double *region = all->gate ? all->gate + PANEL_REGIONS * at : typical;
    const double *log_p[PANEL_MOST_PARTS + 1];
    panel_weights w;
    for (size_t k = 0; k < all->parts; k++)
        log_p[k] = all->log_p[k] + at * all->classes;
    panel_row_weights(all->parts - 1, weight, region, w);
    panel_pool(all->parts, all->classes, w, log_p, p);
    for (size_t k = 0; gradient && k < all->parts; k++) {
        double slope =
            all->weights[i] * (dot(all->classes, p, log_p[k]) - log_p[k][own] + all->flattery[k]);
        for (size_t r = 0; r < PANEL_WEIGHED; r++)
            gradient[r][k] += region[r] * slope;
    }
    return dot(all->parts, w, all->flattery) - log(p[own]);
}

/* The function to be minimised, and its gradient. */
static double cost_of(const struct weighing *all, const panel_weights *weight,
                      panel_weights *gradient) {
    double cost = 0.0;
    for (size_t r = 0; r < PANEL_WEIGHED; r++)
        for (size_t k = 0; k < all->parts; k++) {
            double away = weight[r][k] - (k == 0);
            gradient[r][k] = WEIGHING_PRIOR * away;
            cost += 0.5 * WEIGHING_PRIOR * away * away;
        }
    for (size_t way = 0; way < all->ways; way++)
        for (size_t i = 0; i < all->rows; i++)
            cost += all->weights[i] * row_cost(all, way, i, weight, all->scratch, gradient);
    return cost;
}

static void take_step(size_t parts, double step, const panel_weights *gradient,
                      panel_weights *weight) {
    for (size_t r = 0; r < PANEL_WEIGHED; r++) {
        double least = INFINITY, total = 0.0;
        for (size_t k = 0; k < parts; k++)
            least = fmin(least, gradient[r][k]);
        for (size_t k = 0; k < parts; k++)
            total += weight[r][k] *= exp(-step * (gradient[r][k] - least));
        scale(parts, 1.0 / total, weight[r]);
    }
}

/* Steps become longer as long as the cost decreases, and shorter where it does not. */
void weigh(const struct weighing *all, panel_weights *weight) {
    panel_weights gradient[PANEL_WEIGHED], tried[PANEL_WEIGHED], slope[PANEL_WEIGHED];
    for (size_t r = 0; r < PANEL_WEIGHED; r++)
        for (size_t k = 0; k < all->parts; k++)
            weight[r][k] = 1.0 / (double)all->parts;
    double step = FIRST_STEP / (double)all->rows, cost = cost_of(all, weight, gradient);
    double least = step * LEAST_STEP;
    for (size_t round = 0; step > least && round < MOST_ROUNDS; round++) {
        memcpy(tried, weight, sizeof tried);
        take_step(all->parts, step, gradient, tried);
        double next = cost_of(all, tried, slope), gain = cost - next;
        step *= gain > 0.0 ? 1.5 : 0.3;
        if (gain > 0.0) {
            memcpy(weight, tried, sizeof tried);
            memcpy(gradient, slope, sizeof slope);
            cost = next;
        }
        if (gain >= 0.0 && gain < SETTLED)
            break;
    }
}

void weighing_gain(const struct weighing *all, panel_weights *weight, double gain[2]) {
    double total = 0.0, sum = 0.0, square = 0.0;
    for (size_t i = 0; i < all->rows; i++) {
        double plain = all->log_p[0][i * all->classes + (size_t)all->labels[i]];
        double own = -row_cost(all, 0, i, weight, all->scratch, NULL) - plain;
        total += all->weights[i];
        sum += all->weights[i] * own;
        square += all->weights[i] * own * own;
    }
    double mean = sum / total, variance = square / total - mean * mean;
    gain[0] = mean;
    gain[1] = sqrt(fmax(variance, 0.0) / (double)all->rows);
}
