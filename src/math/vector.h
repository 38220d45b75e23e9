/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MATH_VECTOR_H
#define NIMGP_MATH_VECTOR_H

#include <stddef.h>

/*
 * Small loops over arrays, vectorised without giving up a fixed order of summation: sums run in
 * SUM_PARTS parts, each of every SUM_PARTS-th number, that are added up in one way only. Loops
 * elsewhere that sum do the same, and have sum() add up their parts.
 */
enum { SUM_PARTS = 8 };

double sum(size_t n, const double *a);                                    /* sum a */
double dot(size_t n, const double *a, const double *b);                   /* sum a b */
double dot3(size_t n, const double *a, const double *b, const double *c); /* sum a b c */

void add(size_t n, const double *a, double *out);                  /* out += a */
void add_scaled(size_t n, double s, const double *a, double *out); /* out += s a */
void scale(size_t n, double s, double *out);                       /* out *= s */
void multiply(size_t n, const double *a, const double *b,
              double *out); /* out = a b; out may be a or b */

#endif
