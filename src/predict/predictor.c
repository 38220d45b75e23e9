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
#include "model/temper.h"
#include "math/lattice.h"

#include <stdlib.h>
#include <string.h>

static bool averages(const struct nim_predictor *predictor) {
    return predictor->model->options.input->averages;
}

/* Room for where one row may be, and where rows are looked at with their uncertainty. */
static void layout_location(struct prediction_work *work, const struct nim_model *model,
                            struct arena *arena) {
    size_t d = model->attributes, components = model->population.components;
    size_t each = components ? components : 1;
    if (components)
        conditioner_layout(&work->conditioner, &model->population, arena);
    work->share = arena_doubles(arena, each);
    work->centre = arena_doubles(arena, each * d);
    work->width = arena_doubles(arena, d);
    work->slope = arena_doubles(arena, d);
    if (components) {
        work->merged = arena_doubles(arena, d);
        work->merged_root = arena_doubles(arena, d * d);
    }
    if (components && model->options.input->widens)
        work->root = arena_doubles(arena, TILE * d * d);
}

static void work_layout(struct prediction_work *work, const struct nim_model *model,
                        struct arena *arena) {
    size_t functions = model->functions, classes = model->classes;
    size_t area = TILE * model->attributes;
    size_t points = model->options.input->averages ? model->options.points : 1;
    const struct likelihood *likelihood = model->options.likelihood;
    struct gp_tile_use use = {.first_order = model->options.input->widens};
    work->row_x = arena_doubles(arena, area);
    work->row_noise = arena_doubles(arena, area);
    work->x = arena_doubles(arena, area);
    work->x_square = arena_doubles(arena, area);
    work->noise = arena_doubles(arena, area);
    layout_location(work, model, arena);
    if (model->novelty.kept)
        novelty_layout(&work->novelty, novelty_population(model), arena);
    work->x_norm = arena_doubles(arena, functions * model->gp.kernel->terms * TILE);
    work->mean = arena_doubles(arena, functions * TILE);
    work->variance = arena_doubles(arena, functions * TILE);
    work->probability = arena_doubles(arena, classes * TILE);
    work->label_entropy = arena_doubles(arena, TILE);
    work->sum = arena_doubles(arena, 2 * functions + classes + 2);
    work->node_sum = arena_doubles(arena, classes);
    work->total = arena_doubles(arena, classes);
    work->target = arena_doubles(arena, likelihood_target_width(likelihood, classes));
    if (classes == 0) {
        work->all_mean = arena_doubles(arena, points);
        work->all_variance = arena_doubles(arena, points);
        work->answer = arena_doubles(arena, points);
        work->second_answer = arena_doubles(arena, points);
    }
    gp_tile_layout(&work->tile, &model->gp, TILE, use, arena);
    work->scratch = arena_doubles(arena, GEMM_SCRATCH);
    work->likelihood_scratch =
        arena_doubles(arena, likelihood->scratch ? likelihood->scratch(&model->likelihood) : 0);
}

static void layout(struct nim_predictor *predictor, struct arena *arena) {
    const struct nim_model *model = predictor->model;
    size_t functions = model->functions, threads = pool_threads(predictor->pool);
    predictor->factor = arena_bytes(arena, functions, sizeof *predictor->factor);
    predictor->theta = arena_bytes(arena, functions, sizeof *predictor->theta);
    predictor->work = arena_bytes(arena, threads, sizeof *predictor->work);
    size_t points = averages(predictor) ? model->options.points : 0;
    predictor->coordinates = model->attributes + (model->population.components > 1);
    predictor->normal = points ? arena_doubles(arena, points * predictor->coordinates) : NULL;
    predictor->coarse = points ? arena_doubles(arena, TILE * predictor->coordinates) : NULL;
    predictor->ratio = arena_doubles(arena, model->classes);
    size_t scales = model->gp.kernel->terms * model->attributes;
    predictor->q = arena_doubles(arena, functions * scales);
    bool counting = !predictor->factor; /* see arena.h */
    struct gp_factor factor;
    struct prediction_work work;
    for (size_t c = 0; c < functions; c++)
        gp_factor_layout(counting ? &factor : &predictor->factor[c], &model->gp, arena,
                         counting ? NULL : predictor->q + c * scales, NULL);
    for (size_t w = 0; w < threads; w++)
        work_layout(counting ? &work : &predictor->work[w], model, arena);
}

