/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_SPLIT_H
#define NIMGP_POPULATION_SPLIT_H

#include "population/em.h"

enum { SPLITS = POPULATION_MOST_COMPONENTS };

/*
 * Writes up to SPLITS mixtures with one more component, each with one component split in two: for
 * every component the most promising cut of its rows at a value along a direction (two clusters),
 * and the most promising of all cuts at a distance from a component's centre (a narrow core and
 * wide tails). How promising a cut is says little of components that errors hide, so which one is
 * best is found by trying.
 * Returns their number; SIZE_MAX if memory runs out. The caller frees them.
 */
size_t population_splits(const struct population *population, const struct batch *batch,
                         struct population split[SPLITS]);

#endif
