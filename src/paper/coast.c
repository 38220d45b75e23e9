/* SPDX-License-Identifier: Apache-2.0 */
#include "paper/coast.h"

#include "train/adam.h"

#include <math.h>

#define NEGLIGIBLE 1e-8 /* rest of a moment that no longer moves parameters */

/* A step of the parameter with moments m and v, after k steps without gradient, is
 *   rate m beta1^k / (1 - beta1^visit) / sqrt(v beta2^k / (1 - beta2^visit)). */
void adam_coast(size_t n, double rate, uint64_t from, uint64_t to, double *theta, double *moment1,
                double *moment2) {
    double power1 = pow(ADAM_BETA1, (double)from), power2 = pow(ADAM_BETA2, (double)from);
    double decay1 = 1.0, decay2 = 1.0, steps = 0.0; /* sum of the steps in units of m / sqrt(v) */
    for (uint64_t visit = from; visit < to && decay1 > NEGLIGIBLE; visit++) {
        power1 *= ADAM_BETA1;
        power2 *= ADAM_BETA2;
        decay1 *= ADAM_BETA1;
        decay2 *= ADAM_BETA2;
        steps += rate * decay1 / (1.0 - power1) * sqrt((1.0 - power2) / decay2);
    }
    decay1 = pow(ADAM_BETA1, (double)(to - from));
    decay2 = pow(ADAM_BETA2, (double)(to - from));
    for (size_t i = 0; i < n; i++) {
        theta[i] += steps * moment1[i] / (sqrt(moment2[i]) + ADAM_FLOOR);
        moment1[i] *= decay1;
        moment2[i] *= decay2;
    }
}
