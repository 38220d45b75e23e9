/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error sizes as attributes: the logarithm of each error joins the values. An error that is
 * unknown, or zero, counts as the median one of its column. Columns whose errors are all alike have
 * none.
 *
 * Learned: the log of the median error of each column; 1 where the column's errors differ, else 0.
 */
#include "view/view.h"

#include "rows/summary.h"

#include <math.h>

#define LEAST_DEVIATION 1e-6 /* of the logarithms of errors that differ */

static size_t numbers(struct view_shape shape) {
    return 2 * shape.width;
}

static double log_size(double error, double usual) {
    return error > 0.0 && isfinite(error) ? log(error) : usual;
}

static bool learn(struct view_shape shape, const struct view_rows *rows, double *own) {
    for (size_t j = 0; j < shape.width; j++) {
        size_t known = 0;
        double mean = 0.0, square = 0.0;
        for (size_t i = 0; i < rows->rows; i++) {
            double error = rows->sigma[i * rows->stride + j];
            if (error > 0.0 && isfinite(error))
                rows->scratch[known++] = log(error);
        }
        own[j] = median(known, rows->scratch);
        for (size_t k = 0; k < known; k++) {
            double away = rows->scratch[k] - own[j];
            mean += away / (double)rows->rows;
            square += away * away / (double)rows->rows;
        }
        own[shape.width + j] = sqrt(fmax(0.0, square - mean * mean)) > LEAST_DEVIATION ? 1.0 : 0.0;
    }
    return true;
}

static struct view_shape reshape(struct view_shape shape, const double *own) {
    shape.sized = own + shape.columns;
    for (size_t j = 0; j < shape.columns; j++)
        shape.coordinates += shape.sized[j] != 0.0;
    shape.width = shape.coordinates;
    return shape;
}

static void apply(struct view_shape shape, const double *own, double *x, double *sigma,
                  double *scratch) {
    size_t at = shape.width;
    (void)scratch;
    for (size_t j = 0; j < shape.width; j++)
        if (own[shape.width + j] != 0.0)
            x[at++] = log_size(sigma[j], own[j]);
    for (size_t j = shape.width; j < at; j++)
        sigma[j] = 0.0;
}

const struct view_step view_sizes = {.name = "sizes",
                                     .says = "sizes of errors as attributes",
                                     .numbers = numbers,
                                     .learn = learn,
                                     .reshape = reshape,
                                     .apply = apply};
