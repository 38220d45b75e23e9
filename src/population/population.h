/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_POPULATION_H
#define NIMGP_POPULATION_POPULATION_H

/*
 * The population p(x) of true inputs, and p(x | x~) given a measurement x~.
 *
 *     components = 0     p(x) = prod_j N(m_j, s_j)               attributes are independent
 *     components = K     p(x) = sum_k share_k N(m_k, G_k G_k')   K = 1: one Gaussian
 *
 * A measurement x~ has noise variances V, one per attribute: zero if it is exact, infinite if it is
 * missing. Given the measurement, component k is
 *
 *     N(c_k, R_k R_k'),   c_k = m_k + S_k (S_k + V)^-1 (x~ - m_k),   R_k R_k' = S_k - S_k (S_k +
 * V)^-1 S_k,
 *
 * with S_k = G_k G_k', where rows and columns of missing cells are left out of the inverse. The
 * shares become proportional to share_k N(x~; m_k, S_k + V). Everything is in standard units.
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

/* Allocates a population, all zero. False when out of memory. */
bool population_allocate(struct population *population, size_t attributes, size_t components);
void population_free(struct population *population);

/* p(x) = N(0, variance I), the flat prior of the paper. */
bool population_flat(struct population *population, size_t attributes, double variance);

/* Appends attributes that are independent of the others, N(0, 1) in every component. If they are
 * exact, they do not affect the others. False when out of memory; the population is then unchanged.
 */
bool population_append(struct population *population, size_t more);

/* The number of Gaussians; independent attributes count as one. */
size_t population_gaussians(const struct population *population);

/* Gaussian k's mean (d) and factor G (d x d), and the logarithm of its share. */
void population_component(const struct population *population, size_t k, double *mean,
                          double *root);
double population_log_share(const struct population *population, size_t k);

/* ---------------------------------------------------------------- given a measurement --------- */

/* The Gaussian approximation exp(-precision x^2/2 + pull x) of an asymmetric cell or limit, from
 * its last update: for N(centre, spread), with that mass. */
struct odd_site {
    double precision, pull, centre, spread, log_mass;
};

/* The mean of -log p(x~) over measurements with the same noise, and the number of cells that count:
 * see surprise.h. */
struct usual_surprise {
    double surprise, cells;
};

/* For a row whose measurement has a shape: see condition_shaped.c. */
struct conditioner_shapes {
    size_t *cell;                 /* d: correlated ones */
    double *factor, *h, *y;       /* d x d, d x d, d */
    size_t *odd;                  /* d: asymmetric ones and limits */
    size_t sweeps;                /* over them, at most */
    struct odd_site *site;        /* d */
    double *before;               /* d + d x d: centre and root before these cells are added */
    struct usual_surprise *usual; /* K */
};

/*
 * Computes p(x | x~) row by row; K is population_gaussians. Everything except centre and share
 * depends on the noise only, and is kept until a row has another noise. So rows with equal errors
 * cost d^2 operations each instead of d^3.
 */
