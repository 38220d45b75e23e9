/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_BATCH_H
#define NIMGP_POPULATION_BATCH_H

/*
 * Rows as the expectation step of population learning reads them: blocks of LANES rows, element e
 * of row l of block b at [(b * width + e) * LANES + l]. Rows with equal noise are adjacent, because
 * they share factorisations. Rows with asymmetric cells or limits are kept apart, in `odd`.
 */
#include "math/lanes.h"
#include "population/population.h"

struct batch {
    size_t rows, blocks, attributes;
    size_t width;    /* of noise: d variances, or d (d+1)/2 where errors of cells are correlated */
    double *x;       /* blocks x d x LANES; zero where a cell is missing */
    double *noise;   /* blocks x width x LANES; infinite where a cell is missing */
    size_t *pattern; /* blocks x LANES: rows with the same noise have the same number */
    double *weight;  /* blocks x LANES; NULL: all are 1 */
    double total;    /* of the weights, those of odd rows too */
    size_t *origin;  /* rows, and odd rows after them: which row of the table it is */
    struct population_rows odd;
    struct arena arena;
};

/* False when out of memory. */
bool batch_create(struct batch *batch, const struct population_rows *rows);
void batch_free(struct batch *batch);

/* Sums of the expectation step over some rows; see em.c. */
struct tally {
    double likelihood;
    double *count;          /* K */
    double *first, *second; /* K x d, K x d x d (lower): of r (c - m) and r ((c-m)(c-m)' + R R') */
};

/* A population prepared for the step: covariances S = G G' (K x packed), lower triangular G
 * (K x d x d), least pivots (K x d), logarithms of shares (K). */
struct expectation {
    const struct population *population;
    double *covariance, *root, *least, *log_share;
    double *full; /* d x d: scratch */
};

void expectation_layout(struct expectation *expectation, const struct population *population,
                        struct arena *arena);
void expectation_fill(struct expectation *expectation);

/* Memory of one thread. */
struct expectation_work {
    double *t, *inverse, *h; /* packed x LANES, d x LANES, d x d x LANES */
    double *x, *noise, *e;   /* d x LANES, width x LANES, d x LANES */
    double *first, *second;  /* d x LANES, packed x LANES */
    double *gram, *product;  /* d x d each */
    double *log_density;     /* K x rows of a unit */
    size_t *member;          /* rows of a unit */
};

void expectation_work_layout(struct expectation_work *work, const struct batch *batch, size_t most,
                             size_t components, struct arena *arena);

/* Adds blocks [from, to), at most `most`. Without `counts`, only the likelihood. */
void batch_expect(const struct batch *batch, const struct expectation *expectation, size_t from,
                  size_t to, bool counts, struct expectation_work *work, struct tally *tally);

/* log p(x~) of the rows of blocks [from, to); shares of components (components x (to - from) LANES)
 * are left in work->log_density. */
void batch_log_densities(const struct batch *batch, const struct expectation *expectation,
                         size_t from, size_t to, struct expectation_work *work, double *value);

/* The rows with their largest share in component k, as em_assign. All shares must be in
 * work->log_density. */
void batch_assign(const struct batch *batch, const struct expectation *expectation, size_t k,
                  struct expectation_work *work, size_t *component, double *centre,
                  double *distance, double *cells);

#endif
