/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the bound that take rows and their points: inputs and likelihood, and their
 * adjoints. */
#include "math/linalg.h"
#include "math/vector.h"
#include "model/bound_steps.h"
#include "model/targets.h"

#include <math.h>
#include <string.h>

enum { NORM_ROWS = 64 };

static void condition_row(void *context, size_t i, size_t worker) {
    struct bound *bound = context;
    const struct bound_batch *batch = &bound->batch;
    size_t d = bound->model->attributes;
    row_priors_take(&bound->priors, i, batch->row[i],
                    measurement_at(d, batch->x, batch->noise, batch->shape, i), worker);
}

struct input_batch bound_batch_input(const struct bound_batch *batch, const struct nim_model *model,
                                     const struct row_priors *priors, const double *feature) {
    return (struct input_batch){.setting = &model->input,
                                .rows = batch->rows,
                                .row = batch->row,
                                .copy = batch->copy,
                                .x = batch->x,
                                .noise = batch->noise,
                                .prior = row_priors_view(priors),
                                .feature = feature,
                                .weight = batch->weight,
                                .seed = model->options.seed,
                                .step = batch->step,
                                .width = batch->width,
                                .shared = model->theta + model->input_at,
                                .own = batch->own};
}

static struct input_batch input_batch(struct bound *bound) {
    const struct nim_model *model = bound->model;
    struct input_batch batch =
        bound_batch_input(&bound->batch, model, &bound->priors, bound->feature);
    batch.work = &bound->input_work;
    batch.pool = bound->pool;
    batch.scratch = bound->scratch;
    batch.point = bound->x;
    batch.value = bound->row_value;
    batch.log_weight = bound->log_weight;
    batch.share = bound->share;
    batch.d_point = bound->d_x;
    batch.d_shared = bound->gradient + model->input_at;
    batch.d_own = bound->own_gradient;
    batch.d_noise = model_learns_noise(model) ? bound->noise_gradient : NULL;
    return batch;
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

void add_norms(struct bound *bound, const struct gp_parameters *norms) {
    bound->norms = norms;
    pool_run(bound->pool, bound->columns, norms_back, bound);
}

static void pack_points(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct bound *bound = context;
    size_t t = unit / 2, d = bound->model->attributes;
    struct gp_points points = bound_tile_points(bound, t, 0);
    enum form form = unit % 2 == 0 ? TRANSPOSED : PLAIN;
    size_t n = form == TRANSPOSED ? points.rows : d, k = form == TRANSPOSED ? d : points.rows;
    if (bound->x_narrow)
        gemm_pack_single(form, n, k, bound->x_narrow + bound_tile_start(bound, t) * d, d,
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
    if (bound->correlated) {
        pool_run(bound->pool, batch->rows, condition_row, bound);
        row_priors_keep(&bound->priors, batch->rows, batch->row);
    }
    const struct input_batch input = input_batch(bound);
    model->options.input->place(&input);
    pool_run(bound->pool, likelihood_blocks(bound->most_points), complete_points, bound);
    pool_run(bound->pool, 2 * bound->tiles, pack_points, bound);
    pool_run(bound->pool, (points_of(bound) + NORM_ROWS - 1) / NORM_ROWS, find_norms, bound);
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

static void gradient_by_points(void *context, size_t unit, size_t worker) {
    struct bound *bound = context;
    size_t d = bound->model->attributes, functions = bound->model->functions;
    size_t t = unit / bound->columns, first = d * (unit % bound->columns) / bound->columns;
    size_t width = d * (unit % bound->columns + 1) / bound->columns - first;
    struct gp_points points = bound_tile_points(bound, t, 0);
    gp_arithmetic_in(bound->use.single)
        ->points_backward(&bound->model->gp, functions, bound->factor, &bound->tile[t * functions],
                          &points, bound->most_points, first, width,
                          bound->d_x + bound_tile_start(bound, t) * d, bound->scratch[worker]);
}

void move_inputs_back(struct bound *bound) {
    const struct nim_model *model = bound->model;
    const struct input_batch input = input_batch(bound);
    double *noise = bound->noise_gradient;
    memset(noise, 0, model->attributes * sizeof(double));
    if (bound->needs_d_x) {
        pool_run(bound->pool, bound->tiles * bound->columns, gradient_by_points, bound);
        model->options.input->place_backward(&input);
    }
    for (size_t c = 0; bound->unit_noise && c < model->functions; c++)
        add(model->attributes, bound->unit_noise + c * model->attributes, noise);
    for (size_t j = 0; j < model->noise_count; j++)
        bound->gradient[model->noise_at + j] = noise[j] * exp(model->theta[model->noise_at + j]);
}

void add_likelihood(struct bound *bound) {
    const struct nim_model *model = bound->model;
    size_t units = likelihood_blocks(points_of(bound));
    double *gradient = bound->gradient + model->likelihood_at;
    memset(gradient, 0, model->likelihood_count * sizeof(double));
    for (size_t u = 0; u < units; u++)
        add(model->likelihood_count, bound->likelihood_gradient + u * model->likelihood_count,
            gradient);
}
