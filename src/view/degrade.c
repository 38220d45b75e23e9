/* SPDX-License-Identifier: Apache-2.0 */
#include "view/degrade.h"

#include "math/special.h"
#include "rows/cells.h"
#include "rows/summary.h"
#include "view/view.h"

#include <math.h>

/* The factors are log-uniform between these. */
#define ALL_FROM 0.3
#define OWN_FROM 1.3
#define UP_TO 15.0
#define SIZES_FROM 0.05
#define SIZES_TO 0.8

#define SPREAD 0.7 /* deviation of the logarithms of the cells' noise */

/* A factor from a standard normal number. */
static double factor(double normal, double from, double to) {
    return from * exp(normal_cdf(normal) * log(to / from));
}

static double known(double error, double usual) {
    return error >= 0.0 && isfinite(error) ? error : usual;
}

void degrade_usual(const nim_data *data, double *usual, double *scratch) {
    for (size_t j = 0; j < data->attributes; j++) {
        size_t count = 0;
        for (size_t i = 0; i < data->rows; i++) {
            double error = data->sigma ? error_at(data, i, j) : 0.0;
            if (isfinite(error))
                scratch[count++] = error;
        }
        usual[j] = median(count, scratch);
    }
}

/* Noise of deviation `size` is added to a cell. */
static void add_noise(double size, double normal, double usual, double *x, double *sigma) {
    *x += size * normal;
    *sigma = hypot(known(*sigma, usual), size);
}

void degrade_row(enum degrading kind, struct random_key key, uint64_t draw, uint64_t row,
                 const double *usual, const nim_data *data, size_t i, double *x, double *sigma,
                 double *scratch) {
    size_t d = data->attributes;
    const double *size = scratch + 2, *noise = size + d;
    view_start_row(data, i, x, sigma);
    if (kind == DEGRADE_NOT)
        return;
    random_normal(key, draw * DEGRADE_KINDS + kind, row, 2 + 2 * d, scratch);
    size_t one = (size_t)(normal_cdf(scratch[1]) * (double)d);
    double all = factor(scratch[0], ALL_FROM, UP_TO), own = factor(scratch[0], OWN_FROM, UP_TO);
    for (size_t j = 0; j < d; j++) {
        if (kind == DEGRADE_SIZES)
            sigma[j] *= factor(scratch[0], SIZES_FROM, SIZES_TO);
        else if (kind == DEGRADE_OWN) {
            x[j] += sqrt(own * own - 1.0) * known(sigma[j], usual[j]) * noise[j];
            sigma[j] *= own;
        } else if (kind == DEGRADE_ALL || j == one)
            add_noise(all * usual[j] * exp(SPREAD * size[j]), noise[j], usual[j], x + j, sigma + j);
    }
}
