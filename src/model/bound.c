/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bound.h"

#include "gp/posterior_form.h"
#include "model/bound_steps.h"
#include "model/parallel_bound.h"

#include <math.h>
#include <string.h>

/*
 * How the work is divided depends only on the sizes of the problem, not on the number of threads:
 * (function, tile of points) for the Gaussian processes, blocks of points for the likelihood,
 * (tile, block of attributes) for the gradient by x. If there are enough functions, all points form
 * one tile. One thread then computes all forward steps of a function, and later all its backward
 * steps. The arrays of the function stay in cache, and the threads synchronise less often.
 */
/* The prior's median lengthscale is sqrt(d) e^LENGTHSCALE_SHIFT, in standard units. */
#define LENGTHSCALE_SHIFT 0.5

size_t bound_tile_start(const struct bound *bound, size_t tile) {
    return points_of(bound) * tile / bound->tiles;
}

/* Offset of the norms of function c's points in a tile; there is one row for each term. */
static size_t norms_at(const struct bound *bound, size_t tile, size_t c) {
    return c * bound->model->gp.kernel->terms * bound->most_points + bound_tile_start(bound, tile);
}

struct gp_points bound_tile_points(const struct bound *bound, size_t tile, size_t c) {
    size_t start = bound_tile_start(bound, tile), d = bound->model->attributes;
    struct gp_points points = {.rows = bound_tile_start(bound, tile + 1) - start,
                               .x = bound->x + start * d,
                               .x_norm = bound->x_norm + norms_at(bound, tile, c),
                               .norm_stride = bound->most_points,
                               .packed = bound->packed[2 * tile + 1]};
    if (!bound->use.single || !gp_has_few_attributes(&bound->model->gp))
        points.packed_transpose = bound->packed[2 * tile];
    return points;
}

/* The sums to which unit (tile, function) adds its part of the gradient. */
static struct gp_totals *totals_of(const struct bound *bound, size_t unit, size_t worker) {
    return &bound->totals[is_one_tile(bound) ? worker : unit];
}

struct shards bound_shards(const struct bound *bound) {
    return bound->shards;
}

void bound_functions(const struct bound *bound, size_t *first, size_t *end) {
    *first = bound->first;
    *end = bound->end;
}

nim_status bound_share_functions(struct bound *bound, nim_error *error) {
    return bound->parallel ? parallel_bound_share_functions(bound, error) : NIM_OK;
}

struct bound_batch *bound_batch(struct bound *bound) {
    return &bound->batch;
}
struct pool *bound_pool(struct bound *bound) {
    return bound->pool;
}
double *bound_gradient(struct bound *bound) {
    return bound->gradient;
}
double *bound_own_gradient(struct bound *bound) {
    return bound->own_gradient;
}

/* ---------------------------------------------------------------- the steps of the formula ---- */

void find_scales(void *context, size_t c, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    gp_scales(gp, &bound->theta[c], bound->q + c * gp->kernel->terms * gp->attributes);
}

/* Two units per function, its prior and its posterior. The larger ones are first, so that threads
 * finish at about the same time. If the posterior comes after the prior, and its gradient before
 * that of the prior, the first unit takes both. */
static bool takes_posterior(const struct bound *bound, size_t unit) {
    return bound->model->gp.form->after_prior == (unit < bound->model->functions);
}

void factor_part(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t functions = bound->model->functions, c = unit % functions;
    const struct gp_shape *gp = &bound->model->gp;
    struct gp_factor *factor = &bound->factor[c];
    if (unit < functions) {
        factor->jitter = bound->model->jitter[c];
        bound->factored[c] = gp_factor_prior(factor, gp, &bound->theta[c], bound->scratch[worker]);
        bound->model->jitter[c] = factor->jitter;
    }
    if (takes_posterior(bound, unit))
        gp_factor_posterior(factor, gp, &bound->theta[c], bound->scratch[worker]);
}

/* The input uncertainty of the points of a tile, for the first-order model. */
static struct gp_blur tile_blur(const struct bound *bound, size_t tile) {
    size_t d = bound->model->attributes, start = bound_tile_start(bound, tile);
    return (struct gp_blur){.noise = bound->batch.noise + start * d,
                            .root =
                                bound->priors.merged ? bound->priors.root + start * d * d : NULL};
}

