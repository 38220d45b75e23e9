/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predictive distribution. Where an input model infers true inputs, a row's probabilities are
 * averaged over x* ~ N(c, T) = p(x* | x~*) (noise_posterior.h), at the same quasi-random points for
 * every row and class; otherwise each row is one point.
 */
#include "predict/predictor.h"

#include "base/vector.h"
#include "predict/lattice.h"

#include <stdlib.h>
#include <string.h>

static bool averages(const struct nim_predictor *predictor) {
    return predictor->model->options.input->averages;
}

static void desk_layout(struct desk *desk, const struct nim_model *model, struct arena *arena) {
    size_t classes = model->classes, area = TILE * model->attributes;
    struct gp_tile_use use = {.first_order = model->options.input->widens};
    desk->row_x = arena_doubles(arena, area);
    desk->row_noise = arena_doubles(arena, area);
    desk->x = arena_doubles(arena, area);
    desk->x_square = arena_doubles(arena, area);
    desk->noise = arena_doubles(arena, area);
    desk->x_norm = arena_doubles(arena, classes * TILE);
    desk->mean = arena_doubles(arena, classes * TILE);
    desk->variance = arena_doubles(arena, classes * TILE);
    desk->probability = arena_doubles(arena, classes * TILE);
    desk->label_entropy = arena_doubles(arena, TILE);
    desk->sum = arena_doubles(arena, 3 * classes + 2);
    desk->node_sum = arena_doubles(arena, classes);
    desk->total = arena_doubles(arena, classes);
    gp_tile_layout(&desk->tile, &model->gp, TILE, use, arena);
    desk->scratch = arena_doubles(arena, GEMM_SCRATCH);
    desk->likelihood_scratch =
        arena_doubles(arena, model->options.likelihood->scratch(&model->likelihood));
}

static void layout(struct nim_predictor *predictor, struct arena *arena) {
    const struct nim_model *model = predictor->model;
    size_t classes = model->classes, threads = pool_threads(predictor->pool);
    predictor->factor = arena_bytes(arena, classes, sizeof *predictor->factor);
    predictor->theta = arena_bytes(arena, classes, sizeof *predictor->theta);
    predictor->desk = arena_bytes(arena, threads, sizeof *predictor->desk);
    size_t points = averages(predictor) ? model->options.points : 0;
    predictor->normal = points ? arena_doubles(arena, points * model->attributes) : NULL;
    predictor->few = points ? arena_doubles(arena, TILE * model->attributes) : NULL;
    predictor->q = arena_doubles(arena, classes * model->attributes);
    double *zq = arena_doubles(arena, classes * model->inducing * model->attributes);
    struct gp_factor factor;
    struct desk desk;
    for (size_t c = 0; c < classes; c++)
        gp_factor_layout(zq ? &predictor->factor[c] : &factor, &model->gp, arena,
                         zq ? predictor->q + c * model->attributes : NULL,
                         zq ? zq + c * model->inducing * model->attributes : NULL);
    for (size_t w = 0; w < threads; w++)
        desk_layout(zq ? &predictor->desk[w] : &desk, model, arena);
}

static nim_status factor_classes(struct nim_predictor *predictor, nim_error *error) {
    const struct nim_model *model = predictor->model;
    for (size_t c = 0; c < model->classes; c++) {
        predictor->theta[c] = model_gp(model, model->theta, c);
        predictor->factor[c].jitter = model->jitter[c];
        gp_scales(&model->gp, &predictor->theta[c], predictor->q + c * model->attributes);
        gp_factor_posterior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                            predictor->desk[0].scratch);
        if (!gp_factor_prior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                             predictor->desk[0].scratch))
            return failure(error, NIM_NUMERICAL,
                           "the covariance of class %zu's inducing inputs is not positive definite",
                           c);
    }
    return NIM_OK;
}

