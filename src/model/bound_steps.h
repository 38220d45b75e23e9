/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The arrays of a bound and the steps of its formula, for bound.c, bound_rows.c, bound_layout.c and
 * parallel_bound.c only. */

#include "model/bound.h"

struct parallel_bound;

struct bound {
    struct nim_model *model;
    struct pool *pool;
    size_t tiles, columns;            /* blocks of points; blocks of attributes */
    size_t most_points, target_width; /* of one evaluation, or of one shard of a parallel one */
    struct gp_tile_use use;
    bool needs_d_x;
    bool correlated, shaped; /* rows have priors with correlated attributes; shapes */

    struct shards shards; /* of a step, and which this process has */
    size_t first, end;    /* the functions whose parameters this process changes */

    const struct bound_listener *listener;
    size_t most_rows; /* of a batch: of all shards of this process */
    size_t table_rows;
    struct bound_batch batch;
    struct input_work input_work;
    struct row_priors priors;
    struct gp_factor *factor; /* C */
    uint64_t rounded_for;     /* the step for which Z has been rounded (z_is_rounded); or 0 */
    struct gp_tile *tile;     /* tiles x C */
    struct gp_totals *totals; /* tiles x C; with one tile, per worker */
    double *unit_noise;       /* tiles x C x d: gradient by V, first order only; or NULL */
    union gp_matrix *gamma;   /* tiles: the gammas of all functions as one matrix */
    struct gp_parameters *theta, *gradient_of;     /* C: views of theta and gradient */
    const struct gp_parameters *norms;             /* C: where add_norms adds to */
    bool *factored;                                /* C */
    double *q, *d_q;                               /* C T x d: 1 / lambda^2; scratch */
    double *x, *x_square, *d_x;                    /* R x d */
    float *x_narrow;                               /* R x d: x in single precision; or NULL */
    double *x_norm, *d_norm;                       /* C T x most_points */
    union gp_matrix *packed;                       /* tiles x 2: x' and x, see gp.h */
    double *feature;                               /* B x features: the targets, for a network */
    double *point_target;                          /* R x target width */
    double *point_weight, *point_value;            /* R */
    double *log_weight, *share;                    /* R: see input.h; or NULL */
    double *mean, *variance, *d_mean, *d_variance; /* C x most_points */
    double *blur, *d_blur; /* C x most_points: variance of f due to input noise, if separate */
    double *row_value;     /* B */
    double *likelihood_gradient; /* units x parameters */
    double *noise_gradient;      /* d */
    double *gradient, *own_gradient;
    double **scratch, **likelihood_scratch; /* per worker */
    struct parallel_bound *parallel;        /* many processes; or NULL */
    struct arena arena;
};

/* Latent functions times terms of their kernel. */
static inline size_t term_count(const struct nim_model *model) {
    return model->functions * model->gp.kernel->terms;
}

static inline size_t points_of(const struct bound *bound) {
    return bound->batch.rows * bound->model->input.samples;
}

/* Points that the likelihood takes at a time; attributes of one unit of the gradient by x. */
enum { LIKELIHOOD_ROWS = 16, GRADIENT_COLUMNS = 400 };

static inline size_t likelihood_blocks(size_t points) {
    return (points + LIKELIHOOD_ROWS - 1) / LIKELIHOOD_ROWS;
}

/* Whether a row's points are averaged inside the logarithm. */
static inline bool averages_inside(const struct nim_model *model) {
    return model->options.input->inside && model->input.samples > 1;
}

/* Whether one thread takes a function through all steps. */
static inline bool is_one_tile(const struct bound *bound) {
    return bound->tiles == 1 && !bound->parallel;
}

/* The first point of a tile. */
size_t bound_tile_start(const struct bound *bound, size_t tile);
/* The points of a tile, with the norms of function c. */
struct gp_points bound_tile_points(const struct bound *bound, size_t tile, size_t c);

/* Units of the pool. One for each function: 1 / lambda^2. */
void find_scales(void *bound, size_t function, size_t worker);
/* One for each function and its prior, then one for each and its posterior. */
void factor_part(void *bound, size_t unit, size_t worker);
void gradient_part(void *bound, size_t unit, size_t worker);
/* One for each tile and function: forward, and backward into totals[unit]. */
void look_at_points(void *bound, size_t unit, size_t worker);
void look_back(void *bound, size_t unit, size_t worker);

/* For all rows of the batch: the points, the likelihood (the value) and, after look_back, the rest
 * of the gradient: `norms` by log lambda, through the norms of points; then by noise, likelihood
 * and input model, and by the rows' own parameters. */
void place_inputs(struct bound *bound);
double sum_rows(struct bound *bound);
void add_norms(struct bound *bound, const struct gp_parameters *norms);
void add_likelihood(struct bound *bound);
void move_inputs_back(struct bound *bound);

/* Independent of rows: the errors of a bound that is not finite, and of factors. */
nim_status bound_not_finite(const struct bound *bound, nim_error *error);
nim_status factor_failure(const struct bound *bound, nim_error *error);
