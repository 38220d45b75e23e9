/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_GP_UNWHITENED_H
#define NIMGP_GP_UNWHITENED_H

/*
 * A posterior that is not whitened, for factor.c: q(u) = N(n, S S') in place of q(w) = N(m, L L').
 * The two describe the same distributions, with
 *
 *     m = L_K^-1 n,   L = L_K^-1 S,
 *
 * but a step of Adam in n and S differs from one in m and L. Everything is computed from m and L
 * as ever; these functions convert them, and their gradients dm and dL (M x M, lower).
 */

#include "gp/gp.h"

/* factor->m from n; factor->l from S, which it contains. Both need factor->inverse. */
void whiten_mean(const struct gp_factor *factor, size_t m, const double *n);
void whiten_root(const struct gp_factor *factor, size_t m, double *scratch);

/* Adds (dm m' + dL L') / 2 to the lower triangle of P / 2 (M x M), which covariance_gradient
 * explains: with n and S fixed, m and L depend on L_K. dL is in posterior_work. */
void unwhitened_covariance(const struct gp_factor *factor, size_t m, double *half_p,
                           double *scratch);

/* The gradient by n and the stored form of S. posterior_work has 2 G L and gets dL; d_m gets dm. */
void unwhitened_gradient(const struct gp_factor *factor, size_t m,
                         const struct gp_parameters *theta, const struct gp_gather *gather,
                         const struct gp_parameters *gradient, double *scratch);

#endif
