/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MATH_LATTICE_H
#define NIMGP_MATH_LATTICE_H

#include "math/random.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Quasi-random standard normal points, n x d: a rank-1 lattice whose generating vector is built
 * component by component to be good in projections onto few attributes (the key picks the
 * candidates), folded by the baker's transformation so that each attribute alone sees the middles
 * of n equal cells. The error falls like 1/n or faster, that of plain draws like 1/sqrt(n).
 * False when there is no memory.
 */
bool lattice_normal(struct random_key key, size_t n, size_t d, double *points);

/*
 * The same lattice as it is, d x n: each attribute sees the middles of n cells here too, so that
 * its points sum to zero. Folding brings points together in pairs, which pays when there are
 * thousands; of a few hundred, all are worth having.
 */
bool lattice_few(struct random_key key, size_t n, size_t d, double *points);

/* The lattice in the unit cube, n x d, as it is: for a shift, modulo 1, to move it at random. */
bool lattice_uniform(struct random_key key, size_t n, size_t d, double *points);

/*
 * Pairs of points xi, -xi and their weights, with which smooth functions of d standard normal
 * variables are averaged: E g ~ sum_k weight_k (g(xi_k) + g(-xi_k)) / 2, of weights that sum to
 * one. The lattice has 2 n + 1 points, of which k and -k are mirror images and 0 has no weight. It
 * is spread over a normal distribution wider than the standard one, and the weights make up for
 * that. So what is averaged over the cube falls to zero at its faces, is smooth across them, and
 * the error falls nearly like 1/n^2. Points are turned and stretched a little such that functions
 * up to the third degree are averaged without an error, as far as n allows.
 *
 * lattice_pairs writes the normal variables, n x d; mirrored_pairs makes points (n x used) and
 * weights (n) of the first `used` of them, at least one. 2 n + 1 is prime and n at least 2 d, or
 * else some coordinates go together. work: used x used.
 */
bool lattice_pairs(struct random_key key, size_t n, size_t d, double *normal);
void mirrored_pairs(size_t n, size_t d, const double *normal, size_t used, double *points,
                    double *weight, double *work);

#endif
