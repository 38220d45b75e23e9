/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_BOUND_REFERENCE_H
#define TESTS_SUPPORT_BOUND_REFERENCE_H

/* The bound by dense linear algebra in extended precision, and the library's beside it. */

#include "support/gaussian_reference.h"

/* E log p(y | f(x)), or with alpha what stands in its place, at one point. Input noise to first
 * order widens f, or, where the likelihood tells them apart, blurs p. */
real reference_log_likelihood(const struct fixture *fixture, const struct reference_gp *gp,
                              size_t row, const real *noise, const real *x);

real reference_bound(const struct fixture *fixture);

void compare_bound(struct fixture *fixture, const struct problem *problem);

/* Moved off its start, where KL, learned noise and learned label noise all take part. */
void check_bound(const struct problem *problem, size_t combination);

#endif
