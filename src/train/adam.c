/* SPDX-License-Identifier: Apache-2.0 */
#include "train/adam.h"

#include "math/simd.h"

#include <math.h>

#define BETA1 0.9
#define BETA2 0.999
#define FLOOR 1e-8

enum { PARAMETERS_PER_UNIT = 8192 };

SIMD_CLONES static void update(size_t n, double rate, double correction1, double correction2,
                               const double *gradient, double *theta, double *moment1,
                               double *moment2) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) {
        double g = gradient[i];
        double first = BETA1 * moment1[i] + (1.0 - BETA1) * g;
        double second = BETA2 * moment2[i] + (1.0 - BETA2) * g * g;
        moment1[i] = first;
        moment2[i] = second;
        theta[i] += rate * (first * correction1) / (sqrt(second * correction2) + FLOOR);
    }
}

void adam_update(size_t n, double rate, uint64_t visit, const double *gradient, double *theta,
                 double *moment1, double *moment2) {
    double correction1 = 1.0 / (1.0 - pow(BETA1, (double)visit));
    double correction2 = 1.0 / (1.0 - pow(BETA2, (double)visit));
    update(n, rate, correction1, correction2, gradient, theta, moment1, moment2);
}

struct job {
    size_t n;
    double rate;
    uint64_t visit;
    const double *gradient;
    double *theta, *moment1, *moment2;
};

static void update_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct job *job = context;
    size_t at = unit * PARAMETERS_PER_UNIT, left = job->n - at;
    adam_update(left < PARAMETERS_PER_UNIT ? left : PARAMETERS_PER_UNIT, job->rate, job->visit,
                job->gradient + at, job->theta + at, job->moment1 + at, job->moment2 + at);
}

void adam_update_pooled(struct pool *pool, size_t n, double rate, uint64_t visit,
                        const double *gradient, double *theta, double *moment1, double *moment2) {
    struct job job = {n, rate, visit, gradient, theta, moment1, moment2};
    pool_run(pool, (n + PARAMETERS_PER_UNIT - 1) / PARAMETERS_PER_UNIT, update_unit, &job);
}