void look_at_points(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    size_t c = unit % bound->model->functions, t = unit / bound->model->functions;
    size_t at = c * bound->most_points + bound_tile_start(bound, t);
    struct gp_points points = bound_tile_points(bound, t, c);
    struct gp_tile *tile = &bound->tile[unit];
    /* The gammas of the functions are stacked; their row length is the number of points of this
     * batch's tile. */
    gp_tile_place(tile, gp, points.rows,
                  gp_matrix_from(bound->use.single, bound->gamma[t],
                                 c * gp->kernel->terms * gp->inducing * points.rows),
                  bound->d_norm + norms_at(bound, t, c), bound->most_points);
    gp_arithmetic_in(bound->use.single)
        ->conditional(&bound->factor[c], gp, &bound->theta[c], &points, tile, bound->mean + at,
                      bound->variance + at, bound->scratch[worker]);
    if (!bound->use.first_order)
        return;
    double *widened = (bound->blur ? bound->blur : bound->variance) + at;
    if (bound->blur)
        memset(widened, 0, points.rows * sizeof(double));
    gp_slopes_in(bound->use.single)
        ->slope(&bound->factor[c], gp, &points, tile, tile_blur(bound, t), widened,
                bound->scratch[worker]);
}

void look_back(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    size_t c = unit % bound->model->functions, t = unit / bound->model->functions;
    size_t at = c * bound->most_points + bound_tile_start(bound, t);
    struct gp_points points = bound_tile_points(bound, t, c);
    struct gp_totals *totals = totals_of(bound, unit, worker);
    if (bound->unit_noise)
        totals->noise = bound->unit_noise + unit * gp->attributes;
    gp_totals_clear(totals, gp);
    if (bound->use.first_order)
        gp_slopes_in(bound->use.single)
            ->slope_backward(&bound->factor[c], gp, &points, &bound->tile[unit],
                             tile_blur(bound, t),
                             (bound->d_blur ? bound->d_blur : bound->d_variance) + at, totals,
                             bound->scratch[worker]);
    gp_arithmetic_in(bound->use.single)
        ->conditional_backward(&bound->factor[c], gp, &bound->theta[c], &points, &bound->tile[unit],
                               bound->d_mean + at, bound->d_variance + at, totals,
                               bound->scratch[worker]);
}

static void add_tiles(void *context, size_t c, size_t worker) {
    struct bound *bound = context;
    struct gp_totals *totals = totals_of(bound, c, worker);
    for (size_t t = 1; t < bound->tiles; t++)
        gp_totals_add(totals, &bound->totals[t * bound->model->functions + c], &bound->model->gp);
    gp_totals_complete(&bound->factor[c], &bound->model->gp, totals);
}

struct function_listener {
    const struct bound_listener *listener;
    size_t function;
};

static void take_z_row(void *context, size_t row, const double *gradient) {
    const struct function_listener *own = context;
    own->listener->take_z_row(own->listener->context, own->function, row, gradient);
}

void gradient_part(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t functions = bound->model->functions, c = unit % functions;
    struct gp_totals *totals = totals_of(bound, c, worker);
    if (takes_posterior(bound, unit))
        gp_gradient_posterior(&bound->factor[c], &bound->model->gp, &bound->theta[c], totals,
                              &bound->gradient_of[c], bound->scratch[worker]);
    if (unit >= functions)
        return;
    struct function_listener own = {bound->listener, c};
    struct gp_z_taker taker = {take_z_row, &own};
    gp_gradient_prior(&bound->factor[c], &bound->model->gp, &bound->theta[c], totals,
                      &bound->gradient_of[c], bound->listener ? &taker : NULL,
                      bound->scratch[worker]);
}

static void function_forward(void *context, size_t c, size_t worker) {
    struct bound *bound = context;
    factor_part(bound, c, worker);
    factor_part(bound, bound->model->functions + c, worker);
    if (bound->factored[c])
        look_at_points(bound, c, worker);
}

