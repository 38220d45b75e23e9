/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_GP_TILE_H
#define NIMGP_GP_TILE_H

/* The functions of gp.h in either precision, for tile.c: conditional.c and slope.c, compiled twice
 * (math/real.h). */

#include "math/real.h"
#include "gp/gp.h"

struct gp_arithmetic {
    void (*conditional)(const struct gp_factor *factor, const struct gp_shape *shape,
                        const struct gp_parameters *theta, const struct gp_points *points,
                        struct gp_tile *tile, double *mean, double *variance, double *scratch);
    void (*conditional_backward)(const struct gp_factor *factor, const struct gp_shape *shape,
                                 const struct gp_parameters *theta, const struct gp_points *points,
                                 struct gp_tile *tile, const double *d_mean,
                                 const double *d_variance, struct gp_totals *totals,
                                 double *scratch);
    void (*points_backward)(const struct gp_shape *shape, size_t functions,
                            const struct gp_factor *factors, const struct gp_tile *tiles,
                            const struct gp_points *points, size_t stride, size_t first,
                            size_t width, double *d_x, double *scratch);
};

struct gp_slopes {
    void (*slope)(const struct gp_factor *factor, const struct gp_shape *shape,
                  const struct gp_points *points, struct gp_tile *tile, struct gp_blur blur,
                  double *variance, double *scratch);
    void (*slope_backward)(const struct gp_factor *factor, const struct gp_shape *shape,
                           const struct gp_points *points, struct gp_tile *tile,
                           struct gp_blur blur, const double *d_variance, struct gp_totals *totals,
                           double *scratch);
};

extern const struct gp_arithmetic gp_arithmetic, gp_arithmetic_single;
extern const struct gp_slopes gp_slopes, gp_slopes_single;

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

#endif
