/* SPDX-License-Identifier: Apache-2.0 */
#include "model/shapes.h"

#include "rows/cells.h"
#include "rows/shape_checks.h"

#include <math.h>
#include <string.h>

/* Least deviation of a limit, in standard units. A sharper one would be treated as an exact
 * value. */
#define SHARPEST 1e-4

/* Least ratio of one half of an asymmetric error to the other half. */
#define SMALLEST_HALF 1e-3

/* As in rows/scaling.c. */
#define LARGEST_DEVIATION 1e3

nim_status shapes_check_use(const struct nim_model *model, const nim_data *data, nim_error *error) {
    const struct input_model *input = model->options.input;
    if (!data->correlation || !model_uses_errors(model))
        return NIM_OK;
    if (model_learns_noise(model))
        return failure(error, NIM_INVALID_ARGUMENT,
                       "correlated errors need given errors (noise=given)");
    if (!input->joins_errors)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "input model %s treats errors as independent; correlated errors need "
                       "marginal, latent, amortised or first_order",
                       input->name);
    return NIM_OK;
}

bool shapes_correlate(const struct nim_model *model, const nim_data *data) {
    const struct input_model *input = model->options.input;
    return model->population.components ||
           (data->correlation && model_uses_errors(model) && (input->averages || input->widens));
}

bool shapes_taken(const struct nim_model *model, const nim_data *data) {
    return data_has_shapes(data) && shapes_correlate(model, data);
}

/* The upper error of a cell in standard units if it differs from the lower one, whose variance is
 * `noise`; otherwise 0. Neither half is left smaller than SMALLEST_HALF times the other. */
static double find_upper(const struct nim_model *model, const nim_data *data, size_t i, size_t j,
                         double *noise) {
    if (!data->sigma_upper || !model_uses_errors(model))
        return 0.0;
    size_t at = (data->sigma_rows == 1 ? 0 : i) * data->attributes + j;
    if (isnan(data->sigma_upper[at]) || data->sigma_upper[at] == error_at(data, i, j))
        return 0.0;
    double upper =
        fmin(data->sigma_upper[at] / scaling_unit(&model->scaling, j, value_at(data, i, j)),
             LARGEST_DEVIATION);
    double least = SMALLEST_HALF * upper;
    *noise = fmax(*noise, least * least);
    return fmax(upper, SMALLEST_HALF * sqrt(*noise));
}

/* Correlations between cells that are not missing, not exact and not limits. */
static void gather_correlations(const nim_data *data, size_t i, size_t d, const double *noise,
                                double *shape) {
    size_t columns = data->attributes, pairs = columns * (columns - 1) / 2;
    const double *given = data->correlation + (data->correlation_rows == 1 ? 0 : i * pairs);
    for (size_t j = 1; j < columns; j++)
        for (size_t k = 0; k < j; k++) {
            double value = given[j * (j - 1) / 2 + k];
            bool counts = !isnan(value) && isfinite(noise[j]) && isfinite(noise[k]) &&
                          noise[j] > 0.0 && noise[k] > 0.0 && shape_side(shape, d, j) == 0.0 &&
                          shape_side(shape, d, k) == 0.0;
            shape[2 * d + j * (j - 1) / 2 + k] = counts ? value : 0.0;
        }
}

/* The normal measurement that best approximates an asymmetric cell or a limit. */
static struct tilt nearest(const struct nim_model *model, size_t j, double x, double noise,
                           double upper, double side) {
    double spread = model->scaling.spread[j];
    return side != 0.0 ? tilt_limit(model->scaling.typical[j], spread * spread, x, noise, side)
                       : tilt_alone(x, sqrt(noise), upper);
}

static void gather_row(const struct nim_model *model, const nim_data *data, bool together, size_t i,
                       double *x, double *noise, double *shape) {
    size_t d = model->attributes;
    for (size_t j = 0; j < model->columns; j++) {
        double side = data->limit ? data->limit[i * data->attributes + j] : 0.0;
        if (isinf(noise[j]))
            continue;
        if (side != 0.0)
            noise[j] = fmax(noise[j], SHARPEST * SHARPEST);
        double upper = side != 0.0 ? 0.0 : find_upper(model, data, i, j, &noise[j]);
        if (shape)
            shape[d + j] = side;
        if (side == 0.0 && upper == 0.0)
            continue;
        if (shape && together) {
            shape[j] = upper;
            continue;
        }
        struct tilt normal = nearest(model, j, x[j], noise[j], upper, side);
        x[j] = normal.mean;
        noise[j] = normal.variance;
    }
    if (shape && data->correlation)
        gather_correlations(data, i, d, noise, shape);
    if (shape && !together)
        memset(shape + d, 0, d * sizeof(double)); /* limits are now normal measurements */
}

void measurements_take(const struct nim_model *model, const nim_data *data, bool together,
                       size_t count, const size_t *row, double *x, double *noise, double *shape,
                       double *weight) {
    size_t d = model->attributes, size = shape_size(d);
    scaling_take(&model->scaling, data, model_uses_errors(model), count, row, x, noise, weight);
    if (shape)
        memset(shape, 0, count * size * sizeof(double));
    for (size_t k = 0; data_has_shapes(data) && k < count; k++)
        gather_row(model, data, together, row[k], x + k * d, noise + k * d,
                   shape ? shape + k * size : NULL);
}

/* The shape of the first `columns` of `width` attributes, in a shape of d. */
static void reshape(size_t width, size_t columns, size_t d, const double *from, double *to) {
    memset(to, 0, shape_size(d) * sizeof *to);
    memcpy(to, from, columns * sizeof *to);
    memcpy(to + d, from + width, columns * sizeof *to);
    memcpy(to + 2 * d, from + 2 * width, (shape_size(columns) - 2 * columns) * sizeof *to);
}

void measurement_of_columns(const struct nim_model *model, const nim_data *data, size_t i,
                            size_t more, const struct population_rows *one, double *x,
                            double *noise, double *shape) {
    size_t columns = model->columns;
    measurements_take(model, data, shape != NULL, 1, &i, one->x, one->noise,
                      shape ? one->shape : NULL, NULL);
    memcpy(x, one->x, columns * sizeof *x);
    memcpy(noise, one->noise, columns * sizeof *noise);
    for (size_t j = columns; j < columns + more; j++) {
        x[j] = 0.0;
        noise[j] = INFINITY;
    }
    if (shape)
        reshape(model->attributes, columns, columns + more, one->shape, shape);
}
