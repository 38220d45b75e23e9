/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_ROW_PRIORS_H
#define NIMGP_MODEL_ROW_PRIORS_H

/*
 * p(x | x~) of some rows at a time: what each row's measurement leaves of a population that knows
 * correlations of attributes. Where the population does not, nothing of this is needed, and the
 * arrays are NULL.
 */

#include "model/model.h"

struct row_priors {
    const struct nim_model *model;
    size_t components;               /* K; 0 where nothing of this is needed */
    struct conditioner *conditioner; /* one a worker */
    double *share, *centre, *root;   /* B x K, B x K x d, B x K x d x d; root NULL when merged */
    double *merged_centre, *merged_root; /* B x d, B x d x d: as one Gaussian; or NULL */
    double *evidence;                    /* B: log p(x~) */
};

/* Room for so many rows and workers. joined: rows have such priors (shapes_join); merged: a mixture
 * is wanted as the one Gaussian with its mean and covariance. */
void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool joined,
                       bool merged, size_t rows, size_t workers, struct arena *arena);

/* Row i's, from its measurement. */
void row_priors_take(struct row_priors *priors, size_t i, struct measurement row, size_t worker);

/*
 * Of one row, for a model whose rows have such priors: share and centre as conditioner_take has
 * them, R in the conditioner; returns log p(x~). Models that do not infer inputs take measurements
 * as they are where no population was learned, and all they need is the covariance of the errors.
 */
double row_prior(const struct nim_model *model, struct conditioner *conditioner,
                 const struct measurement *row, double *share, double *centre);

/* As an input model wants them: all zero where there are none. */
struct input_prior row_priors_view(const struct row_priors *priors);

#endif
