/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predictive distribution. Where an input model infers true inputs, a row's probabilities are
 * averaged over p(x* | x~*) (locate.c), at the same quasi-random points for every row and class;
 * otherwise each row is one point.
 */
#include "predict/predictor.h"

#include "math/vector.h"
#include "data/target_checks.h"
#include "model/targets.h"
#include "math/lattice.h"

#include <stdlib.h>
#include <string.h>

static bool averages(const struct nim_predictor *predictor) {
    return predictor->model->options.input->averages;
}

/* Room for where one row may be, and where rows are looked at with their uncertainty. */
static void layout_location(struct desk *desk, const struct nim_model *model, struct arena *arena) {
    size_t d = model->attributes, components = model->population.components;
    size_t each = components ? components : 1;
    conditioner_layout(&desk->conditioner, &model->population, arena);
    desk->share = arena_doubles(arena, each);
    desk->centre = arena_doubles(arena, each * d);
    desk->width = arena_doubles(arena, d);
    desk->slope = arena_doubles(arena, d);
    if (components) {
        desk->merged = arena_doubles(arena, d);
        desk->merged_root = arena_doubles(arena, d * d);
    }
    if (components && model->options.input->widens)
        desk->root = arena_doubles(arena, TILE * d * d);
}

static void desk_layout(struct desk *desk, const struct nim_model *model, struct arena *arena) {
    size_t functions = model->functions, classes = model->classes;
    size_t area = TILE * model->attributes;
    size_t points = model->options.input->averages ? model->options.points : 1;
    const struct likelihood *likelihood = model->options.likelihood;
    struct gp_tile_use use = {.first_order = model->options.input->widens};
    desk->row_x = arena_doubles(arena, area);
    desk->row_noise = arena_doubles(arena, area);
    desk->x = arena_doubles(arena, area);
    desk->x_square = arena_doubles(arena, area);
    desk->noise = arena_doubles(arena, area);
    layout_location(desk, model, arena);
    desk->x_norm = arena_doubles(arena, functions * TILE);
    desk->mean = arena_doubles(arena, functions * TILE);
    desk->variance = arena_doubles(arena, functions * TILE);
    desk->probability = arena_doubles(arena, classes * TILE);
    desk->label_entropy = arena_doubles(arena, TILE);
    desk->sum = arena_doubles(arena, 2 * functions + classes + 2);
    desk->node_sum = arena_doubles(arena, classes);
    desk->total = arena_doubles(arena, classes);
    desk->target = arena_doubles(arena, likelihood_target_width(likelihood, classes));
    if (classes == 0) {
        desk->all_mean = arena_doubles(arena, points);
        desk->all_variance = arena_doubles(arena, points);
        desk->answer = arena_doubles(arena, points);
        desk->second_answer = arena_doubles(arena, points);
    }
    gp_tile_layout(&desk->tile, &model->gp, TILE, use, arena);
    desk->scratch = arena_doubles(arena, GEMM_SCRATCH);
    desk->likelihood_scratch =
        arena_doubles(arena, likelihood->scratch ? likelihood->scratch(&model->likelihood) : 0);
}

static void layout(struct nim_predictor *predictor, struct arena *arena) {
    const struct nim_model *model = predictor->model;
    size_t functions = model->functions, threads = pool_threads(predictor->pool);
    predictor->factor = arena_bytes(arena, functions, sizeof *predictor->factor);
    predictor->theta = arena_bytes(arena, functions, sizeof *predictor->theta);
    predictor->desk = arena_bytes(arena, threads, sizeof *predictor->desk);
    size_t points = averages(predictor) ? model->options.points : 0;
    predictor->coordinates = model->attributes + (model->population.components > 1);
    predictor->normal = points ? arena_doubles(arena, points * predictor->coordinates) : NULL;
    predictor->few = points ? arena_doubles(arena, TILE * predictor->coordinates) : NULL;
    predictor->q = arena_doubles(arena, functions * model->attributes);
    bool counting = !predictor->factor; /* see arena.h */
    struct gp_factor factor;
    struct desk desk;
    for (size_t c = 0; c < functions; c++)
        gp_factor_layout(counting ? &factor : &predictor->factor[c], &model->gp, arena,
                         counting ? NULL : predictor->q + c * model->attributes, NULL);
    for (size_t w = 0; w < threads; w++)
        desk_layout(counting ? &desk : &predictor->desk[w], model, arena);
}

