/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps at the median: a missing value becomes the column's median, and columns in which enough
 * values are missing, and enough are not, get a flag, 1 where the value is missing.
 *
 * Learned: the medians; 1 for columns with a flag, else 0.
 */
#include "view/view.h"

#include "rows/summary.h"

#include <math.h>

#define LEAST_SHARE 0.02 /* of missing values, and of others, for a flag */

static size_t numbers(struct view_shape shape) {
    return 2 * shape.coordinates;
}

static bool learn(struct view_shape shape, const struct view_rows *rows, double *own) {
    for (size_t j = 0; j < shape.coordinates; j++) {
        size_t known = 0;
        for (size_t i = 0; i < rows->rows; i++) {
            double value = rows->x[i * rows->stride + j];
            if (!isnan(value))
                rows->scratch[known++] = value;
        }
        double share = 1.0 - (double)known / (double)rows->rows;
        own[j] = median(known, rows->scratch);
        own[shape.coordinates + j] = share > LEAST_SHARE && share < 1.0 - LEAST_SHARE ? 1.0 : 0.0;
    }
    return true;
}

static struct view_shape reshape(struct view_shape shape, const double *own) {
    for (size_t j = 0; j < shape.coordinates; j++)
        shape.width += own[shape.coordinates + j] != 0.0;
    return shape;
}

static void apply(struct view_shape shape, const double *own, double *x, double *sigma,
                  double *scratch) {
    size_t at = shape.width;
    (void)scratch;
    for (size_t j = 0; j < shape.coordinates; j++) {
        bool missing = isnan(x[j]);
        if (own[shape.coordinates + j] != 0.0) {
            sigma[at] = 0.0;
            x[at++] = missing ? 1.0 : 0.0;
        }
        x[j] = missing ? own[j] : x[j];
    }
}

const struct view_step view_gaps = {.name = "gaps",
                                    .says = "gaps at the median, with flags",
                                    .numbers = numbers,
                                    .learn = learn,
                                    .reshape = reshape,
                                    .apply = apply};
