/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "math/vector.h"

#include <math.h>
#include <stddef.h>

/* Calibrates class probabilities in place: p_c^a exp(share b_c), normalised, with a between 1 and
 * 1/T: a = share/T + 1 - share. With share 1 those of an infinite T do not depend on p. */
static inline void temper(size_t classes, double temperature, const double *offset, double share,
                          double *p) {
    double largest = 0.0, total = 0.0, a = share * (1.0 / temperature) + (1.0 - share);
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, p[c]);
    for (size_t c = 0; c < classes; c++)
        total += p[c] = pow(p[c] / largest, a) * exp(share * offset[c]);
    scale(classes, 1.0 / total, p);
}
