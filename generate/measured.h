/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Measurements of the catalogue's spectral index, curvature and variability (x_j, j = 0, 1, 2) that
 * do not have independent normal errors e_j:
 *
 *     CATALOGUE_CORRELATED  errors e_j (a_j z + sqrt(1 - a_j^2) z_j), with a_j of each row uniform
 *                           in +-[0.8, 0.97]: the correlation of two is a_i a_j
 *     CATALOGUE_LOPSIDED    lower and upper error e_j exp(-+t), t uniform in [-1.2, 1.2]; given the
 *                           measurement, the true value has two half-normal curves
 *     CATALOGUE_LIMITS      curvatures measured below 0.2 and variabilities below 1.25 are listed
 *                           as upper limits; their errors are known
 */

#include "catalogue.h"

/* Measures x again: value, error (given: e), upper, correlation and limit of the row. */
void measured_draw(enum catalogue_measured kind, const double truth[3], struct catalogue_row *row,
                   uint64_t *state);

/* The log density of the three measurements for x_j ~ N(mean, variance) and known e_j; missing
 * cells are omitted. */
double measured_log_density(enum catalogue_measured kind, const struct catalogue_row *row,
                            const double mean[3], const double variance[3], const double error[3]);
