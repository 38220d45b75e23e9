/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How unusual a row is compared with the training rows: its surprise under the population of true
 * inputs (population/surprise.h), compared with the surprises z of training rows. The novelty is
 * -log10 of the share of training rows that are at least as surprising: 2 means one in 100. Between
 * the quantiles that are kept, the logarithm of that share is interpolated. Beyond the last it
 * falls exponentially, as that of a Gaussian does in D^2, with the mean excess over the 90 %
 * quantile.
 *
 * The surprise of a training row comes from a copy of the population that was learned without the
 * row's part of the table. Otherwise a population with many parameters would find its own rows too
 * likely.
 *
 * Flags of missing cells are not used: a missing cell does not make a row unusual.
 */

#include "nimgp.h"
#include "population/surprise.h"

struct nim_model;

enum { NOVELTY_KEPT = 256, NOVELTY_LEAST_ROWS = 20 };
enum novelty_rule { NOVELTY_AUTO, NOVELTY_ALWAYS };

struct novelty {
    struct population own;         /* for novelty only, if the model's is flat or wide */
    size_t kept;                   /* quantiles; 0: novelty is not known */
    double quantile[NOVELTY_KEPT]; /* ascending: the k-th has the share k / (kept + 1) below it */
};

/* Memory to compute the novelty of a row. */
struct novelty_work {
    struct conditioner conditioner;
    double *x, *noise, *share, *centre;
    double *shape; /* of the measurement; NULL if the population has no components */
};

/* The population used for novelty, or NULL. */
const struct population *novelty_population(const struct nim_model *model);

void novelty_layout(struct novelty_work *work, const struct population *population,
                    struct arena *arena);

/* Row i of a table. */
struct surprise novelty_look(const struct nim_model *model, struct novelty_work *work,
                             const nim_data *data, size_t i);

/* -log10 of the share of training rows that are at least as surprising. */
double novelty_of(const struct novelty *novelty, double surprise);

/* Learns the quantiles from the training rows, and a population if the options require it. */
nim_status novelty_learn(struct nim_model *model, const nim_data *data, nim_error *error);

void novelty_free(struct novelty *novelty);
