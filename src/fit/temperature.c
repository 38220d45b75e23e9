/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/temperature.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

#define PRIOR_DEVIATION 0.5  /* s, of log T */
#define OFFSET_DEVIATION 0.2 /* t, of b_c around m_c */
#define LEAST_GAIN 3.0
#define LOWEST -1.6 /* log T is between these, before the gain is looked at */
#define HIGHEST 1.6
#define LEAST_PROBABILITY 1e-300
#define LONGEST_STEP                                                                               \
    0.5              /* of an offset in one round; curvatures change by at most a factor of e      \
                      */
#define SETTLED 1e-6 /* longest step of the last round */

/* The rows, and the offsets that were found last. */
struct search {
    size_t rows, classes;
    const int32_t *labels;
    const double *weights;
    double *log_p;     /* rows x classes */
    double *log_share; /* of each class, minus their mean */
    double *offset, *gradient, *curvature, *q;
};

static double weight_of(const struct search *search, size_t i) {
    return search->weights ? search->weights[i] : 1.0;
}

/* -sum_i w_i log q_i(y_i) at a and the offsets; its gradient and the diagonal of its Hessian. */
static double look(struct search *search, double a) {
    size_t classes = search->classes;
    double cost = 0.0, *q = search->q;
    memset(search->gradient, 0, classes * sizeof *search->gradient);
    memset(search->curvature, 0, classes * sizeof *search->curvature);
    for (size_t i = 0; i < search->rows; i++) {
        const double *log_p = search->log_p + i * classes;
        double weight = weight_of(search, i), largest = -INFINITY, total = 0.0;
        size_t own = (size_t)search->labels[i];
        for (size_t c = 0; c < classes; c++)
            largest = fmax(largest, q[c] = a * log_p[c] + search->offset[c]);
        cost -= weight * (q[own] - largest);
        for (size_t c = 0; c < classes; c++)
            total += q[c] = exp(q[c] - largest);
        cost += weight * log(total);
        for (size_t c = 0; c < classes; c++) {
            double share = q[c] / total;
            search->gradient[c] += weight * (share - (c == own));
            search->curvature[c] += weight * share * (1.0 - share);
        }
    }
    return cost;
}

/* Moves the offsets to the minimum at this a, and returns the cost of labels there. Twice the
 * diagonal of the Hessian is at least the Hessian. */
static double settle(struct search *search, double a) {
    const double stiffness = 1.0 / (OFFSET_DEVIATION * OFFSET_DEVIATION);
    double cost = look(search, a), longest = INFINITY;
    for (size_t round = 0; longest > SETTLED && round < MOST_ROUNDS; round++) {
        longest = 0.0;
        for (size_t c = 0; c < search->classes; c++) {
            double away = search->offset[c] - fmax(0.0, 1.0 - a) * search->log_share[c];
            double step = -(search->gradient[c] + stiffness * away) /
                          (2.0 * search->curvature[c] + stiffness);
            step = fmax(-LONGEST_STEP, fmin(LONGEST_STEP, step));
            search->offset[c] += step;
            longest = fmax(longest, fabs(step));
        }
        cost = look(search, a);
    }
    return cost;
}

/* The function to be minimised, at log T and the best offsets for it. */
static double cost_at(struct search *search, double log_t) {
    double a = exp(-log_t), cost = settle(search, a);
    for (size_t c = 0; c < search->classes; c++) {
        double away = (search->offset[c] - fmax(0.0, 1.0 - a) * search->log_share[c]);
        cost += 0.5 * away * away / (OFFSET_DEVIATION * OFFSET_DEVIATION);
    }
    return cost + 0.5 * log_t * log_t / (PRIOR_DEVIATION * PRIOR_DEVIATION);
}

/* log T by golden-section search: the sum is convex in 1/T, and the prior is weak. */
static double best_log(struct search *search) {
    const double golden = 0.61803398874989484820;
    double low = LOWEST, high = HIGHEST, a = high - golden * (high - low);
    double b = low + golden * (high - low), at_a = cost_at(search, a), at_b = cost_at(search, b);
    while (high - low > 1e-4) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            at_a = cost_at(search, a = high - golden * (high - low));
        } else {
            low = a, a = b, at_a = at_b;
            at_b = cost_at(search, b = low + golden * (high - low));
        }
    }
    return 0.5 * (low + high);
}

/* Fills in the weighted shares of the classes, half a row more for each so that none is zero;
 * returns -sum_i w_i log share(y_i). */
static double take_shares(struct search *search) {
    size_t classes = search->classes;
    double *share = search->log_share, total = 0.5 * (double)classes, cost = 0.0;
    for (size_t c = 0; c < classes; c++)
        share[c] = 0.5;
    for (size_t i = 0; i < search->rows; i++) {
        share[search->labels[i]] += weight_of(search, i);
        total += weight_of(search, i);
    }
    for (size_t c = 0; c < classes; c++)
        share[c] = log(share[c] / total);
    for (size_t i = 0; i < search->rows; i++)
        cost -= weight_of(search, i) * share[search->labels[i]];
    double mean = sum(classes, share) / (double)classes;
    for (size_t c = 0; c < classes; c++)
        share[c] -= mean;
    return cost;
}

nim_status temperature_learn(size_t rows, size_t classes, const double *p, const int32_t *labels,
                             const double *weights, double *temperature, double *offset,
                             nim_error *error) {
    double *memory = malloc((rows + 4) * classes * sizeof *memory), *log_p = memory;
    if (!memory)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate");
    struct search search = {.rows = rows,
                            .classes = classes,
                            .labels = labels,
                            .weights = weights,
                            .log_p = log_p,
                            .log_share = log_p + rows * classes,
                            .offset = offset,
                            .gradient = log_p + (rows + 1) * classes,
                            .curvature = log_p + (rows + 2) * classes,
                            .q = log_p + (rows + 3) * classes};
    for (size_t i = 0; i < rows * classes; i++)
        log_p[i] = log(fmax(p[i], LEAST_PROBABILITY));
    memset(offset, 0, classes * sizeof *offset);
    double of_shares = take_shares(&search), a = exp(-best_log(&search));
    double gain = of_shares - settle(&search, a);
    a *= gain > LEAST_GAIN ? 1.0 - LEAST_GAIN / gain : 0.0;
    settle(&search, a);
    *temperature = 1.0 / a; /* infinite if a is 0 */
    free(memory);
    return NIM_OK;
}