static nim_status factor_functions(struct nim_predictor *predictor, nim_error *error) {
    const struct nim_model *model = predictor->model;
    for (size_t c = 0; c < model->functions; c++) {
        predictor->theta[c] = model_gp(model, model->theta, c);
        predictor->factor[c].jitter = model->jitter[c];
        gp_scales(&model->gp, &predictor->theta[c],
                  predictor->q + c * model->gp.kernel->terms * model->attributes);
        gp_factor_posterior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                            predictor->work[0].scratch);
        if (!gp_factor_prior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                             predictor->work[0].scratch))
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
                    lattice_normal(key, TILE, predictor->coordinates, predictor->coarse);
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

void predictor_look(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count) {
    const struct nim_model *model = predictor->model;
    multiply(count * model->attributes, work->x, work->x, work->x_square);
    gp_norms(&model->gp, model->functions, predictor->q, count, work->x_square, work->x_norm, TILE,
             work->scratch);
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_points points = {.rows = count,
                                   .x = work->x,
                                   .x_norm = work->x_norm + c * model->gp.kernel->terms * TILE,
                                   .norm_stride = TILE};
        double *mean = work->mean + c * TILE, *variance = work->variance + c * TILE;
        gp_conditional(&predictor->factor[c], &model->gp, &predictor->theta[c], &points,
                       &work->tile, mean, variance, work->scratch);
        if (model->options.input->widens)
            gp_slope(&predictor->factor[c], &model->gp, &predictor->theta[c], &points, &work->tile,
                     (struct gp_blur){work->noise, work->root}, variance, work->scratch);
    }
    if (model->classes == 0)
        return;
    model->options.likelihood->predict(&model->likelihood, model->theta + model->likelihood_at,
                                       count, work->mean, work->variance, TILE, work->probability,
                                       work->label_entropy, work->likelihood_scratch);
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

static struct sums sums_of(const struct nim_predictor *predictor, struct prediction_work *work) {
    size_t functions = predictor->model->functions, classes = predictor->model->classes;
    double *probability = work->sum + 2 * functions;
    return (struct sums){.mean = work->sum,
                         .square = work->sum + functions,
                         .probability = probability,
                         .located = probability + classes,
                         .known = probability + classes + 1,
                         .count = 2 * functions + classes + 2};
}

static void clear_sums(const struct nim_predictor *predictor, struct prediction_work *work) {
    memset(work->sum, 0, sums_of(predictor, work).count * sizeof(double));
}

static bool wants_parts(const struct nim_predictor *predictor) {
    return predictor->wanted->measurement_part || predictor->wanted->model_part;
}

/* Adds point p at hand to the sums of its row, of which it is number `index`. */
static void add_point(const struct nim_predictor *predictor, struct prediction_work *work, size_t p,
                      size_t index) {
    size_t classes = predictor->model->classes;
    struct sums sums = sums_of(predictor, work);
    for (size_t c = 0; c < predictor->model->functions; c++) {
        double mean = work->mean[c * TILE + p];
        sums.mean[c] += mean;
        sums.square[c] += work->variance[c * TILE + p] + mean * mean;
    }
    if (classes == 0) {
        work->all_mean[index] = work->mean[p];
        work->all_variance[index] = work->variance[p];
        return;
    }
    add(classes, work->probability + p * classes, sums.probability);
    if (wants_parts(predictor)) {
        *sums.located += predictor_entropy(predictor, work->probability + p * classes);
        *sums.known += work->label_entropy[p];
    }
}

