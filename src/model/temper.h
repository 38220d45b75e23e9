/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_TEMPER_H
#define NIMGP_MODEL_TEMPER_H

#include "math/vector.h"

#include <math.h>
#include <stddef.h>

/* Calibrates class probabilities in place: p_c^(1/T) exp(b_c), normalised. Those of an infinite T
 * do not depend on p. */
static inline void temper(size_t classes, double temperature, const double *offset, double *p) {
    double largest = 0.0, total = 0.0;
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, p[c]);
    for (size_t c = 0; c < classes; c++)
        total += p[c] = pow(p[c] / largest, 1.0 / temperature) * exp(offset[c]);
    scale(classes, 1.0 / total, p);
}

#endif
