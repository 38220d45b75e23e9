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

#endif
