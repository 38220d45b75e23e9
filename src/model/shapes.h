/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_SHAPES_H
#define NIMGP_MODEL_SHAPES_H

/*
 * Measurements that are more than x~ with an error of its own (population/measurement.h), as a
 * model takes them. Where its population knows how attributes hang together, shapes go to the
 * conditioner as they are. Where it does not, lopsided cells and limits become the normal
 * measurements that come closest, attribute by attribute, and only correlations are left.
 */

#include "model/model.h"

/* Fails where the model has no use for what the data say, and would pass it over. */
nim_status shapes_check_use(const struct nim_model *model, const nim_data *data, nim_error *error);

/* Whether rows of the data have a p(x | x~) in which attributes hang together: by the population,
 * or by correlated errors. */
bool shapes_join(const struct nim_model *model, const nim_data *data);

/* Whether rows have shapes that go to the conditioner. */
bool shapes_taken(const struct nim_model *model, const nim_data *data);

/* Rows in standard units, as scaling_gather leaves them, with their shapes (count x shape_size(d))
 * for a population in which attributes hang `together`; else x and noise of the nearest normal
 * measurements, and correlations in shape unless it is NULL. The noise of limits and of halves
 * without an error is never zero. */
void measurements_gather(const struct nim_model *model, const nim_data *data, bool together,
                         size_t count, const size_t *row, double *x, double *noise, double *shape,
                         double *weight);

#endif
