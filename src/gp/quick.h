/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Mean and variance of one function in single precision, for averages over many points: the form of
 * gp.h, mean = K_xz alpha and var = k_xx + colsum(K_zx o P K_zx), for GP_BLOCK points at a time,
 * which stay in the first-level cache. The error of means is about 1e-5 deviations, that of
 * variances less than 1 %. If this cannot be reached, gp_quick_make returns false.
 */

#include "gp/gp.h"

enum { GP_BLOCK = 24 };

struct gp_quick_term {
    float variance;
    float *inverse_square; /* d: 1 / lambda^2 */
    float *z;              /* M x d: gp_sign Z / lambda^2, in panels of four rows */
    float *z_norm;         /* M */
};

struct gp_quick {
    size_t rows; /* M, rounded up to whole panels; the added rows have no effect */
    struct gp_quick_term term[KERNEL_MOST_TERMS];
    float *p;     /* the form's triangle, in panels of four rows */
    float *alpha; /* M */
    float diagonal, least;
};

/* Whether the kernel can be evaluated in single precision at all. */
bool gp_quick_serves(const struct gp_shape *shape);

void gp_quick_layout(struct gp_quick *quick, const struct gp_shape *shape, struct arena *arena);

/* False if single precision is not accurate enough for this function. */
bool gp_quick_make(struct gp_quick *quick, const struct gp_form *form,
                   const struct gp_factor *factor, const struct gp_shape *shape,
                   const struct gp_parameters *theta);

/* Floats of scratch, 64-byte aligned. */
size_t gp_quick_scratch(const struct gp_shape *shape);

/* x: d x GP_BLOCK, x_square its squares; mean and variance: GP_BLOCK. */
void gp_quick_conditional(const struct gp_quick *quick, const struct gp_shape *shape,
                          const float *x, const float *x_square, float *mean, float *variance,
                          float *scratch);
