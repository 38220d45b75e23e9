/* SPDX-License-Identifier: Apache-2.0 */
#include "math/quadrature.h"

#include "math/special.h"
#include "math/vector.h"

#include <math.h>

/* In units of the deviation, z = (f - mean) / deviation. */
#define REACH 8.5           /* beyond it the normal density is below 1e-16 */
#define SPACING 0.28        /* in u, near `place`, in units of the width */
#define GROWTH (1.0 / 14.0) /* of the spacing with the distance from `place` */
#define NARROWEST 1e-4      /* narrower steps are treated as if they had this width */

size_t quadrature_normal(double mean, double deviation, double place, double width, double *f,
                         double *weight) {
    double centre = fmin(fmax((place - mean) / deviation, -REACH), REACH);
    double scale_z = fmin(fmax(width / deviation, NARROWEST), 1.0);
    double start = asinh(GROWTH * (-REACH - centre) / scale_z) / GROWTH;
    double end = asinh(GROWTH * (REACH - centre) / scale_z) / GROWTH;
    size_t count = (size_t)ceil((end - start) / SPACING) + 1;
    double step = (end - start) / (double)(count - 1);
    double grow = exp(GROWTH * step), up = exp(GROWTH * start);
    for (size_t i = 0; i < count; i++, up *= grow) {
        double z = centre + 0.5 * scale_z / GROWTH * (up - 1.0 / up);
        f[i] = mean + deviation * z;
        weight[i] = -0.5 * z * z;
    }
    exp_array(count, weight, weight);
    up = exp(GROWTH * start);
    for (size_t i = 0; i < count; i++, up *= grow)
        weight[i] *= up + 1.0 / up;
    scale(count, 1.0 / sum(count, weight), weight);
    return count;
}
