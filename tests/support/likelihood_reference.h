/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The likelihoods once more, in long double: p(y | f) as a textbook writes it, and expectations of
 * log p by sums so fine that no cleverness is needed. Shares no arithmetic with src/likelihood;
 * only the layout of parameters and targets is read.
 */
#ifndef TESTS_LIKELIHOOD_REFERENCE_H
#define TESTS_LIKELIHOOD_REFERENCE_H

#include "likelihood/likelihood.h"
#include "support/reference.h"

struct reference_likelihood {
    const struct likelihood *likelihood;
    struct likelihood_setting setting;
    const double *theta;
};

bool reference_is(const struct reference_likelihood *likelihood, const char *name);

/* log Phi, also where Phi is nothing; and the log of a Student-t's density at u, scale^2 = s2. */
real reference_log_normal_cdf(real z);
real reference_log_student_t(real u, real nu, real s2);

/*
 * log p(y | f) for f in R^F. `blur` (F, or NULL) is the variance of what input noise adds to f:
 * p is then E p(y | f + g), which for Student-t noise is, by definition, more scale.
 */
real reference_log_p(const struct reference_likelihood *likelihood, const double *target,
                     const real *f, const real *blur);

/*
 * (1/alpha) log E p(y | f)^alpha under f ~ N(mean, variance) (F each), E log p(y | f) for alpha =
 * 0; of sets of labels, the labels' sum. Softmax is averaged over the points of setting.table, as
 * the library says it does; all others over all f.
 */
real reference_expectation(const struct reference_likelihood *likelihood, const double *target,
                           const real *mean, const real *variance, const real *blur);

/* E g(f) for a smooth g of one f, whose steepest place and the width of it are given. */
typedef real reference_function(real f, const void *context);
real reference_average(reference_function *g, const void *context, real mean, real variance,
                       real place, real width);

/* (1/alpha) log E exp(alpha g(f)) likewise, wherever its integrand is; E g(f) for alpha = 0. */
real reference_power(real alpha, reference_function *g, const void *context, real mean,
                     real variance, real place, real width);

#endif