static nim_status factor_functions(struct nim_predictor *predictor, nim_error *error) {
    const struct nim_model *model = predictor->model;
    for (size_t c = 0; c < model->functions; c++) {
        predictor->theta[c] = model_gp(model, model->theta, c);
        predictor->factor[c].jitter = model->jitter[c];
        gp_scales(&model->gp, &predictor->theta[c], predictor->q + c * model->attributes);
        gp_factor_posterior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                            predictor->desk[0].scratch);
        if (!gp_factor_prior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                             predictor->desk[0].scratch))
            return failure(
                error, NIM_NUMERICAL,
                "the covariance of function %zu's inducing inputs is not positive definite", c);
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
            ready = lattice_normal(key, model->options.points, predictor->coordinates,
                                   predictor->normal) &&
                    lattice_normal(key, TILE, predictor->coordinates, predictor->few);
    }
    nim_status status = ready
                            ? factor_functions(predictor, error)
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
    gp_norms(&model->gp, model->functions, predictor->q, count, desk->x_square, desk->x_norm, TILE,
             desk->scratch);
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_points points = {.rows = count, .x = desk->x, .x_norm = desk->x_norm + c * TILE};
        double *mean = desk->mean + c * TILE, *variance = desk->variance + c * TILE;
        gp_conditional(&predictor->factor[c], &model->gp, &predictor->theta[c], &points,
                       &desk->tile, mean, variance, desk->scratch);
        if (model->options.input->widens)
            gp_slope(&predictor->factor[c], &model->gp, &predictor->theta[c], &points, &desk->tile,
                     (struct gp_blur){desk->noise, desk->root}, variance, desk->scratch);
    }
    if (model->classes == 0)
        return;
    model->options.likelihood->predict(&model->likelihood, model->theta + model->likelihood_at,
                                       count, desk->mean, desk->variance, TILE, desk->probability,
                                       desk->label_entropy, desk->likelihood_scratch);
}

double predictor_entropy(const struct nim_predictor *predictor, const double *probability) {
    const struct nim_model *model = predictor->model;
    bool sets = model->options.likelihood->target == TARGET_LABELS;
    double entropy = 0.0;
    for (size_t c = 0; c < model->classes; c++) {
        double p = probability[c];
        entropy -= p > 0.0 ? p * log(p) : 0.0;
        if (sets)
            entropy -= p < 1.0 ? (1.0 - p) * log1p(-p) : 0.0;
    }
    return entropy;
}

/* A row's sums over its points: F of mean, F of second moment, C of probability, and where parts of
 * the entropy are wanted H[p(y|x)] and E H[p(y|f,x)]. */
struct sums {
    double *mean, *square, *probability, *located, *known;
    size_t count;
};

static struct sums sums_of(const struct nim_predictor *predictor, struct desk *desk) {
    size_t functions = predictor->model->functions, classes = predictor->model->classes;
    double *probability = desk->sum + 2 * functions;
    return (struct sums){.mean = desk->sum,
                         .square = desk->sum + functions,
                         .probability = probability,
                         .located = probability + classes,
                         .known = probability + classes + 1,
                         .count = 2 * functions + classes + 2};
}

static void clear_sums(const struct nim_predictor *predictor, struct desk *desk) {
    memset(desk->sum, 0, sums_of(predictor, desk).count * sizeof(double));
}

static bool wants_parts(const struct nim_predictor *predictor) {
    return predictor->wanted->measurement_part || predictor->wanted->model_part;
}

/* Adds point p of the desk to the sums of its row, of which it is number `index`. */
static void add_point(const struct nim_predictor *predictor, struct desk *desk, size_t p,
                      size_t index) {
    size_t classes = predictor->model->classes;
    struct sums sums = sums_of(predictor, desk);
    for (size_t c = 0; c < predictor->model->functions; c++) {
        double mean = desk->mean[c * TILE + p];
        sums.mean[c] += mean;
        sums.square[c] += desk->variance[c * TILE + p] + mean * mean;
    }
    if (classes == 0) {
        desk->all_mean[index] = desk->mean[p];
        desk->all_variance[index] = desk->variance[p];
        return;
    }
    add(classes, desk->probability + p * classes, sums.probability);
    if (wants_parts(predictor)) {
        *sums.located += predictor_entropy(predictor, desk->probability + p * classes);
        *sums.known += desk->label_entropy[p];
    }
}

/* p^(1/T) in place, summing to one. */
static void temper(size_t classes, double temperature, double *p) {
    double largest = 0.0, total = 0.0;
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, p[c]);
    for (size_t c = 0; c < classes; c++)
        total += p[c] = pow(p[c] / largest, 1.0 / temperature);
    scale(classes, 1.0 / total, p);
}

double predictor_calibrate(const struct nim_predictor *predictor, double *p) {
    const struct nim_model *model = predictor->model;
    if (model->temperature == 1.0 || !targets_are_classes(model))
        return 1.0;
    double plain = predictor_entropy(predictor, p);
    temper(model->classes, model->temperature, p);
    return plain > 0.0 ? predictor_entropy(predictor, p) / plain : 1.0;
}

