/* SPDX-License-Identifier: Apache-2.0 */
#include "train/adam.h"

#include "math/simd.h"

#include <math.h>

#define LARGEST                                                                                    \
    1e17f /* gradient in single precision, so that a thousand times its square is a float */

enum { PARAMETERS_PER_UNIT = 8192 };

SIMD_CLONES static void update(size_t n, struct adam_step step, const double *gradient,
                               double *theta, double *moment1, double *moment2) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) {
        double g = gradient[i];
        double first = ADAM_BETA1 * moment1[i] + (1.0 - ADAM_BETA1) * g;
        double second = ADAM_BETA2 * moment2[i] + (1.0 - ADAM_BETA2) * g * g;
        moment1[i] = first;
        moment2[i] = second;
        theta[i] +=
            step.rate * (first * step.correction1) / (sqrt(second * step.correction2) + ADAM_FLOOR);
    }
}

SIMD_INLINE float within(float gradient) {
    gradient = gradient > LARGEST ? LARGEST : gradient;
    return gradient < -LARGEST ? -LARGEST : gradient;
}

/* As above; written as differences, which are zero where a moment has reached its limit, so that
 * rounding of the constants does not move the limit. */
SIMD_CLONES static void update_single(size_t n, struct adam_step step, const double *gradient,
                                      double *theta, float *moment1, float *moment2) {
    const float correction1 = (float)step.correction1, correction2 = (float)step.correction2;
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) {
        float g = within((float)gradient[i]);
        float first = moment1[i] + (float)(1.0 - ADAM_BETA1) * (g - moment1[i]);
        float second = moment2[i] + (float)(1.0 - ADAM_BETA2) * (g * g - moment2[i]);
        moment1[i] = first;
        moment2[i] = second;
        float move = first * correction1 / (sqrtf(second * correction2) + (float)ADAM_FLOOR);
        theta[i] += step.rate * (double)move;
    }
}

struct adam_step adam_step(double rate, uint64_t visit, bool single) {
    return (struct adam_step){.rate = rate,
                              .correction1 = 1.0 / (1.0 - pow(ADAM_BETA1, (double)visit)),
                              .correction2 = 1.0 / (1.0 - pow(ADAM_BETA2, (double)visit)),
                              .single = single};
}

void adam_update(size_t n, struct adam_step step, const double *gradient, double *theta,
                 union gp_matrix moment1, union gp_matrix moment2) {
    if (step.single)
        update_single(n, step, gradient, theta, moment1.narrow, moment2.narrow);
    else
        update(n, step, gradient, theta, moment1.wide, moment2.wide);
}

struct job {
    size_t n;
    struct adam_step step;
    const double *gradient;
    double *theta;
    union gp_matrix moment1, moment2;
};

static void update_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct job *job = context;
    size_t at = unit * PARAMETERS_PER_UNIT, left = job->n - at;
    bool single = job->step.single;
    adam_update(left < PARAMETERS_PER_UNIT ? left : PARAMETERS_PER_UNIT, job->step,
                job->gradient + at, job->theta + at, gp_matrix_from(single, job->moment1, at),
                gp_matrix_from(single, job->moment2, at));
}

void adam_update_pooled(struct pool *pool, size_t n, struct adam_step step, const double *gradient,
                        double *theta, union gp_matrix moment1, union gp_matrix moment2) {
    struct job job = {n, step, gradient, theta, moment1, moment2};
    pool_run(pool, (n + PARAMETERS_PER_UNIT - 1) / PARAMETERS_PER_UNIT, update_unit, &job);
}
