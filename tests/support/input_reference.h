/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INPUT_REFERENCE_H
#define TESTS_SUPPORT_INPUT_REFERENCE_H

/* Measurements, targets and input models by the textbook's formulas, in extended precision. */

#include "support/problem.h"
#include "support/reference.h"

/* What fixture_bound says of its batch. */
enum { STEP = 7, ROWS_PER_BATCH_ROW = 3 };

/* q(x) = N(mu, s) of one row, attribute by attribute. */
struct belief {
    real *mu, *s;
};

bool input_is(const struct fixture *fixture, const char *input);

bool input_infers(const struct fixture *fixture);

/* x~ and V of all rows in units of each column's deviation; V is infinite where x~ is missing. */
void reference_standardise(const struct fixture *fixture, real *measured, real *noise);

/* y as the likelihood is told it: numbers in units of their deviation, counts with exposure. */
void reference_target(const struct fixture *fixture, size_t row, double *target);

/* Standard normal points of one row (samples x d). */
void reference_draws(const struct fixture *fixture, size_t row, double *epsilon);

/* `marginal`: a lattice moved by a shift of the row's own, as quantiles (samples x d). */
void reference_lattice(const struct fixture *fixture, size_t row, double *epsilon);

/* log of the mean of exponentials. */
real reference_log_mean(size_t count, const real *log_term);

real reference_log_density(real x, real mean, real variance);

struct belief reference_belief(const struct fixture *fixture, size_t row, const real *measured,
                               const real *noise);

/* Points of one row (samples x d). */
void reference_place(const struct fixture *fixture, size_t row, const real *measured,
                     const real *noise, struct belief belief, real *x);

/* E log N(x~ | x, V) - KL(q(x) || p(x)), term by term. */
real reference_worth(const struct fixture *fixture, const real *measured, const real *noise,
                     struct belief belief);

/* log N(x~ | x, V) p(x) / q(x) at one point. */
real reference_worth_at(const struct fixture *fixture, const real *measured, const real *noise,
                        struct belief belief, const real *x);

#endif
