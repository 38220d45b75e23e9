/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_POPULATION_H
#define NIMGP_POPULATION_POPULATION_H

/*
 * The population p(x) that true inputs come from, and what a measurement leaves of it.
 *
 *     components = 0     p(x) = prod_j N(m_j, s_j)               attributes are independent
 *     components = K     p(x) = sum_k share_k N(m_k, G_k G_k')   K = 1: one Gaussian
 *
 * A measurement x~ has noise variances V, one an attribute: zero where it is exact, infinite where
 * it is missing. It turns component k into
 *
 *     N(c_k, R_k R_k'),   c_k = m_k + S_k (S_k + V)^-1 (x~ - m_k),   R_k R_k' = S_k - S_k (S_k +
 * V)^-1 S_k,
 *
 * with S_k = G_k G_k', rows and columns of missing cells left out of the inverse, and changes the
 * shares to those proportional to share_k N(x~; m_k, S_k + V). All is in standard units.
 * Derivation: docs/derivations/population.md.
 */

#include "base/arena.h"
#include "base/pool.h"
#include "math/random.h"

#include <stdbool.h>
#include <stddef.h>

struct population {
    size_t attributes; /* d */
    size_t components; /* K, or 0 */
    bool learned;      /* from data, rather than flat */
    double *share;     /* K */
    double *mean;      /* K x d; d where K = 0 */
    double *variance;  /* d; where K = 0 */
    double *root;      /* K x d x d: G */
    struct arena arena;
};

/* Room for a population, all zero. False when memory runs out. */
bool population_allocate(struct population *population, size_t attributes, size_t components);
void population_free(struct population *population);

/* p(x) = N(0, variance I), the flat prior of the paper. */
bool population_flat(struct population *population, size_t attributes, double variance);

/* Appends attributes that are independent of the others, N(0, 1) each in every component: where
 * they are exact, they say nothing of the others. False when memory runs out; the population is
 * then as it was. */
bool population_append(struct population *population, size_t more);

/* ---------------------------------------------------------------- given a measurement --------- */

/*
 * Works out p(x | x~) row by row, for K >= 1. All but centre and share depends on the noise alone
 * and is kept until a row comes with another noise, so that rows with equal errors cost d^2 each
 * and not d^3.
 */
struct conditioner {
    const struct population *population;
    bool filled;
    double *noise;      /* d: what the following belongs to */
    double *gain;       /* K x d x d: row j is how far a surprise in attribute j moves the mean */
    double *total;      /* K x d: variance of that surprise; 0 where attribute j tells nothing */
    double *root;       /* K x d x d: R */
    double *covariance; /* K x d x d: R R', when merged components were asked for */
    bool multiplied;    /* covariance is filled */
    double *work;       /* d x d + d */
};

void conditioner_layout(struct conditioner *conditioner, const struct population *population,
                        struct arena *arena);

/* Writes share (K) and centre (K x d) of a row, leaves R in the conditioner, and returns
 * log p(x~) = log sum_k share_k N(x~; m_k, S_k + V). */
double conditioner_take(struct conditioner *conditioner, const double *x, const double *noise,
                        double *share, double *centre);

/* The Gaussian with the mean and covariance of the row just taken, whose shares and centres these
 * are: writes centre (d) and root (d x d). For K = 1 it is the row's posterior itself. */
void conditioner_merge(struct conditioner *conditioner, const double *share, const double *centres,
                       double *centre, double *root);

/* x (d) = centre + root xi, for a root of d x d. */
void population_point(size_t d, const double *centre, const double *root, const double *xi,
                      double *x);

/* ---------------------------------------------------------------- learning -------------------- */

/*
 * The rows a population is learned from: x and noise (rows x d), in standard units, infinite noise
 * where a cell is missing.
 */
struct population_rows {
    size_t rows, attributes;
    const double *x, *noise;
};

enum population_kind { POPULATION_AUTO, POPULATION_FLAT, POPULATION_GAUSSIAN, POPULATION_MIXTURE };

/* With more attributes than this their covariance is not learned, only each one's variance. Each
 * may have a flag appended. */
enum {
    POPULATION_MOST_ATTRIBUTES = 64,
    POPULATION_MOST_WIDTH = 2 * POPULATION_MOST_ATTRIBUTES,
    POPULATION_MOST_COMPONENTS = 8
};

/*
 * Fits mean and covariance by expectation maximisation, each row with its own noise and missing
 * cells (extreme deconvolution: Bovy, Hogg and Roweis, 2011). GAUSSIAN is one component; MIXTURE
 * as many as raise the likelihood of rows kept aside. False when memory or threads run out.
 */
bool population_learn(struct population *population, const struct population_rows *rows,
                      enum population_kind kind, struct random_key key, size_t threads);

/* Mean over rows of log p(x~). */
double population_likelihood(const struct population *population,
                             const struct population_rows *rows, struct pool *pool);

/* One round of expectation maximisation from where the population is; returns the mean of
 * log p(x~) before it. `pull`: rows' worth of a pull of each component's covariance towards the
 * average of all of them, in the component's own size. */
double population_improve(struct population *population, const struct population_rows *rows,
                          double pull, struct pool *pool);

/* The pull that mixtures are learned with. */
double population_pull(size_t attributes);

#endif
