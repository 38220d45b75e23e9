/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bound.h"

#include "math/linalg.h"
#include "math/vector.h"
#include "model/bound_steps.h"
#include "model/parallel_bound.h"
#include "model/targets.h"

#include <math.h>
#include <string.h>

/*
 * How the work is divided depends only on the sizes of the problem, not on the number of threads:
 * (function, tile of points) for the Gaussian processes, blocks of points for the likelihood,
 * (tile, block of attributes) for the gradient by x. If there are enough functions, all points form
 * one tile. One thread then computes all forward steps of a function, and later all its backward
 * steps. The arrays of the function stay in cache, and the threads synchronise less often.
 */
enum { NORM_ROWS = 64 };

/* The prior's median lengthscale is sqrt(d) e^LENGTHSCALE_SHIFT, in standard units. */
#define LENGTHSCALE_SHIFT 0.5

static size_t tile_start(const struct bound *bound, size_t tile) {
    return points_of(bound) * tile / bound->tiles;
}

/* Offset of the norms of function c's points in a tile; there is one row for each term. */
static size_t norms_at(const struct bound *bound, size_t tile, size_t c) {
    return c * bound->model->gp.kernel->terms * bound->most_points + tile_start(bound, tile);
}

/* The points of a tile, with the norms of function c. */
static struct gp_points tile_points(const struct bound *bound, size_t tile, size_t c) {
    size_t start = tile_start(bound, tile), d = bound->model->attributes;
    struct gp_points points = {.rows = tile_start(bound, tile + 1) - start,
                               .x = bound->x + start * d,
                               .x_norm = bound->x_norm + norms_at(bound, tile, c),
                               .norm_stride = bound->most_points,
                               .packed = bound->packed[2 * tile + 1]};
    if (!bound->use.single || !gp_has_few_attributes(&bound->model->gp))
        points.packed_transpose = bound->packed[2 * tile];
    return points;
}

/* The sums to which unit (tile, function) adds its part of the gradient. */
static struct gp_gather *gather_of(const struct bound *bound, size_t unit, size_t worker) {
    return &bound->gather[is_one_tile(bound) ? worker : unit];
}

struct shards bound_shards(const struct bound *bound) {
    return bound->parallel ? parallel_bound_shards(bound->parallel) : shards_alone();
}

