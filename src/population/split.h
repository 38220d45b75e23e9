/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_SPLIT_H
#define NIMGP_POPULATION_SPLIT_H

#include "population/em.h"

enum { SPLITS = 2 };

/*
 * Writes up to SPLITS mixtures with one more component, each with one component split in two, the
 * most promising splits of their kinds: the rows of a component are cut at a value along a
 * direction (two clusters), or at a distance from its centre (a narrow core and wide tails).
 * Returns their number; SIZE_MAX if memory runs out. The caller frees them.
 */
size_t population_splits(const struct population *population, const struct batch *batch,
                         struct population split[SPLITS]);

#endif
