/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_ROW_PRIORS_H
#define NIMGP_MODEL_ROW_PRIORS_H

/*
 * p(x | x~) of some rows at a time: what each row's measurement leaves of a population that knows
 * how attributes hang together. Where the population does not, nothing of this is needed, and the
 * arrays are NULL.
 */

#include "model/model.h"

struct row_priors {
    const struct population *population;
    struct conditioner *conditioner; /* one a worker */
    double *share, *centre, *root;   /* B x K, B x K x d, B x K x d x d; root NULL when merged */
    double *merged_centre, *merged_root; /* B x d, B x d x d: as one Gaussian; or NULL */
    double *evidence;                    /* B: log p(x~) */
};

/* Room for so many rows and workers; `merged`: a mixture is wanted as the one Gaussian with its
 * mean and covariance. */
void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool merged,
                       size_t rows, size_t workers, struct arena *arena);

/* Row i's, from its measurement (d) and noise (d). */
void row_priors_take(struct row_priors *priors, size_t i, const double *x, const double *noise,
                     size_t worker);

/* As an input model wants them: all zero where there are none. */
struct input_prior row_priors_view(const struct row_priors *priors);

#endif
