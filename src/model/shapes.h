/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Measurements with correlations, upper errors or limits (population/measurement.h) in a model. If
 * its population has correlated attributes, the shapes are passed to the conditioner. Otherwise
 * asymmetric cells and limits become the closest normal measurements, for each attribute, and only
 * correlations are left.
 */

#include "model/model.h"

/* Fails if the model would have to ignore a part of these data. */
nim_status shapes_check_use(const struct nim_model *model, const nim_data *data, nim_error *error);

/* Whether attributes are correlated in p(x | x~) of these rows, because of the population or of
 * correlated errors. */
bool shapes_correlate(const struct nim_model *model, const nim_data *data);

/* Whether rows have shapes that are passed to the conditioner. */
bool shapes_taken(const struct nim_model *model, const nim_data *data);

/* Takes rows in standard units from scaling_take. For a population whose attributes are
 * correlated
 * (`together`), adds their shapes (count x shape_size(d)). Otherwise replaces x and noise by those
 * of the closest normal measurements, and writes correlations to shape unless it is NULL. The noise
 * of limits, and of cells with only one error, is never zero. */
void measurements_take(const struct nim_model *model, const nim_data *data, bool together,
                       size_t count, const size_t *row, double *x, double *noise, double *shape,
                       double *weight);

/* Row i without its flags, and with room for `more` attributes after the columns, which are
 * missing: x, noise (columns + more) and, unless it is NULL, shape. one: memory for a row of the
 * model's width. */
void measurement_of_columns(const struct nim_model *model, const nim_data *data, size_t i,
                            size_t more, const struct population_rows *one, double *x,
                            double *noise, double *shape);