nim_status nim_predictor_create(const nim_model *model, nim_predictor **result, nim_error *error) {
    if (!model || !result)
        return failure(error, NIM_INVALID_ARGUMENT, "model or predictor is NULL");
    *result = NULL;
    struct nim_predictor *predictor = calloc(1, sizeof *predictor);
    if (!predictor)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a predictor");
    predictor->model = model;
    predictor->pool = pool_create(model_threads(model));
    bool ready = predictor->pool != NULL;
    if (ready) {
        layout(predictor, &predictor->arena);
        ready = arena_allocate(&predictor->arena);
    }
    if (ready) {
        layout(predictor, &predictor->arena);
        struct random_key key = {model->options.seed, STREAM_LATTICE};
        if (averages(predictor))
            ready =
                lattice_normal(key, model->options.points, model->attributes, predictor->normal) &&
                lattice_normal(key, TILE, model->attributes, predictor->few);
    }
    nim_status status = ready
                            ? factor_classes(predictor, error)
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory or threads to predict");
    if (status != NIM_OK) {
        nim_predictor_free(predictor);
        return status;
    }
    *result = predictor;
    return succeed(error);
}

void nim_predictor_free(nim_predictor *predictor) {
    if (!predictor)
        return;
    pool_free(predictor->pool);
    arena_free(&predictor->arena);
    free(predictor);
}

void predictor_look(const struct nim_predictor *predictor, struct desk *desk, size_t count) {
    const struct nim_model *model = predictor->model;
    multiply(count * model->attributes, desk->x, desk->x, desk->x_square);
    gp_norms(&model->gp, model->classes, predictor->q, count, desk->x_square, desk->x_norm, TILE,
             desk->scratch);
    for (size_t c = 0; c < model->classes; c++) {
        struct gp_points points = {.rows = count, .x = desk->x, .x_norm = desk->x_norm + c * TILE};
        double *mean = desk->mean + c * TILE, *variance = desk->variance + c * TILE;
        gp_conditional(&predictor->factor[c], &model->gp, &predictor->theta[c], &points,
                       &desk->tile, mean, variance, desk->scratch);
        if (model->options.input->widens)
            gp_slope(&predictor->factor[c], &model->gp, &points, &desk->tile, desk->noise, variance,
                     desk->scratch);
    }
    model->options.likelihood->predict(&model->likelihood, model->theta + model->likelihood_at,
                                       count, desk->mean, desk->variance, TILE, desk->probability,
                                       desk->label_entropy, desk->likelihood_scratch);
}

/* A row's sums over its points: C of probability, C of mean, C of second moment, and where parts of
 * the entropy are wanted H[p(y|x)] and E H[p(y|f,x)]. */
static void clear_sums(const struct nim_predictor *predictor, struct desk *desk) {
    memset(desk->sum, 0, (3 * predictor->model->classes + 2) * sizeof(double));
}

static bool wants_parts(const struct nim_predictor *predictor) {
    return predictor->wanted->measurement_part || predictor->wanted->model_part;
}

/* Adds point p of the desk to the sums of its row. */
static void add_point(const struct nim_predictor *predictor, struct desk *desk, size_t p) {
    size_t classes = predictor->model->classes;
    for (size_t c = 0; c < classes; c++) {
        double mean = desk->mean[c * TILE + p];
        desk->sum[c] += desk->probability[p * classes + c];
        desk->sum[classes + c] += mean;
        desk->sum[2 * classes + c] += desk->variance[c * TILE + p] + mean * mean;
    }
    if (wants_parts(predictor)) {
        desk->sum[3 * classes] += entropy_of(classes, desk->probability + p * classes);
        desk->sum[3 * classes + 1] += desk->label_entropy[p];
    }
}

/* What was asked for, from the sums over `count` points of a row. */
static void write_row(const struct nim_predictor *predictor, struct desk *desk, size_t row,
                      size_t count) {
    size_t classes = predictor->model->classes;
    const nim_prediction *wanted = predictor->wanted;
    scale(3 * classes + 2, 1.0 / (double)count, desk->sum);
    for (size_t c = 0; c < classes; c++) {
        double mean = desk->sum[classes + c];
        if (wanted->probabilities)
            wanted->probabilities[row * classes + c] = desk->sum[c];
        if (wanted->latent_mean)
            wanted->latent_mean[row * classes + c] = mean;
        if (wanted->latent_variance)
            wanted->latent_variance[row * classes + c] =
                fmax(0.0, desk->sum[2 * classes + c] - mean * mean);
    }
    double entropy = entropy_of(classes, desk->sum), located = desk->sum[3 * classes];
    if (wanted->entropy)
        wanted->entropy[row] = entropy;
    if (wanted->measurement_part)
        wanted->measurement_part[row] = fmax(0.0, entropy - located);
    if (wanted->model_part)
        wanted->model_part[row] = fmax(0.0, located - desk->sum[3 * classes + 1]);
}

