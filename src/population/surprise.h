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
 *
 * Of a measurement with a shape, V has the covariance of its errors. A lopsided cell adds to H what
 * the normal one of its variance would. A limit has a probability P and not a density: it adds that
 * event's entropy, -P log P - (1 - P) log(1 - P), to H and 1 - P to m, so that one that is as good
 * as certain changes nothing.
 */

#include "population/population.h"

struct surprise {
    double log_density; /* log p(x~), in standard units */
    double value;       /* (-log p(x~) - H) / sqrt(m / 2); 0 where no cell tells */
};

/* A normal variable of this variance more is looked at. */
void expect_normal(struct usual_surprise *usual, double variance);

/* Of a learned population. The conditioner, share (K) and centre (K x d) are used where it has
 * components; where it has none, the measurement has no shape. */
struct surprise population_surprise(const struct population *population,
                                    struct conditioner *conditioner, const struct measurement *row,
                                    double *share, double *centre);

/* A copy with memory of its own. False when that runs out. */
bool population_copy(const struct population *from, struct population *to);

#endif