double predictor_calibrate(const struct nim_predictor *predictor, double *p) {
    const struct nim_model *model = predictor->model;
    bool tempers = model->temperature != 1.0;
    if ((!tempers && !predictor->reshares) || !targets_are_classes(model))
        return 1.0;
    double plain = predictor_entropy(predictor, p);
    if (tempers)
        temper(model->classes, model->temperature, p);
    if (predictor->reshares)
        predictor_reshare(predictor, p);
    return plain > 0.0 ? predictor_entropy(predictor, p) / plain : 1.0;
}

/* From probabilities with the shares of training: each class stands for itself (conformal.h). */
static void write_plausibility(const struct nim_model *model, const double *p, double *plausible) {
    memcpy(plausible, p, model->classes * sizeof(double));
    temper(model->classes, model->temperature, plausible);
    for (size_t c = 0; c < model->classes; c++)
        plausible[c] = conformal_plausibility(&model->conformal, c, plausible[c]);
}

static void write_probabilities(const struct nim_predictor *predictor, struct prediction_work *work,
                                size_t row) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    size_t classes = model->classes;
    struct sums sums = sums_of(predictor, work);
    double *p = sums.probability, plain = predictor_entropy(predictor, p);
    if (wanted->plausibility)
        write_plausibility(model, p, wanted->plausibility + row * classes);
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
    targets_gather(model, predictor->data, 1, &row, work->target);
    if (targets_are_classes(model))
        value = log(p[(size_t)work->target[0]]);
    else
        for (size_t c = 0; c < classes; c++)
            value += work->target[c] > 0.0 ? log(p[c]) : log1p(-p[c]);
    wanted->log_density[row] = value;
}

/* How unlike the training rows it is; it takes no latent function to tell. */
static void write_novelty(const struct nim_predictor *predictor, struct prediction_work *work,
                          size_t row) {
    const nim_prediction *wanted = predictor->wanted;
    struct surprise surprise = novelty_look(predictor->model, &work->novelty, predictor->data, row);
    double novelty = novelty_of(&predictor->model->novelty, surprise.value);
    if (!predictor_finite(work, (double[]){surprise.log_density, novelty}, 2))
        return;
    if (wanted->novelty)
        wanted->novelty[row] = novelty;
    if (wanted->input_log_density)
        wanted->input_log_density[row] = surprise.log_density;
}

void predictor_begin(struct nim_predictor *predictor, const nim_data *data) {
    predictor->data = data;
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        predictor->work[w].failed = false;
}

nim_status predictor_finish(const struct nim_predictor *predictor, nim_error *error) {
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        if (predictor->work[w].failed)
            return failure(error, NIM_NUMERICAL,
                           "the model's answer is not a finite number: its parameters or the "
                           "table's values are too large");
    return succeed(error);
}

bool predictor_finite(struct prediction_work *work, const double *values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(values[i]);
    work->failed = work->failed || !finite;
    return finite;
}

/* What was asked for, from the sums over `count` points of a row. */
static void write_row(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t row, size_t count) {
    size_t functions = predictor->model->functions;
    const nim_prediction *wanted = predictor->wanted;
    struct sums sums = sums_of(predictor, work);
    scale(sums.count, 1.0 / (double)count, work->sum);
    if (!predictor_finite(work, work->sum, sums.count))
        return;
    for (size_t c = 0; c < functions; c++) {
        if (wanted->latent_mean)
            wanted->latent_mean[row * functions + c] = sums.mean[c];
        if (wanted->latent_variance)
            wanted->latent_variance[row * functions + c] =
                fmax(0.0, sums.square[c] - sums.mean[c] * sums.mean[c]);
    }
    if (predictor->model->classes)
        write_probabilities(predictor, work, row);
    else
        predictor_write_numbers(predictor, work, row, count);
    if (wanted->novelty || wanted->input_log_density)
        write_novelty(predictor, work, row);
}