void bound_functions(const struct bound *bound, size_t *first, size_t *end) {
    *first = 0;
    *end = bound->model->functions;
    if (bound->parallel)
        parallel_bound_functions(bound, first, end);
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

static void condition_row(void *context, size_t i, size_t worker) {
    struct bound *bound = context;
    const struct bound_batch *batch = &bound->batch;
    size_t d = bound->model->attributes;
    row_priors_take(&bound->priors, i, measurement_at(d, batch->x, batch->noise, batch->shape, i),
                    worker);
}

static struct input_batch input_batch(const struct bound *bound) {
    const struct bound_batch *batch = &bound->batch;
    return (struct input_batch){.rows = batch->rows,
                                .row = batch->row,
                                .copy = batch->copy,
                                .x = batch->x,
                                .noise = batch->noise,
                                .prior = row_priors_view(&bound->priors),
                                .feature = bound->feature,
                                .weight = batch->weight,
                                .seed = bound->model->options.seed,
                                .step = batch->step,
                                .width = batch->width,
                                .pool = bound->pool,
                                .scratch = bound->scratch};
}

static void complete_points(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    size_t d = bound->model->attributes, samples = bound->model->input.samples;
    size_t end = (unit + 1) * LIKELIHOOD_ROWS, points = points_of(bound);
    size_t width = bound->target_width;
    for (size_t p = unit * LIKELIHOOD_ROWS; p < end && p < points; p++) {
        multiply(d, bound->x + p * d, bound->x + p * d, bound->x_square + p * d);
        if (bound->x_narrow)
            narrow(d, bound->x + p * d, bound->x_narrow + p * d);
        memcpy(bound->point_target + p * width, bound->batch.target + p / samples * width,
               width * sizeof(double));
        bound->point_weight[p] = bound->batch.weight[p / samples] / (double)samples;
    }
}

void find_scales(void *context, size_t c, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    gp_scales(gp, &bound->theta[c], bound->q + c * gp->kernel->terms * gp->attributes);
}

static void find_norms(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t first = unit * NORM_ROWS, count = points_of(bound) - first;
    count = count < NORM_ROWS ? count : NORM_ROWS;
    gp_norms(&bound->model->gp, bound->model->functions, bound->q, count,
             bound->x_square + first * bound->model->attributes, bound->x_norm + first,
             bound->most_points, bound->scratch[worker]);
}

static void norms_back(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t d = bound->model->attributes, first = d * unit / bound->columns;
    gp_norms_backward(&bound->model->gp, bound->model->functions, bound->q, points_of(bound),
                      bound->x_square, bound->d_norm, bound->most_points, first,
                      d * (unit + 1) / bound->columns - first, bound->d_q, bound->norms,
                      bound->scratch[worker]);
}

void gather_norms(struct bound *bound, const struct gp_parameters *norms) {
    bound->norms = norms;
    pool_run(bound->pool, bound->columns, norms_back, bound);
}

static void pack_points(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    size_t t = unit / 2, d = bound->model->attributes;
    struct gp_points points = tile_points(bound, t, 0);
    enum form form = unit % 2 == 0 ? TRANSPOSED : PLAIN;
    size_t n = form == TRANSPOSED ? points.rows : d, k = form == TRANSPOSED ? d : points.rows;
    if (bound->x_narrow)
        gemm_pack_single(form, n, k, bound->x_narrow + tile_start(bound, t) * d, d,
                         bound->packed[unit].narrow);
    else
        gemm_pack(form, n, k, points.x, d, bound->packed[unit].wide);
}

/* Adds learned noise to V, scales the weights, places the points and squares them, and sets the
 * targets and weights of points. */
void place_inputs(struct bound *bound) {
    const struct nim_model *model = bound->model;
    struct bound_batch *batch = &bound->batch;
    model_add_learned_noise(model, batch->rows, batch->noise);
    scale(batch->rows, batch->total / (double)batch->rows / model->options.caution, batch->weight);
    targets_describe(model, batch->rows, batch->target, bound->feature);
    if (bound->joined)
        pool_run(bound->pool, batch->rows, condition_row, bound);
    struct input_batch input = input_batch(bound);
    model->options.input->place(&model->input, &input, model->theta + model->input_at, batch->own,
                                &bound->input_work, bound->x, bound->row_value, bound->log_weight);
    pool_run(bound->pool, likelihood_blocks(bound->most_points), complete_points, bound);
    pool_run(bound->pool, 2 * bound->tiles, pack_points, bound);
    pool_run(bound->pool, (points_of(bound) + NORM_ROWS - 1) / NORM_ROWS, find_norms, bound);
}

/* Two units per function, its prior and its posterior. The larger ones are first, so that threads
 * finish at about the same time. An unwhitened posterior needs the prior's factor, and the gradient
 * by the prior needs that by the posterior: the first unit then takes both. */
static bool takes_posterior(const struct bound *bound, size_t unit) {
    return bound->model->gp.unwhitened == (unit < bound->model->functions);
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
    size_t d = bound->model->attributes, start = tile_start(bound, tile);
    return (struct gp_blur){
        .noise = bound->batch.noise + start * d,
        .root = bound->priors.merged_root ? bound->priors.merged_root + start * d * d : NULL};
}

void look_at_points(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    size_t c = unit % bound->model->functions, t = unit / bound->model->functions;
    size_t at = c * bound->most_points + tile_start(bound, t);
    struct gp_points points = tile_points(bound, t, c);
    struct gp_tile *tile = &bound->tile[unit];
    /* The gammas of the functions are stacked; their row length is the number of points of this
     * batch's tile. */
    gp_tile_place(tile, gp, points.rows,
                  gp_matrix_from(bound->use.single, bound->gamma[t],
                                 c * gp->kernel->terms * gp->inducing * points.rows),
                  bound->d_norm + norms_at(bound, t, c), bound->most_points);
    gp_conditional(&bound->factor[c], gp, &bound->theta[c], &points, tile, bound->mean + at,
                   bound->variance + at, bound->scratch[worker]);
    if (!bound->use.first_order)
        return;
    double *widened = (bound->blur ? bound->blur : bound->variance) + at;
    if (bound->blur)
        memset(widened, 0, points.rows * sizeof(double));
    gp_slope(&bound->factor[c], gp, &points, tile, tile_blur(bound, t), widened,
             bound->scratch[worker]);
}

static void expect_likelihood(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    const struct nim_model *model = bound->model;
    size_t first = unit * LIKELIHOOD_ROWS, count = points_of(bound) - first;
    count = count < LIKELIHOOD_ROWS ? count : LIKELIHOOD_ROWS;
    double *d_theta = bound->likelihood_gradient + unit * model->likelihood_count;
    memset(d_theta, 0, model->likelihood_count * sizeof(double));
    struct expectation question = {
        .rows = count,
        .stride = bound->most_points,
        .target = bound->point_target + first * bound->target_width,
        .weight = bound->point_weight + first,
        .mean = bound->mean + first,
        .variance = bound->variance + first,
        .blur = bound->blur ? bound->blur + first : NULL,
        .value = bound->point_value + first,
        .d_mean = bound->d_mean + first,
        .d_variance = bound->d_variance + first,
        .d_blur = bound->d_blur ? bound->d_blur + first : NULL,
        .d_theta = d_theta,
        .scratch = bound->likelihood_scratch[worker],
    };
    model->options.likelihood->expectation(&model->likelihood, model->theta + model->likelihood_at,
                                           &question);
}

/*
 * The term of a row with S points is log (1/S) sum_s w_s exp(v_s), where v_s is the value of the
 * likelihood at point s. Its derivative by v_s is share_s, the fraction of point s in the sum. The
 * average of the v_s would have the derivative 1/S. So the weight of point s is multiplied by
 * S share_s.
 */
static void share_row(void *context, size_t i, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    size_t samples = bound->model->input.samples, first = i * samples;
    double *share = bound->share + first, largest = -INFINITY, total = 0.0;
    for (size_t s = 0; s < samples; s++) {
        share[s] = bound->log_weight[first + s] + bound->point_value[first + s];
        largest = fmax(largest, share[s]);
    }
    for (size_t s = 0; s < samples; s++)
        total += share[s] = exp(share[s] - largest);
    scale(samples, 1.0 / total, share);
    bound->row_value[i] += largest + log(total / (double)samples);
    for (size_t s = 0; s < samples; s++) {
        size_t p = first + s;
        double factor = (double)samples * share[s];
        bound->point_weight[p] *= factor;
        for (size_t c = 0; c < bound->model->functions; c++) {
            size_t at = c * bound->most_points + p;
            bound->d_mean[at] *= factor;
            bound->d_variance[at] *= factor;
        }
    }
}

/* The sum of the rows' data terms: the average over the points of a row is either outside the
 * logarithm or inside it. In the second case a likelihood with parameters is evaluated again after
 * the weights of the points are known. */
double sum_rows(struct bound *bound) {
    const struct bound_batch *batch = &bound->batch;
    size_t blocks = likelihood_blocks(points_of(bound));
    pool_run(bound->pool, blocks, expect_likelihood, bound);
    if (!averages_inside(bound->model))
        return dot(points_of(bound), bound->point_weight, bound->point_value) +
               dot(batch->rows, batch->weight, bound->row_value);
    pool_run(bound->pool, batch->rows, share_row, bound);
    if (bound->model->likelihood_count)
        pool_run(bound->pool, blocks, expect_likelihood, bound);
    return dot(batch->rows, batch->weight, bound->row_value);
}

void look_back(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    const struct gp_shape *gp = &bound->model->gp;
    size_t c = unit % bound->model->functions, t = unit / bound->model->functions;
    size_t at = c * bound->most_points + tile_start(bound, t);
    struct gp_points points = tile_points(bound, t, c);
    struct gp_gather *gather = gather_of(bound, unit, worker);
    if (bound->unit_noise)
        gather->noise = bound->unit_noise + unit * gp->attributes;
    gp_gather_clear(gather, gp);
    if (bound->use.first_order)
        gp_slope_backward(&bound->factor[c], gp, &points, &bound->tile[unit], tile_blur(bound, t),
                          (bound->d_blur ? bound->d_blur : bound->d_variance) + at, gather,
                          bound->scratch[worker]);
    gp_conditional_backward(&bound->factor[c], gp, &bound->theta[c], &points, &bound->tile[unit],
                            bound->d_mean + at, bound->d_variance + at, gather,
                            bound->scratch[worker]);
}

static void gather_function(void *context, size_t c, size_t worker) {
    struct bound *bound = context;
    struct gp_gather *gather = gather_of(bound, c, worker);
    for (size_t t = 1; t < bound->tiles; t++)
        gp_gather_add(gather, &bound->gather[t * bound->model->functions + c], &bound->model->gp);
    gp_gather_complete(&bound->factor[c], &bound->model->gp, gather);
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
    struct gp_gather *gather = gather_of(bound, c, worker);
    if (takes_posterior(bound, unit))
        gp_gradient_posterior(&bound->factor[c], &bound->model->gp, &bound->theta[c], gather,
                              &bound->gradient_of[c], bound->scratch[worker]);
    if (unit >= functions)
        return;
    struct function_listener own = {bound->listener, c};
    struct gp_z_taker taker = {take_z_row, &own};
    gp_gradient_prior(&bound->factor[c], &bound->model->gp, &bound->theta[c], gather,
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
    gather_function(bound, c, worker);
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
    pool_run(bound->pool, functions, gather_function, bound);
    pool_run(bound->pool, 2 * functions, gradient_part, bound);
}

static void gradient_by_points(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t d = bound->model->attributes, functions = bound->model->functions;
    size_t t = unit / bound->columns, first = d * (unit % bound->columns) / bound->columns;
    size_t width = d * (unit % bound->columns + 1) / bound->columns - first;
    struct gp_points points = tile_points(bound, t, 0);
    gp_points_backward(&bound->model->gp, functions, bound->factor, &bound->tile[t * functions],
                       &points, bound->most_points, first, width,
                       bound->d_x + tile_start(bound, t) * d, bound->scratch[worker]);
}

void move_inputs_back(struct bound *bound) {
    const struct nim_model *model = bound->model;
    struct input_batch input = input_batch(bound);
    double *noise = bound->noise_gradient;
    memset(noise, 0, model->attributes * sizeof(double));
    if (bound->needs_d_x) {
        pool_run(bound->pool, bound->tiles * bound->columns, gradient_by_points, bound);
        model->options.input->place_backward(
            &model->input, &input, model->theta + model->input_at, bound->batch.own,
            &bound->input_work, bound->share, bound->d_x, bound->gradient + model->input_at,
            bound->own_gradient, model_learns_noise(model) ? noise : NULL);
    }
    for (size_t c = 0; bound->unit_noise && c < model->functions; c++)
        add(model->attributes, bound->unit_noise + c * model->attributes, noise);
    for (size_t j = 0; j < model->noise_count; j++)
        bound->gradient[model->noise_at + j] = noise[j] * exp(model->theta[model->noise_at + j]);
}

void gather_likelihood(struct bound *bound) {
    const struct nim_model *model = bound->model;
    size_t units = likelihood_blocks(points_of(bound));
    double *gradient = bound->gradient + model->likelihood_at;
    memset(gradient, 0, model->likelihood_count * sizeof(double));
    for (size_t u = 0; u < units; u++)
        add(model->likelihood_count, bound->likelihood_gradient + u * model->likelihood_count,
            gradient);
}

/* log N(log lambda; log sqrt(d) + LENGTHSCALE_SHIFT, width^2) of every lengthscale, up to a
 * constant. The centre grows with d because distances between points do. */
double add_lengthscale_prior(struct bound *bound) {
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
    gather_norms(bound, bound->gradient_of);
    gather_likelihood(bound);
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
