/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The form in which a function's posterior is stored in its free parameters m and l. Everything is
 * computed from m and L of q(w) = N(m, L L'); a form converts what is stored, and the gradient. The
 * distributions are the same in every form, but the steps of an optimiser are not.
 */

#include "gp/gp.h"

struct posterior_form {
    /* The part of the posterior needs that of the prior, and its gradient comes first. Otherwise
     * the two may run at the same time. */
    bool after_prior;

    /* Called when the prior's factor is known, before `mean`. */
    void (*find_mean)(struct gp_factor *factor, size_t m, const struct gp_parameters *theta);

    /* m of q(w). */
    const double *(*mean)(const struct gp_factor *factor, const struct gp_parameters *theta);

    /* Sets factor->l to L and returns sum_i log L_ii. */
    double (*unpack)(struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     double *scratch);

    /* Adds to the lower triangle of P / 2 (M x M), which covariance_gradient explains, what comes
     * from m and L if they change with L_K. posterior_work contains dL. */
    void (*covariance)(const struct gp_factor *factor, size_t m, double *half_p, double *scratch);

    /* The gradient by the stored m and l, with that of the KL divergence. posterior_work contains
     * 2 G L, the gradient by L without the KL divergence, and may be overwritten. */
    void (*gradient)(const struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     const struct gp_totals *totals, const struct gp_parameters *gradient,
                     double *scratch);

    /* Stores the prior: m = 0 and L = I. False when out of memory. */
    bool (*start)(const struct gp_shape *shape, double jitter, const struct gp_parameters *theta);
};

/* The form by the option "whiten": 1 is the one in general use, 0 that of the published runs. */
extern const struct posterior_form posterior_whitened, posterior_unwhitened;
extern const struct posterior_form *const posterior_form_list[];
