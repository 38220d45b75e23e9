/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_SURPRISE_H
#define NIMGP_POPULATION_SURPRISE_H

/*
 * How surprising a measurement x~ is under a population, beside what is usual for one as noisy. Its
 * density is that of the population widened by its own noise, missing cells left out:
 *
 *     log p(x~) = log sum_k share_k N(x~; m_k, S_k + V).
 *
 * A noisy row has a low density wherever it lies, and one with missing cells one in another unit.
 * So -log p(x~) is held against its mean over measurements with the same noise and cells, for which
 * that of components that do not overlap is taken,
 *
 *     H = sum_k share_k (log |2 pi e (S_k + V)| / 2 - log share_k),
 *
 * and counted in deviations, sqrt(m / 2) for m cells. Of one Gaussian both are exact, and the
 * surprise is (D^2 - m) / sqrt(2 m), D being the Mahalanobis distance.
 */

#include "population/population.h"

struct surprise {
    double log_density; /* log p(x~), in standard units */
    double value;       /* (-log p(x~) - H) / sqrt(m / 2); 0 where no cell tells */
};

/* Of a learned population. The conditioner, share (K) and centre (K x d) are used where it has
 * components. */
struct surprise population_surprise(const struct population *population,
                                    struct conditioner *conditioner, const double *x,
                                    const double *noise, double *share, double *centre);

/* A copy with memory of its own. False when that runs out. */
bool population_copy(const struct population *from, struct population *to);

#endif
