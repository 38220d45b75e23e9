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
#include "population/measurement.h"

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

/* Gaussians it is made of: independent attributes are one. */
size_t population_gaussians(const struct population *population);

/* Gaussian k's mean (d) and factor G (d x d), and the logarithm of its share. */
void population_component(const struct population *population, size_t k, double *mean,
                          double *root);
double population_log_share(const struct population *population, size_t k);

/* ---------------------------------------------------------------- given a measurement --------- */

/* What an odd cell amounts to, exp(-precision x^2/2 + pull x), by the last look at it: against
 * N(centre, spread), with that mass. */
struct odd_site {
    double precision, pull, centre, spread, log_mass;
};

/* What -log p(x~) is on average over measurements as noisy as this one, and how many of their cells
 * tell anything: see surprise.h. */
struct usual_surprise {
    double surprise, cells;
};

/* Of a row whose measurement has a shape: see condition_shaped.c. */
struct conditioner_shapes {
    size_t *cell;                 /* d: correlated ones */
    double *factor, *h, *y;       /* d x d, d x d, d */
    size_t *odd;                  /* d: lopsided ones and limits */
    size_t sweeps;                /* over them, at most */
    struct odd_site *site;        /* d */
    double *before;               /* d + d x d: centre and root before odd cells are taken in */
    struct usual_surprise *usual; /* K */
};

/*
 * Works out p(x | x~) row by row; K stands for population_gaussians. All but centre and share
 * depends on the noise alone and is kept until a row comes with another noise, so that rows with
 * equal errors cost d^2 each and not d^3.
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
    struct conditioner_shapes shapes;
};

void conditioner_layout(struct conditioner *conditioner, const struct population *population,
                        struct arena *arena);

/* Writes share (K) and centre (K x d) of a row, leaves R in the conditioner, and returns
 * log p(x~) = log sum_k share_k N(x~; m_k, S_k + V). */
double conditioner_take(struct conditioner *conditioner, const struct measurement *row,
                        double *share, double *centre);

/* The same of a row whose measurement has a shape, for conditioner_take alone. R is then this row's
 * own. */
double conditioner_take_shaped(struct conditioner *conditioner, const struct measurement *row,
                               double *share, double *centre);

/* The measurement by itself, whatever the population: centre x~ (d), and R R' the covariance of its
 * errors, of which none is lopsided. */
void conditioner_measure(struct conditioner *conditioner, const struct measurement *row,
                         double *centre);

/* From logarithms of shares (K) to shares; returns the logarithm of their sum. */
double conditioner_share(size_t components, double *share);

/* Whether cell j is lopsided or a limit. */
bool shape_is_tilted(const struct measurement *row, size_t d, size_t j);

/*
 * Correlated cells of a row as scalars y = h x + noise of variance 1: their number n; which they
 * are (cell, n), L with L L' their covariance (factor, n x d), L^-1 (h, n x d) and L^-1 x~ (y, n).
 */
size_t conditioner_whiten(const struct measurement *row, size_t d, size_t *cell, double *factor,
                          double *h, double *y);

/* The Gaussian with the mean and covariance of the row just taken, whose shares and centres these
 * are: writes centre (d) and root (d x d). For K = 1 it is the row's posterior itself. */
void conditioner_merge(struct conditioner *conditioner, const double *share, const double *centres,
                       double *centre, double *root);

/* covariance (lower triangle of d x d) += weight v v', or weight root root'. */
void add_square(size_t d, double weight, const double *v, double *covariance);
void add_root_square(size_t d, double weight, const double *root, double *covariance);

/* x (d) = centre + root xi, for a root of d x d. */
void population_point(size_t d, const double *centre, const double *root, const double *xi,
                      double *x);

/* ---------------------------------------------------------------- learning -------------------- */

/*
 * The rows a population is learned from: x and noise (rows x d), in standard units, infinite noise
 * where a cell is missing; and their shapes (rows x shape_size(d)), or NULL.
 */
struct population_rows {
    size_t rows, attributes;
    double *x, *noise, *shape;
};

/* Room for so many rows, all zero, in one piece; none are there yet. False when memory runs out. */
bool population_rows_create(struct population_rows *rows, size_t attributes, bool shaped,
                            size_t most);
void population_rows_free(struct population_rows *rows);

/* Row i; and a copy of another table's row i, appended. */
struct measurement population_row(const struct population_rows *rows, size_t i);
void population_rows_append(struct population_rows *rows, const struct population_rows *from,
                            size_t i);

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
