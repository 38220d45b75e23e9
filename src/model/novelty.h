/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_NOVELTY_H
#define NIMGP_MODEL_NOVELTY_H

/*
 * How unlike the training rows a row is: its surprise under the population of true inputs
 * (population/surprise.h), held against the surprises z of training rows. The novelty is -log10 of
 * the share of training rows that are at least as surprising: 2 means one in 100. Between the
 * quantiles that are kept the logarithm of that share is interpolated; beyond the last it falls off
 * exponentially, as a Gaussian's does in D^2, with the mean excess over the 90 % quantile.
 *
 * A training row's own surprise comes from a copy of the population that went on learning without
 * the row's part of the table: else a population of many parameters finds its own rows too likely.
 *
 * Flags of missing cells are left out: that a cell is missing is no matter of novelty.
 */

#include "nimgp.h"
#include "population/surprise.h"

struct nim_model;

enum { NOVELTY_KEPT = 256, NOVELTY_LEAST_ROWS = 20 };
enum novelty_rule { NOVELTY_AUTO, NOVELTY_ALWAYS };

struct novelty {
    struct population own; /* where the model has none that was learned, and one was asked for */
    size_t kept;           /* quantiles; 0: novelty is not known */
    double quantile[NOVELTY_KEPT]; /* ascending: the k-th has the share k / (kept + 1) below it */
};

/* What a row's novelty is worked out with. */
struct novelty_work {
    struct conditioner conditioner;
    double *x, *noise, *share, *centre;
    double *shape; /* of the measurement; NULL where the population has no components */
};

/* The population it is held against, or NULL. */
const struct population *novelty_population(const struct nim_model *model);

void novelty_layout(struct novelty_work *work, const struct population *population,
                    struct arena *arena);

/* Row i of a table. */
struct surprise novelty_look(const struct nim_model *model, struct novelty_work *work,
                             const nim_data *data, size_t i);

/* -log10 of the share of training rows at least so surprising. */
double novelty_of(const struct novelty *novelty, double surprise);

/* Learns what is usual from the rows of a training, and a population where the options say so. */
nim_status novelty_learn(struct nim_model *model, const nim_data *data, nim_error *error);

/* Whether a file's quantiles can be such. */
bool novelty_can_be(const struct novelty *novelty);

void novelty_free(struct novelty *novelty);

#endif
