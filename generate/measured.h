/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_MEASURED_H
#define GENERATE_MEASURED_H

/*
 * How the catalogue's spectral index, curvature and variability (x_j, j = 0, 1, 2) are measured,
 * where it is not with an independent normal error e_j each:
 *
 *     CATALOGUE_CORRELATED  errors e_j (a_j z + sqrt(1 - a_j^2) z_j), with a_j of each row uniform
 *                           in +-[0.8, 0.97]: the correlation of two is a_i a_j
 *     CATALOGUE_LOPSIDED    lower and upper error e_j exp(-+t), t uniform in [-1.2, 1.2]; seen from
 *                           what was measured, the truth is spread as two half normal curves
 *     CATALOGUE_LIMITS      curvatures measured below 0.2 and variabilities below 1.25 are listed
 *                           as being below that; their errors are known all the same
 */

#include "catalogue.h"

/* Measures x anew: value, error (given: e), upper, correlation and limit of the row. */
void measured_draw(enum catalogue_measured kind, const double truth[3], struct catalogue_row *row,
                   uint64_t *state);

/* log p(what is seen of the three), when x_j ~ N(mean, variance) and e_j is known; missing cells
 * are left out. */
double measured_log_density(enum catalogue_measured kind, const struct catalogue_row *row,
                            const double mean[3], const double variance[3], const double error[3]);

#endif
