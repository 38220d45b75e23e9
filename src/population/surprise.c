/* SPDX-License-Identifier: Apache-2.0 */
#include "population/surprise.h"

#include <math.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836

/* log |2 pi e T| / 2 of a diagonal T; cells of which it is 0 tell nothing. */
static double entropy_of(size_t d, const double *total, size_t *cells) {
    double entropy = 0.0;
    *cells = 0;
    for (size_t j = 0; j < d; j++)
        if (total[j] > 0.0) {
            entropy += 0.5 * (1.0 + LOG_TWO_PI + log(total[j]));
            ++*cells;
        }
    return entropy;
}

static struct surprise against(double log_density, double entropy, size_t cells) {
    double value = cells ? (-log_density - entropy) / sqrt(0.5 * (double)cells) : 0.0;
    return (struct surprise){.log_density = log_density, .value = value};
}

/* Attributes that are independent of each other. */
static struct surprise surprise_apart(const struct population *population, const double *x,
                                      const double *noise) {
    double log_density = 0.0, entropy = 0.0;
    size_t cells = 0;
    for (size_t j = 0; j < population->attributes; j++) {
        double total = population->variance[j] + noise[j], distance = x[j] - population->mean[j];
        if (isinf(noise[j]))
            continue;
        entropy += 0.5 * (1.0 + LOG_TWO_PI + log(total));
        log_density -= 0.5 * (LOG_TWO_PI + log(total) + distance * distance / total);
        cells++;
    }
    return against(log_density, entropy, cells);
}

struct surprise population_surprise(const struct population *population,
                                    struct conditioner *conditioner, const double *x,
                                    const double *noise, double *share, double *centre) {
    size_t d = population->attributes, most = 0;
    if (!population->components)
        return surprise_apart(population, x, noise);
    double entropy = 0.0, log_density = conditioner_take(conditioner, x, noise, share, centre);
    for (size_t k = 0; k < population->components; k++) {
        size_t cells;
        double own = entropy_of(d, conditioner->total + k * d, &cells);
        entropy += population->share[k] * (own - log(population->share[k]));
        most = cells > most ? cells : most;
    }
    return against(log_density, entropy, most);
}

bool population_copy(const struct population *from, struct population *to) {
    size_t d = from->attributes, k = from->components, each = k ? k : 1;
    if (!population_allocate(to, d, k))
        return false;
    to->learned = from->learned;
    memcpy(to->share, from->share, each * sizeof(double));
    memcpy(to->mean, from->mean, each * d * sizeof(double));
    if (k)
        memcpy(to->root, from->root, k * d * d * sizeof(double));
    else
        memcpy(to->variance, from->variance, d * sizeof(double));
    return true;
}
