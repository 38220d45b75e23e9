/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's formulas once more, in long double, with naive loops, explicit inverses and the
 * posterior in its textbook (not whitened) form. Shares no arithmetic with the library: only the
 * layout of its parameters is read.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include "gp/gp.h"

#include <stdbool.h>
#include <stddef.h>

typedef long double real;

#define REAL_PI 3.141592653589793238462643383279502884L

/* ---------------------------------------------------------------- arrays and matrices --------- */

/* Zeroed; ends the test when there is no memory. */
real *reals(size_t count);
double *doubles(size_t count);

/* Lower factor l of the symmetric a (both n x n); false when a is not positive definite. */
bool reference_cholesky(size_t n, const real *a, real *l);

/* Inverse of a (n x n) by Gauss-Jordan elimination; returns log |det a|. */
real reference_inverse(size_t n, const real *a, real *inverse);

/* c (m x n) = a (m x k) b (k x n). */
void reference_product(size_t m, size_t n, size_t k, const real *a, const real *b, real *c);

/* x' a y. */
real reference_form(size_t n, const real *x, const real *a, const real *y);

/* ---------------------------------------------------------------- normal distribution --------- */

real reference_normal_cdf(real z);
real reference_normal_density(real x, real mean, real variance);

/*
 * P(label = argmax f) for independent f_c ~ N(mean_c, variance_c) by a trapezoidal rule so fine
 * that its error is far below 1e-15; the derivatives by mean and variance unless NULL.
 */
real reference_win_probability(size_t classes, size_t label, const real *mean, const real *variance,
                               real *d_mean, real *d_variance);

/* ---------------------------------------------------------------- kernels --------------------- */

/* g of the named term at a squared distance or, for polynomial and linear, at a dot product t. */
real reference_shape(const char *term, unsigned degree, real t);

/* The name says what is added up, such as linear+se: each term has s2 and lambda of its own. */
enum { REFERENCE_TERMS = 2 };
struct reference_kernel {
    const char *name;
    unsigned degree;
    size_t attributes;
    real variance[REFERENCE_TERMS];
    const real *lengthscale; /* terms x attributes */
};

size_t reference_terms(const char *kernel);

/* The kernel of a process as its parameters have it; returns the sum of its s2. The caller frees
 * lengthscale. */
real reference_read_kernel(struct reference_kernel *kernel, const struct gp_shape *shape,
                           const struct gp_parameters *theta, real **lengthscale);

/* k(x, y) without white noise and jitter. */
real reference_covariance(const struct reference_kernel *kernel, const real *x, const real *y);

/* ---------------------------------------------------------------- one sparse process ---------- */

struct reference_gp {
    struct reference_kernel kernel;
    size_t inducing;
    real diagonal; /* white noise and jitter: what equal points share beyond k */
    real *lengthscale;
    real *z;               /* M x d */
    real *covariance;      /* M x M: K_zz with the diagonal */
    real *inverse;         /* M x M: its inverse */
    real *mean, *spread;   /* q(u) = N(mean, spread): M, M x M */
    real *weights, *inner; /* K^-1 mean; K^-1 spread K^-1 - K^-1 */
    real log_determinant;  /* of K_zz */
};

void reference_gp_create(struct reference_gp *gp, const struct gp_shape *shape,
                         const struct gp_parameters *theta, double jitter);
void reference_gp_free(struct reference_gp *gp);

/* Mean and variance of f(x). */
void reference_gp_at(const struct reference_gp *gp, const real *x, real *mean, real *variance);

/* Slope of the mean at x by differences. */
void reference_gp_slope(const struct reference_gp *gp, const real *x, real *slope);

/* KL(q(u) || N(0, K_zz)). */
real reference_gp_kl(const struct reference_gp *gp);

#endif
