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

/* A mixture in which the components that gain most from it are each split in two, `most` of them at
 * most. False if memory runs out. */
bool population_split_many(const struct population *population, const struct batch *batch,
                           size_t most, struct population *split);

#endif
