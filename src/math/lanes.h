/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Small factorisations, LANES of them side by side: element e of problem l is at [e * LANES + l],
 * so one vector instruction does the same step of all problems. A problem's bits do not depend on
 * its lane, nor on the other lanes. Triangles are packed by rows: (0,0), (1,0), (1,1), (2,0), ...
 * All arrays are 64-byte aligned.
 */

#include <stddef.h>

enum { LANES = 8 };

static inline size_t packed_at(size_t i, size_t j) {
    return i * (i + 1) / 2 + j;
}

/* t = b + a, b - a, for `count` elements a that are the same in all lanes; t = a + diagonal for
 * packed a and t, and a diagonal of d. */
void lanes_add(size_t count, const double *a, const double *b, double *t);
void lanes_subtract(size_t count, const double *a, const double *b, double *t);
void lanes_add_diagonal(size_t d, const double *a, const double *diagonal, double *t);

/*
 * T (packed) becomes its Cholesky factor L, except that inverse (d) holds 1 / L_jj. A pivot that is
 * infinite (a missing cell), or at most `least` (d, the same in all lanes) because the cells before
 * it determine it, is left out: its inverse is zero, and so is its part of all that follows.
 * log_det is the sum of the logarithms of the other pivots, and count their number.
 */
void lanes_factor(size_t d, const double *least, double *t, double *inverse, double *log_det,
                  double *count);

/* u (d) = L^-1 u; square (1) = u'u. */
void lanes_solve(size_t d, const double *l, const double *inverse, double *u, double *square);

/* H' = (L^-1 G)' for a lower triangular G (d x d, the same in all lanes): row j of h (d x d) holds
 * column j of H from element j on. */
void lanes_solve_root(size_t d, const double *l, const double *inverse, const double *g, double *h);

/* e (d) = H'u, first (d) += weight e, second (packed) += weight e e'. */
void lanes_add_mean(size_t d, const double *weight, const double *h, const double *u, double *e,
                    double *first, double *second);

/* second (packed) -= weight H'H. */
void lanes_subtract_gram(size_t d, const double *weight, const double *h, double *second);
