/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * p(x | x~) of several rows, for a population with correlated attributes. Otherwise it is not
 * needed, and the arrays are NULL.
 */

#include "model/model.h"

struct row_priors {
    const struct nim_model *model;
    size_t components;               /* K; 0 if not needed */
    struct conditioner *conditioner; /* one a worker */
    double *share, *centre, *root;   /* B x K, B x K x d, B x K x d x d; root NULL when merged */
    double *merged_centre, *merged_root; /* B x d, B x d x d: as one Gaussian; or NULL */
    double *evidence;                    /* B: log p(x~) */
};

/* Memory for this number of rows and workers. correlated: rows have such priors (shapes_correlate);
 * merged: a mixture is replaced by the Gaussian with its mean and covariance. */
void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool correlated,
                       bool merged, size_t rows, size_t workers, struct arena *arena);

/* Row i's, from its measurement. */
void row_priors_take(struct row_priors *priors, size_t i, struct measurement row, size_t worker);

/*
 * The same for one row, for a model whose rows have such priors: share and centre as in
 * conditioner_take, R in the conditioner; returns log p(x~). Without a learned population, models
 * that do not infer inputs use the measurements directly and need only the covariance of the
 * errors.
 */
double row_prior(const struct nim_model *model, struct conditioner *conditioner,
                 const struct measurement *row, double *share, double *centre);

/* In the form for input models; all zero if there are none. */
struct input_prior row_priors_view(const struct row_priors *priors);
