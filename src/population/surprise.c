/* SPDX-License-Identifier: Apache-2.0 */
#include "population/surprise.h"

#include <math.h>
#include <string.h>

#define LOG_TWO_PI 1.8378770664093454836

void expect_normal(struct usual_surprise *usual, double variance) {
    usual->surprise += 0.5 * (1.0 + LOG_TWO_PI + log(variance));
    usual->cells++;
}

/* The expected surprise under component k for the row just added. Cells with variance 0 are
 * skipped. */
static struct usual_surprise usual_of(const struct conditioner *conditioner,
                                      const struct measurement *row, size_t k) {
    size_t d = conditioner->population->attributes;
    const double *total = conditioner->total + k * d;
    struct usual_surprise usual = {0};
    if (row->shape)
        return conditioner->shapes.usual[k];
    for (size_t j = 0; j < d; j++)
        if (total[j] > 0.0)
            expect_normal(&usual, total[j]);
    return usual;
}

static struct surprise against(double log_density, struct usual_surprise usual) {
    bool tells = usual.cells > 0.0;
    double value = tells ? (-log_density - usual.surprise) / sqrt(0.5 * usual.cells) : 0.0;
    return (struct surprise){.log_density = log_density, .value = value};
}

/* The surprise of a row if attributes are independent. */
static struct surprise surprise_apart(const struct population *population,
                                      const struct measurement *row) {
    double log_density = 0.0;
    struct usual_surprise usual = {0};
    for (size_t j = 0; j < population->attributes; j++) {
        double total = population->variance[j] + row->noise[j];
        double distance = row->x[j] - population->mean[j];
        if (isinf(row->noise[j]))
            continue;
        expect_normal(&usual, total);
        log_density -= 0.5 * (LOG_TWO_PI + log(total) + distance * distance / total);
    }
    return against(log_density, usual);
}

struct surprise population_surprise(const struct population *population,
                                    struct conditioner *conditioner, const struct measurement *row,
                                    double *share, double *centre) {
    if (!population->components)
        return surprise_apart(population, row);
    double log_density = conditioner_take(conditioner, row, share, centre);
    struct usual_surprise usual = {0};
    for (size_t k = 0; k < population->components; k++) {
        struct usual_surprise own = usual_of(conditioner, row, k);
        usual.surprise += population->share[k] * (own.surprise - log(population->share[k]));
        usual.cells = fmax(usual.cells, own.cells);
    }
    return against(log_density, usual);
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