static void function_backward(void *context, size_t c, size_t worker) {
    struct bound *bound = context;
    look_back(bound, c, worker);
    add_tiles(bound, c, worker);
    gradient_part(bound, c, worker);
    gradient_part(bound, bound->model->functions + c, worker);
}

nim_status bound_not_finite(const struct bound *bound, nim_error *error) {
    return failure(error, NIM_NUMERICAL, "step %llu: the bound is not finite",
                   (unsigned long long)bound->batch.step);
}

nim_status factor_failure(const struct bound *bound, nim_error *error) {
    for (size_t c = 0; c < bound->model->functions; c++)
        if (!bound->factored[c])
            return failure(
                error, NIM_NUMERICAL,
                "step %llu: the covariance of function %zu's inducing inputs is not positive "
                "definite even with jitter %g",
                (unsigned long long)bound->batch.step, c, bound->model->jitter[c]);
    return NIM_OK;
}

/* Factors of all functions, then their means and variances at all points. */
static nim_status functions_forward(struct bound *bound, nim_error *error) {
    size_t functions = bound->model->functions;
    if (is_one_tile(bound))
        pool_run(bound->pool, functions, function_forward, bound);
    else
        pool_run(bound->pool, 2 * functions, factor_part, bound);
    nim_status status = factor_failure(bound, error);
    if (status == NIM_OK && !is_one_tile(bound))
        pool_run(bound->pool, bound->tiles * functions, look_at_points, bound);
    return status;
}

static void functions_backward(struct bound *bound) {
    size_t functions = bound->model->functions;
    if (is_one_tile(bound)) {
        pool_run(bound->pool, functions, function_backward, bound);
        return;
    }
    pool_run(bound->pool, bound->tiles * functions, look_back, bound);
    pool_run(bound->pool, functions, add_tiles, bound);
    pool_run(bound->pool, 2 * functions, gradient_part, bound);
}

/* log N(log lambda; log sqrt(d) + LENGTHSCALE_SHIFT, width^2) of every lengthscale, up to a
 * constant. The centre grows with d because distances between points do. */
static double add_lengthscale_prior(struct bound *bound) {
    size_t d = bound->model->attributes, scales = bound->model->gp.kernel->terms * d;
    double width = bound->model->options.lengthscale_prior, value = 0.0;
    double centre = 0.5 * log((double)d) + LENGTHSCALE_SHIFT;
    for (size_t c = 0; width > 0.0 && c < bound->model->functions; c++)
        for (size_t j = 0; j < scales; j++) {
            double z = (bound->theta[c].log_lengthscale[j] - centre) / width;
            value -= 0.5 * z * z;
            bound->gradient_of[c].log_lengthscale[j] -= z / width;
        }
    return value;
}

/* Evaluates the bound in this process alone. */
static nim_status evaluate_alone(struct bound *bound, double *value, nim_error *error) {
    pool_run(bound->pool, bound->model->functions, find_scales, bound);
    place_inputs(bound);
    nim_status status = functions_forward(bound, error);
    if (status != NIM_OK)
        return status;
    *value = sum_rows(bound);
    for (size_t c = 0; c < bound->model->functions; c++)
        *value -= bound->factor[c].kl;
    if (!isfinite(*value))
        return bound_not_finite(bound, error);
    functions_backward(bound);
    add_norms(bound, bound->gradient_of);
    add_likelihood(bound);
    move_inputs_back(bound);
    return NIM_OK;
}

nim_status bound_evaluate(struct bound *bound, const struct bound_listener *listener, double *value,
                          nim_error *error) {
    const struct nim_model *model = bound->model;
    bound->listener = listener;
    for (size_t c = 0; c < model->functions; c++)
        bound->factor[c].z_is_rounded = bound->rounded_for && bound->rounded_for == model->step;
    nim_status status = bound->parallel ? parallel_bound_evaluate(bound, value, error)
                                        : evaluate_alone(bound, value, error);
    bound->listener = NULL; /* the caller owns it and may free it after this call */
    if (status != NIM_OK)
        return status;
    /* Only a trainer changes Z; another trainer of this model would count its steps. */
    bound->rounded_for = listener && !bound->parallel ? model->step + 1 : 0;
    *value += add_lengthscale_prior(bound);
    return NIM_OK;
}
