/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * p(x | x~) of several rows, for a population with correlated attributes. Otherwise it is not
 * needed, and the arrays are NULL.
 */

#include "model/model.h"

struct row_priors {
    const struct nim_model *model;
    size_t components; /* K, of the population; 0 if not needed */
    size_t gaussians;  /* of a row's prior: K, or 1 when merged */
    bool merged;
    struct conditioner *conditioner; /* one a worker */
    double **apart;                  /* a worker: K + K x d, a prior before it is merged; or NULL */
    double *share, *centre, *root;   /* B x gaussians, x d, x d x d */
    double *evidence;                /* B: log p(x~) */
    double *kept; /* for each row of the table 1 and its part of these arrays, or 0 if it has not
                     been computed yet; NULL: nothing is kept */
};

/* Memory for `rows` rows and for workers. correlated: rows have such priors (shapes_correlate);
 * merged: a mixture is replaced by the Gaussian with its mean and covariance. Priors can be kept
 * for a table of `kept` rows, unless that needs too much memory. */
void row_priors_layout(struct row_priors *priors, const struct nim_model *model, bool correlated,
                       bool merged, size_t rows, size_t kept, size_t workers, struct arena *arena);

/* Row i's, from its measurement, which is that of row `at` of the table. */
void row_priors_take(struct row_priors *priors, size_t i, size_t at, struct measurement row,
                     size_t worker);

/* Keeps those of all `rows` rows, which are rows at[i] of the table. */
void row_priors_keep(const struct row_priors *priors, size_t rows, const size_t *at);

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
