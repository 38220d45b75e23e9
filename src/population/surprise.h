/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_SURPRISE_H
#define NIMGP_POPULATION_SURPRISE_H

/*
 * How surprising a measurement x~ is under a population, compared with measurements with the same
 * noise. Its density is that of the population convolved with its noise, without missing cells:
 *
 *     log p(x~) = log sum_k share_k N(x~; m_k, S_k + V).
 *
 * A noisy row has a low density everywhere, and the density of a row with missing cells has other
 * units. So -log p(x~) is compared with its mean over measurements with the same noise and cells.
 * For the mean, the components are assumed not to overlap,
 *
 *     H = sum_k share_k (log |2 pi e (S_k + V)| / 2 - log share_k),
 *
 * and the difference is divided by the deviation, sqrt(m / 2) for m cells. For one Gaussian both
 * are exact, and the surprise is (D^2 - m) / sqrt(2 m) with the Mahalanobis distance D.
 *
 * For a measurement with a shape, V is the covariance of its errors. An asymmetric cell counts in H
 * as the normal measurement with its variance. A limit has a probability P and not a density: it
 * adds the entropy of that event, -P log P - (1 - P) log(1 - P), to H and 1 - P to m. So a limit
 * that is almost certain changes nothing.
 */

#include "population/population.h"

struct surprise {
    double log_density; /* log p(x~), in standard units */
    double value;       /* (-log p(x~) - H) / sqrt(m / 2); 0 if no cell counts */
};

/* Adds a normal variable of this variance. */
void expect_normal(struct usual_surprise *usual, double variance);

/* For a learned population. The conditioner, share (K) and centre (K x d) are used if it has
 * components; otherwise the measurement has no shape. */
struct surprise population_surprise(const struct population *population,
                                    struct conditioner *conditioner, const struct measurement *row,
                                    double *share, double *centre);

/* A copy in new memory. False when out of memory. */
bool population_copy(const struct population *from, struct population *to);

#endif