static void predict_average(const struct nim_predictor *predictor, struct prediction_work *work,
                            size_t k) {
    size_t d = predictor->model->attributes, points = predictor->model->options.points;
    if (sum(d, work->row_noise + k * d) == 0.0)
        points = 1; /* every point of the lattice would be the same */
    clear_sums(predictor, work);
    predictor_locate(predictor, work, k);
    for (size_t first = 0; first < points; first += TILE) {
        size_t count = points - first < TILE ? points - first : TILE;
        predictor_spread(predictor, work, predictor->normal + first * predictor->coordinates,
                         count);
        predictor_look(predictor, work, count);
        for (size_t p = 0; p < count; p++)
            add_point(predictor, work, p, first + p);
    }
    write_row(predictor, work, work->row[k], points);
}

static void predict_in_place(const struct nim_predictor *predictor, struct prediction_work *work,
                             size_t count) {
    size_t d = predictor->model->attributes, bytes = count * d * sizeof(double);
    memcpy(work->x, work->row_x, bytes);
    memcpy(work->noise, work->row_noise, bytes);
    for (size_t k = 0; predictor->model->population.components && k < count; k++) {
        predictor_locate(predictor, work, k);
        predictor_merge(work, work->x + k * d,
                        work->root ? work->root + k * d * d : work->merged_root);
    }
    predictor_look(predictor, work, count);
    for (size_t k = 0; k < count; k++) {
        clear_sums(predictor, work);
        add_point(predictor, work, k, 0);
        write_row(predictor, work, work->row[k], 1);
    }
}

static size_t rows_per_unit(const struct nim_predictor *predictor) {
    return averages(predictor) ? 1 : TILE;
}

void predictor_take_rows(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t first, size_t count) {
    const struct nim_model *model = predictor->model;
    for (size_t k = 0; k < count; k++)
        work->row[k] = first + k;
    model_gather(model, predictor->data, count, work->row, work->row_x, work->row_noise, NULL);
    model_add_learned_noise(model, count, work->row_noise);
}

static void predict_unit(void *context, size_t unit, size_t worker) {
    const struct nim_predictor *predictor = context;
    struct prediction_work *work = &predictor->work[worker];
    size_t first = unit * rows_per_unit(predictor), count = predictor->data->rows - first;
    count = count < rows_per_unit(predictor) ? count : rows_per_unit(predictor);
    predictor_take_rows(predictor, work, first, count);
    if (averages(predictor))
        predict_average(predictor, work, 0);
    else
        predict_in_place(predictor, work, count);
}

/* Whether it kept what that takes. */
static nim_status check_kept(const struct nim_model *model, const nim_prediction *wanted,
                             nim_error *error) {
    if (wanted->plausibility && !model->conformal.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot say how plausible classes are: no rows were kept aside, "
                       "which takes 40 rows, calibrate=auto and one class a row; train it again");
    if ((wanted->novelty || wanted->input_log_density) && !model->novelty.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model does not know which rows are unusual: it learned no population "
                       "of inputs; train it again with novelty=always");
    return NIM_OK;
}

/* Whether what is asked for is something the model can say. */
static nim_status check_wanted(const struct nim_model *model, const nim_prediction *wanted,
                               nim_error *error) {
    bool classes =
        wanted->probabilities || wanted->entropy || wanted->measurement_part || wanted->model_part;
    bool numbers = wanted->mean || wanted->deviation || wanted->quantiles || wanted->cumulative;
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
    return check_kept(model, wanted, error);
}

nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                       const nim_prediction *prediction, nim_error *error) {
    if (!predictor || !prediction)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor or prediction is NULL");
    nim_status status = model_check_data(predictor->model, data,
                                         prediction->log_density || prediction->cumulative, error);
    if (status == NIM_OK)
        status = check_wanted(predictor->model, prediction, error);
    if (status == NIM_OK && predictor->model->options.likelihood->target == TARGET_COUNT)
        status = exposure_check(data, error);
    if (status != NIM_OK)
        return status;
    predictor_begin(predictor, data);
    predictor->wanted = prediction;
    size_t each = rows_per_unit(predictor);
    pool_run(predictor->pool, (data->rows + each - 1) / each, predict_unit, predictor);
    return predictor_finish(predictor, error);
}