void predictor_spread(const struct nim_predictor *predictor, double value, double noise,
                      const double *normal, size_t stride, size_t count, double *column) {
    size_t d = predictor->model->attributes;
    double prior = predictor->model->options.prior_variance, share = prior / (prior + noise);
    double centre = share * value, width = sqrt(share * noise);
    for (size_t p = 0; p < count; p++)
        column[p * d] = centre + width * normal[p * stride];
}

/* x* = c + sqrt(T) xi for points first .. first+count-1 of the lattice, around row k of the desk.
 */
static void spread_points(const struct nim_predictor *predictor, struct desk *desk, size_t k,
                          size_t first, size_t count) {
    size_t d = predictor->model->attributes;
    for (size_t j = 0; j < d; j++)
        predictor_spread(predictor, desk->row_x[k * d + j], desk->row_noise[k * d + j],
                         predictor->normal + first * d + j, d, count, desk->x + j);
}

static void predict_average(const struct nim_predictor *predictor, struct desk *desk, size_t k) {
    size_t d = predictor->model->attributes, points = predictor->model->options.points;
    if (sum(d, desk->row_noise + k * d) == 0.0)
        points = 1; /* every point of the lattice would be the same */
    clear_sums(predictor, desk);
    for (size_t first = 0; first < points; first += TILE) {
        size_t count = points - first < TILE ? points - first : TILE;
        spread_points(predictor, desk, k, first, count);
        predictor_look(predictor, desk, count);
        for (size_t p = 0; p < count; p++)
            add_point(predictor, desk, p);
    }
    write_row(predictor, desk, desk->row[k], points);
}

static void predict_in_place(const struct nim_predictor *predictor, struct desk *desk,
                             size_t count) {
    size_t bytes = count * predictor->model->attributes * sizeof(double);
    memcpy(desk->x, desk->row_x, bytes);
    memcpy(desk->noise, desk->row_noise, bytes);
    predictor_look(predictor, desk, count);
    for (size_t k = 0; k < count; k++) {
        clear_sums(predictor, desk);
        add_point(predictor, desk, k);
        write_row(predictor, desk, desk->row[k], 1);
    }
}

static size_t rows_per_unit(const struct nim_predictor *predictor) {
    return averages(predictor) ? 1 : TILE;
}

void predictor_take_rows(const struct nim_predictor *predictor, struct desk *desk, size_t first,
                         size_t count) {
    const struct nim_model *model = predictor->model;
    for (size_t k = 0; k < count; k++)
        desk->row[k] = first + k;
    scaling_gather(&model->scaling, predictor->data, model_uses_errors(model), count, desk->row,
                   desk->row_x, desk->row_noise, NULL, NULL);
    model_add_learned_noise(model, count, desk->row_noise);
}

static void predict_unit(void *context, size_t unit, size_t worker) {
    const struct nim_predictor *predictor = context;
    struct desk *desk = &predictor->desk[worker];
    size_t first = unit * rows_per_unit(predictor), count = predictor->data->rows - first;
    count = count < rows_per_unit(predictor) ? count : rows_per_unit(predictor);
    predictor_take_rows(predictor, desk, first, count);
    if (averages(predictor))
        predict_average(predictor, desk, 0);
    else
        predict_in_place(predictor, desk, count);
}

nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                       const nim_prediction *prediction, nim_error *error) {
    if (!predictor || !prediction)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor or prediction is NULL");
    nim_status status = model_check_data(predictor->model, data, false, error);
    if (status != NIM_OK)
        return status;
    predictor->data = data;
    predictor->wanted = prediction;
    size_t each = rows_per_unit(predictor);
    pool_run(predictor->pool, (data->rows + each - 1) / each, predict_unit, predictor);
    return succeed(error);
}
