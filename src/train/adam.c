/* SPDX-License-Identifier: Apache-2.0 */
#include "train/adam.h"

#include "math/simd.h"

#include <math.h>

#define BETA1 0.9
#define BETA2 0.999
#define FLOOR 1e-8
#define NEGLIGIBLE 1e-8 /* rest of a moment that no longer moves parameters */
#define LARGEST                                                                                    \
    1e17f /* gradient in single precision, so that a thousand times its square is a float */

enum { PARAMETERS_PER_UNIT = 8192 };

SIMD_CLONES static void update(size_t n, struct adam_step step, const double *gradient,
                               double *theta, double *moment1, double *moment2) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++) {
        double g = gradient[i];
        double first = BETA1 * moment1[i] + (1.0 - BETA1) * g;
        double second = BETA2 * moment2[i] + (1.0 - BETA2) * g * g;
        moment1[i] = first;
        moment2[i] = second;
        theta[i] +=
            step.rate * (first * step.correction1) / (sqrt(second * step.correction2) + FLOOR);
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
        float first = moment1[i] + (float)(1.0 - BETA1) * (g - moment1[i]);
        float second = moment2[i] + (float)(1.0 - BETA2) * (g * g - moment2[i]);
        moment1[i] = first;
        moment2[i] = second;
        float move = first * correction1 / (sqrtf(second * correction2) + (float)FLOOR);
        theta[i] += step.rate * (double)move;
    }
}

struct adam_step adam_step(double rate, uint64_t visit, bool single) {
    return (struct adam_step){.rate = rate,
                              .correction1 = 1.0 / (1.0 - pow(BETA1, (double)visit)),
                              .correction2 = 1.0 / (1.0 - pow(BETA2, (double)visit)),
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

/* A step of the parameter with moments m and v, after k steps without gradient, is
 *   rate m beta1^k / (1 - beta1^visit) / sqrt(v beta2^k / (1 - beta2^visit)). */
void adam_coast(size_t n, double rate, uint64_t from, uint64_t to, double *theta, double *moment1,
                double *moment2) {
    double power1 = pow(BETA1, (double)from), power2 = pow(BETA2, (double)from);
    double decay1 = 1.0, decay2 = 1.0, steps = 0.0; /* sum of the steps in units of m / sqrt(v) */
    for (uint64_t visit = from; visit < to && decay1 > NEGLIGIBLE; visit++) {
        power1 *= BETA1;
        power2 *= BETA2;
        decay1 *= BETA1;
        decay2 *= BETA2;
        steps += rate * decay1 / (1.0 - power1) * sqrt((1.0 - power2) / decay2);
    }
    decay1 = pow(BETA1, (double)(to - from));
    decay2 = pow(BETA2, (double)(to - from));
    for (size_t i = 0; i < n; i++) {
        theta[i] += steps * moment1[i] / (sqrt(moment2[i]) + FLOOR);
        moment1[i] *= decay1;
        moment2[i] *= decay2;
    }
}
