/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "math/random.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Quasi-random standard normal points, n x d: a rank-1 lattice whose generating vector is built
 * component by component to be good in projections onto few attributes (the key selects the
 * candidates), folded by the baker's transformation so that each single attribute has the midpoints
 * of n equal cells. The error falls like 1/n or faster, that of random draws like 1/sqrt(n).
 * False when out of memory.
 */
bool lattice_normal(struct random_key key, size_t n, size_t d, double *points);

/*
 * The same lattice without folding, d x n. Each attribute has the midpoints of n cells here too, so
 * its points sum to zero. Folding makes pairs of close points, which is good for thousands of
 * points but not for a few hundred.
 */
bool lattice_few(struct random_key key, size_t n, size_t d, double *points);

/* The lattice in the unit cube, n x d; the caller can shift it at random, modulo 1. */
bool lattice_uniform(struct random_key key, size_t n, size_t d, double *points);

/*
 * Pairs of points xi, -xi and their weights, with which smooth functions of d standard normal
 * variables are averaged: E g ~ sum_k weight_k (g(xi_k) + g(-xi_k)) / 2, with weights that sum to
 * one. The lattice has 2 n + 1 points. Points k and -k are mirror images, and point 0 has no
 * weight. The points are mapped to a normal distribution wider than the standard one, and the
 * weights correct for that. So the integrand over the cube falls to zero at its faces and is smooth
 * across them, and the error falls nearly like 1/n^2. A small linear map of the points makes
 * averages of polynomials up to degree three exact, as far as n allows.
 *
 * lattice_pairs writes the normal variables, n x d. mirrored_pairs makes points (n x used) and
 * weights (n) from the first `used` of them, at least one. 2 n + 1 should be prime and n at least
 * 2 d; otherwise some coordinates coincide. work: used x used.
 */
bool lattice_pairs(struct random_key key, size_t n, size_t d, double *normal);
void mirrored_pairs(size_t n, size_t d, const double *normal, size_t used, double *points,
                    double *weight, double *work);