struct conditioner {
    const struct population *population;
    bool filled;
    double *noise;      /* d: the noise of the following arrays */
    double *gain;       /* K x d x d: row j is the change of the mean per surprise in attribute j */
    double *total;      /* K x d: variance of that surprise; 0 if attribute j has no information */
    double *root;       /* K x d x d: R */
    double *covariance; /* K x d x d: R R', if merged components are needed */
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

/* The same for a row whose measurement has a shape; called by conditioner_take only. R then belongs
 * to this row. */
double conditioner_take_shaped(struct conditioner *conditioner, const struct measurement *row,
                               double *share, double *centre);

/* The measurement alone, without the population: centre x~ (d), and R R' the covariance of its
 * errors, none of which is asymmetric. */
void conditioner_measure(struct conditioner *conditioner, const struct measurement *row,
                         double *centre);

/* From logarithms of shares (K) to shares; returns the logarithm of their sum. */
double conditioner_share(size_t components, double *share);

/* Whether cell j is asymmetric or a limit. */
bool shape_is_tilted(const struct measurement *row, size_t d, size_t j);

/*
 * The correlated cells of a row as scalars y = h x + noise of variance 1. Returns their number n;
 * writes the cells (cell, n), L with L L' their covariance (factor, n x d), L^-1 (h, n x d) and
 * L^-1 x~ (y, n).
 */
size_t conditioner_whiten(const struct measurement *row, size_t d, size_t *cell, double *factor,
                          double *h, double *y);

/* The Gaussian with the mean and covariance of the last row of conditioner_take, with these shares
 * and centres: writes centre (d) and root (d x d). For K = 1 it is the row's posterior itself. */
void conditioner_merge(struct conditioner *conditioner, const double *share, const double *centres,
                       double *centre, double *root);

/* covariance (lower triangle of d x d) += weight v v', or weight root root'. */
void add_square(size_t d, double weight, const double *v, double *covariance);
void add_root_square(size_t d, double weight, const double *root, double *covariance);

/* Lower factor of a covariance (lower triangle given) that may be singular: an attribute without
 * variance of its own has zeros from there on. */
void population_factorise(size_t d, const double *covariance, double *root);

/* x (d) = centre + root xi, for a root of d x d. */
void population_point(size_t d, const double *centre, const double *root, const double *xi,
                      double *x);

/* ---------------------------------------------------------------- learning -------------------- */

/*
 * The rows from which a population is learned: x and noise (rows x d), in standard units, with
 * infinite noise for missing cells; their shapes (rows x shape_size(d)), or NULL; and their weights
 * (rows), or NULL where all are 1.
 */
struct population_rows {
    size_t rows, attributes;
    double *x, *noise, *shape, *weight;
};

/* Allocates memory for this number of rows in one block; the table is empty at first. False when
 * out of memory. */
bool population_rows_create(struct population_rows *rows, size_t attributes, bool shaped,
                            size_t most);
void population_rows_free(struct population_rows *rows);

/* Row i and its weight; and appending a copy of row i of another table. */
struct measurement population_row(const struct population_rows *rows, size_t i);
static inline double population_row_weight(const struct population_rows *rows, size_t i) {
    return rows->weight ? rows->weight[i] : 1.0;
}
void population_rows_append(struct population_rows *rows, const struct population_rows *from,
                            size_t i);

/* The order of the values of option `population`. */
enum population_kind {
    POPULATION_AUTO,
    POPULATION_FLAT,
    POPULATION_GAUSSIAN,
    POPULATION_MIXTURE,
    POPULATION_WIDE
};

/* A population that fits badly hides what distinguishes the classes. A wider one hides less, and
 * still tells likely true inputs from unlikely ones. docs/results/defaults.md has the choice. */
#define POPULATION_WIDENING 4.0

/* With more attributes than this, only variances are learned and no covariances. Each attribute may
 * also have a flag. */
enum {
    POPULATION_MOST_ATTRIBUTES = 64,
    POPULATION_MOST_WIDTH = 2 * POPULATION_MOST_ATTRIBUTES,
    POPULATION_MOST_COMPONENTS = 8,
    POPULATION_MOST_JOINT = 64 /* components of population_learn_last */
};

/*
 * Fits mean and covariance by expectation maximisation, each row with its own noise and missing
 * cells (extreme deconvolution: Bovy, Hogg and Roweis, 2011). GAUSSIAN has one component; MIXTURE
 * adds components as long as they raise the likelihood of held-out rows; WIDE is MIXTURE with
 * covariances multiplied by POPULATION_WIDENING. False if memory or threads are not available.
 */
bool population_learn(struct population *population, const struct population_rows *rows,
                      enum population_kind kind, struct random_key key, size_t threads);

/*
 * Fits a mixture whose last attribute is to be predicted from the others. Components are split as
 * long as that raises log p(last | others) of the rows `judge`; then the mixture is sharpened (see
 * last.c). The mixture that suits `judge` best is kept. `pull` as in population_improve. False if
 * memory runs out.
 */
bool population_learn_last(struct population *population, const struct population_rows *rows,
                           const struct population_rows *judge, double pull, struct pool *pool);

/* Multiplies all covariances. */
void population_scale(struct population *population, double factor);

/* Mean over rows of log p(x~). */
double population_likelihood(const struct population *population,
                             const struct population_rows *rows, struct pool *pool);

/* One iteration of expectation maximisation; returns the mean of log p(x~) before it. `pull`:
 * weight, in rows, of the regularisation of each component's covariance towards the average of all,
 * scaled to the size of the component. */
double population_improve(struct population *population, const struct population_rows *rows,
                          double pull, struct pool *pool);

/* The weight of the regularisation for mixtures. */
double population_pull(size_t attributes);

#endif
