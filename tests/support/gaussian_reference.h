/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_GAUSSIAN_REFERENCE_H
#define TESTS_SUPPORT_GAUSSIAN_REFERENCE_H

/* A population of one Gaussian, and rows in which attributes hang together, by the textbook. */

#include "support/input_reference.h"

enum { MOST_D = 2 };

/* N(mean, covariance) in d attributes. */
struct gaussian {
    size_t d;
    real mean[MOST_D], covariance[MOST_D * MOST_D];
};

struct gaussian gaussian_population(const struct nim_model *model);

real gaussian_log_density(const struct gaussian *gaussian, const real *x);

/* p(x | x~): precision S^-1 + V^-1, where V^-1 is zero for a missing cell, and mean T (S^-1 m +
 * V^-1 x~). */
struct gaussian gaussian_given(const struct gaussian *prior, const real *measured,
                               const real *noise);

/* Which of all roots of T the library has, R R' = T, is its own affair: but it must be one. */
void gaussian_root(const struct fixture *fixture, const struct gaussian *posterior,
                   const real *measured, const real *noise, real *root);

/* q(x) of x = c + R (shift + exp(spread/2) epsilon), and the factor of epsilon. */
struct gaussian gaussian_belief(const struct fixture *fixture, size_t row,
                                const struct gaussian *posterior, const real *root, real *factor);

/* E_q log N(x~ | x, V) - KL(q || p), over the cells that are there, term by term. */
real gaussian_worth(const struct gaussian *prior, const struct gaussian *q, const real *measured,
                    const real *noise);

/* log N(x~ | x, V) p(x) / q(x) at one point. */
real gaussian_worth_at(const struct gaussian *prior, const struct gaussian *q, const real *measured,
                       const real *noise, const real *x);

#endif
