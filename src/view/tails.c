/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Squashed tails: in units of deviations z from the mean, a coordinate beyond TAIL becomes
 * sign(z) (TAIL + log(|z| - TAIL + 1)), so that extreme values do not lie far from all others. Its
 * error is multiplied by the slope there, 1 / (|z| - TAIL + 1).
 *
 * Learned: mean and deviation of each coordinate.
 */
#include "view/view.h"

#include <math.h>

#define TAIL 2.0

static size_t numbers(struct view_shape shape) {
    return 2 * shape.coordinates;
}

static bool learn(struct view_shape shape, const struct view_rows *rows, double *own) {
    for (size_t j = 0; j < shape.coordinates; j++) {
        double mean = 0.0, square = 0.0, n = (double)rows->rows;
        for (size_t i = 0; i < rows->rows; i++)
            mean += rows->x[i * rows->stride + j] / n;
        for (size_t i = 0; i < rows->rows; i++) {
            double away = rows->x[i * rows->stride + j] - mean;
            square += away * away / n;
        }
        own[j] = mean;
        own[shape.coordinates + j] = square > 0.0 ? sqrt(square) : 1.0;
    }
    return true;
}

static void apply(struct view_shape shape, const double *own, double *x, double *sigma,
                  double *scratch) {
    (void)scratch;
    for (size_t j = 0; j < shape.coordinates; j++) {
        double deviation = own[shape.coordinates + j], z = (x[j] - own[j]) / deviation;
        double beyond = fmax(0.0, fabs(z) - TAIL);
        x[j] = beyond > 0.0 ? copysign(TAIL + log1p(beyond), z) : z;
        sigma[j] /= deviation * (1.0 + beyond);
    }
}

const struct view_step view_tails = {
    .name = "tails", .says = "squashed tails", .numbers = numbers, .learn = learn, .apply = apply};
