/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/*
 * Elementary and normal-distribution functions of whole arrays, written without branches so that
 * the loops vectorise. An output may be the same array as the input (not a shifted overlap), the
 * two outputs of one call must differ. No allocation, no state, no errno. NaN gives NaN.
 */

/* y = exp(x): overflows to infinity, flushes to zero below x = -708. */
void exp_array(size_t n, const double *x, double *y);

/* y = scale exp(rate x). */
void exp_scaled_array(size_t n, double scale, double rate, const double *x, double *y);

/* y = log(x): log 0 = -infinity, negative numbers give NaN. */
void log_array(size_t n, const double *x, double *y);

/*
 * cdf = Phi(z), with small relative error in the lower tail down to its underflow (zero below
 * z = -37.6), and hazard = phi(z) / Phi(z) = d log Phi(z) / dz, which grows like -z on the left.
 */
void normal_cdf_array(size_t n, const double *z, double *cdf, double *hazard);

/* Phi(z) of one number, with small relative error in the lower tail. */
double normal_cdf(double z);

/* log_cdf = log Phi(z) and the hazard as above; both have small relative error for every z. */
void log_normal_cdf_array(size_t n, const double *z, double *log_cdf, double *hazard);

/* log Gamma(x) and its derivative, for x > 0; unlike lgamma they have no global state. */
double log_gamma(double x);
double digamma(double x);

/* Q(a, x) = Gamma(a, x) / Gamma(a) for a > 0, x >= 0: the probability that a Poisson variable with
 * mean x is less than a. The absolute error is below 1e-9 for a > 10^4, otherwise below
 * 2e-13 + 3e-15 a. */
double gamma_upper(double a, double x);

/*
 * z = Phi^-1(p) for 0 < p < 1; p = 0 and p = 1 give the infinities, p outside [0, 1] gives NaN.
 * The error is relative in the tails and absolute near p = 1/2, where z crosses zero.
 */
double normal_quantile(double p);
void normal_quantile_array(size_t n, const double *p, double *z);