static void write_probabilities(const struct nim_predictor *predictor, struct desk *desk,
                                size_t row) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    size_t classes = model->classes;
    struct sums sums = sums_of(predictor, desk);
    double *p = sums.probability, plain = predictor_entropy(predictor, p);
    double factor = predictor_calibrate(predictor, p); /* the parts keep their shares */
    double entropy = predictor_entropy(predictor, p);
    if (wanted->probabilities)
        memcpy(wanted->probabilities + row * classes, p, classes * sizeof(double));
    if (wanted->entropy)
        wanted->entropy[row] = entropy;
    if (wanted->measurement_part)
        wanted->measurement_part[row] = factor * fmax(0.0, plain - *sums.located);
    if (wanted->model_part)
        wanted->model_part[row] = factor * fmax(0.0, *sums.located - *sums.known);
    if (!wanted->log_density)
        return;
    double value = 0.0;
    targets_gather(model, predictor->data, 1, &row, desk->target);
    if (targets_are_classes(model))
        value = log(p[(size_t)desk->target[0]]);
    else
        for (size_t c = 0; c < classes; c++)
            value += desk->target[c] > 0.0 ? log(p[c]) : log1p(-p[c]);
    wanted->log_density[row] = value;
}

/* What was asked for, from the sums over `count` points of a row. */
static void write_row(const struct nim_predictor *predictor, struct desk *desk, size_t row,
                      size_t count) {
    size_t functions = predictor->model->functions;
    const nim_prediction *wanted = predictor->wanted;
    struct sums sums = sums_of(predictor, desk);
    scale(sums.count, 1.0 / (double)count, desk->sum);
    for (size_t c = 0; c < functions; c++) {
        if (wanted->latent_mean)
            wanted->latent_mean[row * functions + c] = sums.mean[c];
        if (wanted->latent_variance)
            wanted->latent_variance[row * functions + c] =
                fmax(0.0, sums.square[c] - sums.mean[c] * sums.mean[c]);
    }
    if (predictor->model->classes)
        write_probabilities(predictor, desk, row);
    else
        predictor_write_numbers(predictor, desk, row, count);
}

static void predict_average(const struct nim_predictor *predictor, struct desk *desk, size_t k) {
    size_t d = predictor->model->attributes, points = predictor->model->options.points;
    if (sum(d, desk->row_noise + k * d) == 0.0)
        points = 1; /* every point of the lattice would be the same */
    clear_sums(predictor, desk);
    predictor_locate(predictor, desk, k);
    for (size_t first = 0; first < points; first += TILE) {
        size_t count = points - first < TILE ? points - first : TILE;
        predictor_spread(predictor, desk, predictor->normal + first * predictor->coordinates,
                         count);
        predictor_look(predictor, desk, count);
        for (size_t p = 0; p < count; p++)
            add_point(predictor, desk, p, first + p);
    }
    write_row(predictor, desk, desk->row[k], points);
}

static void predict_in_place(const struct nim_predictor *predictor, struct desk *desk,
                             size_t count) {
    size_t d = predictor->model->attributes, bytes = count * d * sizeof(double);
    memcpy(desk->x, desk->row_x, bytes);
    memcpy(desk->noise, desk->row_noise, bytes);
    for (size_t k = 0; predictor->model->population.components && k < count; k++) {
        predictor_locate(predictor, desk, k);
        predictor_merge(desk, desk->x + k * d,
                        desk->root ? desk->root + k * d * d : desk->merged_root);
    }
    predictor_look(predictor, desk, count);
    for (size_t k = 0; k < count; k++) {
        clear_sums(predictor, desk);
        add_point(predictor, desk, k, 0);
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
    model_gather(model, predictor->data, count, desk->row, desk->row_x, desk->row_noise, NULL);
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

/* Whether what is asked for is something the model can say. */
static nim_status check_wanted(const struct nim_model *model, const nim_prediction *wanted,
                               nim_error *error) {
    bool classes =
        wanted->probabilities || wanted->entropy || wanted->measurement_part || wanted->model_part;
    bool numbers = wanted->mean || wanted->deviation || wanted->quantiles;
    if (classes && model->classes == 0)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts numbers and has no probabilities of classes",
                       model->options.likelihood->name);
    if (numbers && model->classes)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts probabilities and has no mean, deviation or quantiles",
                       model->options.likelihood->name);
    if (wanted->quantiles && !wanted->levels && wanted->level_count)
        return failure(error, NIM_INVALID_ARGUMENT, "quantiles are wanted, but levels is NULL");
    for (size_t k = 0; wanted->quantiles && k < wanted->level_count; k++)
        if (!(wanted->levels[k] > 0.0 && wanted->levels[k] < 1.0))
            return failure(error, NIM_INVALID_ARGUMENT, "quantile level %g is not between 0 and 1",
                           wanted->levels[k]);
    return NIM_OK;
}

nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                       const nim_prediction *prediction, nim_error *error) {
    if (!predictor || !prediction)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor or prediction is NULL");
    nim_status status =
        model_check_data(predictor->model, data, prediction->log_density != NULL, error);
    if (status == NIM_OK)
        status = check_wanted(predictor->model, prediction, error);
    if (status == NIM_OK && predictor->model->options.likelihood->target == TARGET_COUNT)
        status = exposure_check(data, error);
    if (status != NIM_OK)
        return status;
    predictor->data = data;
    predictor->wanted = prediction;
    size_t each = rows_per_unit(predictor);
    pool_run(predictor->pool, (data->rows + each - 1) / each, predict_unit, predictor);
    return succeed(error);
}
