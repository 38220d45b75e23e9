/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_EM_H
#define NIMGP_POPULATION_EM_H

#include "population/batch.h"

/* Added to every variance in every round. */
#define LEAST_VARIANCE 1e-8

/* As population_likelihood and population_improve, for a population with components. em_improve
 * returns NaN if memory runs out, and -infinity where the likelihood is not a number. */
double em_likelihood(const struct population *population, const struct batch *batch,
                     struct pool *pool);
double em_improve(struct population *population, const struct batch *batch, double pull,
                  struct pool *pool);

/* The sums over rows for the maximisation, which the arena owns. NULL if memory runs out. */
struct tally *em_tally(const struct population *population, const struct batch *batch,
                       struct pool *pool, struct arena *arena);

/* The rows of a batch: those in blocks, then the odd ones. */
size_t batch_all_rows(const struct batch *batch);

/* Each row's component with the largest share, its denoised place c given that component (rows x
 * d), y'(S + V)^-1 y there, and the number of its cells. False if memory runs out. */
bool em_assign(const struct population *population, const struct batch *batch, size_t *component,
               double *centre, double *distance, double *cells);

/* log p(x~) of each row. False if memory runs out. */
bool em_row_likelihoods(const struct population *population, const struct batch *batch,
                        double *value);

#endif
