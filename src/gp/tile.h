/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files compiled twice (math/real.h) share: conditional.c, slope.c, input_gradient.c. */

#include "math/real.h"
#include "gp/gp.h"

/* From the total of gamma X, and gamma_zz (M x M) of a term to the gradient by Z and its
 * lengthscales: see input_gradient.c. For factor.c. */
void gp_input_gradient(const struct gp_factor *factor, const struct gp_shape *shape, size_t t,
                       const struct gp_parameters *theta, struct gp_totals *totals,
                       const double *gamma_zz, const struct gp_parameters *gradient,
                       const struct gp_z_taker *taker, double *scratch);
void gp_input_gradient_single(const struct gp_factor *factor, const struct gp_shape *shape,
                              size_t t, const struct gp_parameters *theta, struct gp_totals *totals,
                              const double *gamma_zz, const struct gp_parameters *gradient,
                              const struct gp_z_taker *taker, double *scratch);

/* A matrix as an array of reals. */
static inline real *reals_of(union gp_matrix matrix) {
#ifdef SINGLE
    return matrix.narrow;
#else
    return matrix.wide;
#endif
}
