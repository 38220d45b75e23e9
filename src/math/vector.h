/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/*
 * Small loops over arrays, vectorised with a fixed order of summation: sums have SUM_PARTS parts,
 * each of every SUM_PARTS-th number, and the parts are added up in one fixed order. Other loops
 * that sum do the same, and use sum() to add up their parts.
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

/* The same in single precision, except for sums; and conversion to it. */
double dot_single(size_t n, const float *a, const float *b);
void add_single(size_t n, const float *a, float *out);
void scale_single(size_t n, float s, float *out);
void multiply_single(size_t n, const float *a, const float *b, float *out);
void narrow(size_t n, const double *a, float *out);
