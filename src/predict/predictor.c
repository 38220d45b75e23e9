/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predictive distribution. If an input model averages over true inputs, the probabilities of a
 * row are averages over p(x* | x~*) (locate.c), at as many quasi-random points as the row needs
 * (ladder.c) or at the same number for all rows. Otherwise each row is one point.
 */
#include "predict/predictor.h"

#include "base/sized.h"
#include "math/vector.h"
#include "rows/shape_checks.h"
#include "rows/target_checks.h"
#include "model/shapes.h"
#include "model/targets.h"
#include "model/temper.h"
#include "math/lattice.h"

#include <stdlib.h>
#include <string.h>

static bool averages(const struct nim_predictor *predictor) {
    return predictor->model->options.input->averages;
}

/* Whether a table may have rows whose prior has correlated attributes. */
static bool may_join(const struct nim_model *model) {
    return model->population.components || model->attributes <= MOST_CORRELATED;
}

/* Memory for p(x | x~) of one row, and for the uncertainty of rows. */
static void layout_location(struct prediction_work *work, const struct nim_model *model,
                            struct arena *arena) {
    size_t d = model->attributes, each = population_gaussians(&model->population);
    bool joins = may_join(model);
    if (joins) {
        conditioner_layout(&work->conditioner, &model->population, arena);
        work->row_shape = arena_doubles(arena, COARSE * shape_size(d));
    }
    work->share = arena_doubles(arena, each);
    work->centre = arena_doubles(arena, each * d);
    work->width = arena_doubles(arena, d);
    work->slope = arena_doubles(arena, d);
    if (joins) {
        work->merged = arena_doubles(arena, d);
        work->merged_root = arena_doubles(arena, d * d);
    }
    if (joins && model->options.input->widens)
        work->root = arena_doubles(arena, COARSE * d * d);
}

/* The number of points if it is the same for all rows. */
static size_t fixed_points(const struct nim_model *model) {
    if (!model->options.input->averages || ladder_serves(model))
        return 0;
    return model->options.points ? model->options.points : FIXED;
}

static void work_layout(struct prediction_work *work, const struct nim_model *model,
                        struct arena *arena) {
    size_t functions = model->functions, classes = model->classes;
    size_t area = TILE * model->attributes;
    size_t points = fixed_points(model) ? fixed_points(model) : 1;
    const struct likelihood *likelihood = model->options.likelihood;
    struct gp_tile_use use = {.first_order = model->options.input->widens};
    work->row_x = arena_doubles(arena, COARSE * model->attributes);
    work->row_noise = arena_doubles(arena, COARSE * model->attributes);
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
    work->sum = arena_doubles(arena, predictor_sums(model));
    work->node_sum = arena_doubles(arena, classes);
    work->total = arena_doubles(arena, classes);
    work->target = arena_doubles(arena, likelihood_target_width(likelihood, classes));
    if (classes == 0) {
        work->all_mean = arena_doubles(arena, points);
        work->all_variance = arena_doubles(arena, points);
        work->answer = arena_doubles(arena, points);
        work->second_answer = arena_doubles(arena, points);
    }
    if (ladder_serves(model)) {
        ladder_work_layout(&work->ladder, model, arena);
        work->single = arena_bytes(
            arena, 2 * model->attributes * GP_BLOCK + gp_quick_scratch(&model->gp), sizeof(float));
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
    predictor->form = arena_bytes(arena, functions, sizeof *predictor->form);
    predictor->quick = arena_bytes(arena, functions, sizeof *predictor->quick);
    predictor->formed = arena_bytes(arena, functions, sizeof *predictor->formed);
    predictor->theta = arena_bytes(arena, functions, sizeof *predictor->theta);
    predictor->work = arena_bytes(arena, threads, sizeof *predictor->work);
    size_t points = predictor->points = fixed_points(model);
    predictor->coordinates = model->attributes + (model->population.components > 1);
    predictor->normal = points ? arena_doubles(arena, points * predictor->coordinates) : NULL;
    predictor->coarse =
        averages(predictor) ? arena_doubles(arena, COARSE * predictor->coordinates) : NULL;
    if (ladder_serves(model))
        ladder_layout(&predictor->ladder, model, arena);
    predictor->ratio = arena_doubles(arena, model->classes);
    size_t scales = model->gp.kernel->terms * model->attributes;
    predictor->q = arena_doubles(arena, functions * scales);
    bool counting = !predictor->factor; /* see arena.h */
    struct gp_factor factor;
    struct gp_form form;
    struct gp_quick quick;
    struct prediction_work work;
    for (size_t c = 0; c < functions; c++) {
        gp_factor_layout(counting ? &factor : &predictor->factor[c], &model->gp, false, arena,
                         counting ? NULL : predictor->q + c * scales, (union gp_matrix){0});
        gp_form_layout(counting ? &form : &predictor->form[c], &model->gp, arena);
        if (ladder_serves(model))
            gp_quick_layout(counting ? &quick : &predictor->quick[c], &model->gp, arena);
    }
    for (size_t w = 0; w < threads; w++)
        work_layout(counting ? &work : &predictor->work[w], model, arena);
}

static nim_status factor_functions(struct nim_predictor *predictor, nim_error *error) {
    const struct nim_model *model = predictor->model;
    predictor->quickly = ladder_serves(model) && gp_quick_serves(&model->gp) &&
                         model->options.tolerance >= QUICK_FROM;
    for (size_t c = 0; c < model->functions; c++) {
        predictor->theta[c] = model_gp(model, model->theta, c);
        predictor->factor[c].jitter = model->jitter[c];
        gp_scales(&model->gp, &predictor->theta[c],
                  predictor->q + c * model->gp.kernel->terms * model->attributes);
        if (!gp_factor_prior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                             predictor->work[0].scratch))
            return failure(
                error, NIM_NUMERICAL,
                "the covariance of function %zu's inducing inputs is not positive definite", c);
        gp_factor_posterior(&predictor->factor[c], &model->gp, &predictor->theta[c],
                            predictor->work[0].scratch);
        predictor->formed[c] = gp_form_make(&predictor->form[c], &predictor->factor[c], &model->gp,
                                            predictor->work[0].scratch);
        predictor->quickly = predictor->quickly && predictor->formed[c] &&
                             gp_quick_make(&predictor->quick[c], &predictor->form[c],
                                           &predictor->factor[c], &model->gp, &predictor->theta[c]);
    }
    return NIM_OK;
}

/* Computes the quasi-random points. False if memory runs out. */
static bool lay_points(struct nim_predictor *predictor) {
    const struct nim_model *model = predictor->model;
    struct random_key key = {model->options.seed, STREAM_LATTICE};
    size_t coordinates = predictor->coordinates;
    return (!predictor->normal ||
            lattice_normal(key, predictor->points, coordinates, predictor->normal)) &&
           (!predictor->coarse || lattice_normal(key, COARSE, coordinates, predictor->coarse)) &&
           (!ladder_serves(model) || ladder_fill(predictor));
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
        ready = lay_points(predictor);
    }
    nim_status status = ready
                            ? factor_functions(predictor, error)
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory or threads to predict");
    if (status == NIM_OK && ladder_serves(model))
        ladder_weigh(predictor);
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

/* Evaluates the first `count` points in single precision, GP_BLOCK at a time. The last block is
 * filled up with the origin. */
static void look_quickly(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t count) {
    const struct nim_model *model = predictor->model;
    size_t d = model->attributes, area = d * GP_BLOCK;
    float *x = work->single, *x_square = x + area, *scratch = x_square + area;
    _Alignas(64) float mean[GP_BLOCK], variance[GP_BLOCK];
    for (size_t first = 0; first < count; first += GP_BLOCK) {
        size_t points = count - first < GP_BLOCK ? count - first : GP_BLOCK;
        for (size_t p = 0; p < GP_BLOCK; p++)
            for (size_t j = 0; j < d; j++)
                x[j * GP_BLOCK + p] = p < points ? (float)work->x[(first + p) * d + j] : 0.0f;
        for (size_t i = 0; i < area; i++)
            x_square[i] = x[i] * x[i];
        for (size_t c = 0; c < model->functions; c++) {
            gp_quick_conditional(&predictor->quick[c], &model->gp, x, x_square, mean, variance,
                                 scratch);
            for (size_t p = 0; p < points; p++) {
                work->mean[c * TILE + first + p] = (double)mean[p];
                work->variance[c * TILE + first + p] = (double)variance[p];
            }
        }
    }
}

/* As look_quickly in double precision, and with slopes if they are needed. */
static void look_exactly(const struct nim_predictor *predictor, struct prediction_work *work,
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
        if (predictor->formed[c])
            gp_form_conditional(&predictor->form[c], &predictor->factor[c], &model->gp, &points,
                                &work->tile, mean, variance, work->scratch);
        else
            gp_conditional(&predictor->factor[c], &model->gp, &predictor->theta[c], &points,
                           &work->tile, mean, variance, work->scratch);
        if (model->options.input->widens)
            gp_slope(&predictor->factor[c], &model->gp, &points, &work->tile,
                     (struct gp_blur){work->noise, predictor->joined ? work->root : NULL}, variance,
                     work->scratch);
    }
}

void predictor_look(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count) {
    const struct nim_model *model = predictor->model;
    if (work->coarse && predictor->quickly)
        look_quickly(predictor, work, count);
    else
        look_exactly(predictor, work, count);
    if (model->classes == 0)
        return;
    struct likelihood_setting setting = model->likelihood;
    setting.coarse = work->coarse;
    model->options.likelihood->predict(&setting, model->theta + model->likelihood_at, count,
                                       work->mean, work->variance, TILE, work->probability,
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

/* See predictor.h. */
struct sums {
    double *mean, *square, *probability, *located, *known;
};

static struct sums sums_of(const struct nim_predictor *predictor, double *sum) {
    size_t functions = predictor->model->functions, classes = predictor->model->classes;
    double *probability = sum + 2 * functions;
    return (struct sums){.mean = sum,
                         .square = sum + functions,
                         .probability = probability,
                         .located = probability + classes,
                         .known = probability + classes + 1};
}

size_t predictor_sums(const struct nim_model *model) {
    return 2 * model->functions + model->classes + 2;
}

const double *predictor_probability_sum(const struct nim_predictor *predictor, const double *sum) {
    return sum + 2 * predictor->model->functions;
}

static void clear_sums(const struct nim_predictor *predictor, struct prediction_work *work) {
    memset(work->sum, 0, predictor_sums(predictor->model) * sizeof(double));
}

static bool wants_parts(const struct nim_predictor *predictor) {
    return predictor->wanted->measurement_part || predictor->wanted->model_part;
}

void predictor_add_point(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t p, double weight, double *sum) {
    size_t classes = predictor->model->classes;
    struct sums sums = sums_of(predictor, sum);
    for (size_t c = 0; c < predictor->model->functions; c++) {
        double mean = work->mean[c * TILE + p];
        sums.mean[c] += weight * mean;
        sums.square[c] += weight * (work->variance[c * TILE + p] + mean * mean);
    }
    for (size_t c = 0; c < classes; c++)
        sums.probability[c] += weight * work->probability[p * classes + c];
    if (classes && wants_parts(predictor)) {
        *sums.located += weight * predictor_entropy(predictor, work->probability + p * classes);
        *sums.known += weight * work->label_entropy[p];
    }
}

/* Adds point p of the tile, which is number `index` of its row. */
static void take_point(const struct nim_predictor *predictor, struct prediction_work *work,
                       size_t p, size_t index) {
    predictor_add_point(predictor, work, p, 1.0, work->sum);
    if (predictor->model->classes == 0) {
        work->all_mean[index] = work->mean[p];
        work->all_variance[index] = work->variance[p];
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

/* Computed from probabilities with the class shares of training, for each class separately
 * (conformal.h). */
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
    struct sums sums = sums_of(predictor, work->sum);
    double *p = sums.probability, plain = predictor_entropy(predictor, p);
    if (wanted->plausibility)
        write_plausibility(model, p, wanted->plausibility + row * classes);
    double factor = predictor_calibrate(predictor, p); /* the parts stay in proportion */
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

/* How unlike the training rows it is. This needs no latent functions. */
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
    predictor->joined = shapes_join(predictor->model, data);
    predictor->shaped = shapes_taken(predictor->model, data);
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        predictor->work[w].failed = false;
    watch_begin(&predictor->watch, data->rows);
}

nim_status predictor_finish(const struct nim_predictor *predictor, nim_error *error) {
    if (atomic_load(&predictor->watch.stopped))
        return failure(error, NIM_CANCELLED, "the progress callback stopped the prediction");
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        if (predictor->work[w].failed)
            return failure(error, NIM_NUMERICAL,
                           "a prediction is not a finite number: the model's parameters or the "
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

void predictor_write_row(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t row, size_t count) {
    size_t functions = predictor->model->functions;
    const nim_prediction *wanted = predictor->wanted;
    struct sums sums = sums_of(predictor, work->sum);
    scale(predictor_sums(predictor->model), 1.0 / (double)count, work->sum);
    if (!predictor_finite(work, work->sum, predictor_sums(predictor->model)))
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
    size_t d = predictor->model->attributes, points = predictor->points;
    if (sum(d, work->row_noise + k * d) == 0.0)
        points = 1; /* all points of the lattice would be the same */
    clear_sums(predictor, work);
    predictor_locate(predictor, work, k);
    for (size_t first = 0; first < points; first += TILE) {
        size_t count = points - first < TILE ? points - first : TILE;
        predictor_spread(predictor, work, predictor->normal + first * predictor->coordinates,
                         count);
        predictor_look(predictor, work, count);
        for (size_t p = 0; p < count; p++)
            take_point(predictor, work, p, first + p);
    }
    predictor_write_row(predictor, work, work->row[k], points);
}

static void predict_in_place(const struct nim_predictor *predictor, struct prediction_work *work,
                             size_t count) {
    size_t d = predictor->model->attributes, bytes = count * d * sizeof(double);
    memcpy(work->x, work->row_x, bytes);
    memcpy(work->noise, work->row_noise, bytes);
    for (size_t k = 0; predictor->joined && k < count; k++) {
        predictor_locate(predictor, work, k);
        predictor_merge(work, work->x + k * d,
                        work->root ? work->root + k * d * d : work->merged_root);
    }
    predictor_look(predictor, work, count);
    for (size_t k = 0; k < count; k++) {
        clear_sums(predictor, work);
        take_point(predictor, work, k, 0);
        predictor_write_row(predictor, work, work->row[k], 1);
    }
}

static size_t rows_per_unit(const struct nim_predictor *predictor) {
    if (ladder_serves(predictor->model))
        return LADDER_ROWS;
    return averages(predictor) ? 1 : COARSE;
}

void predictor_take_rows(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t first, size_t count) {
    const struct nim_model *model = predictor->model;
    for (size_t k = 0; k < count; k++)
        work->row[k] = first + k;
    model_gather(model, predictor->data, count, work->row, work->row_x, work->row_noise,
                 predictor->shaped ? work->row_shape : NULL, NULL);
    model_add_learned_noise(model, count, work->row_noise);
}

static void predict_unit(void *context, size_t unit, size_t worker) {
    struct nim_predictor *predictor = context;
    struct prediction_work *work = &predictor->work[worker];
    size_t first = unit * rows_per_unit(predictor), count = predictor->data->rows - first;
    count = count < rows_per_unit(predictor) ? count : rows_per_unit(predictor);
    if (!watch_goes_on(&predictor->watch, count, worker))
        return;
    predictor_take_rows(predictor, work, first, count);
    if (ladder_serves(predictor->model))
        ladder_predict(predictor, work, count);
    else if (averages(predictor))
        predict_average(predictor, work, 0);
    else
        predict_in_place(predictor, work, count);
}

/* Checks that the model has stored what the prediction needs. */
static nim_status check_kept(const struct nim_model *model, const nim_prediction *wanted,
                             nim_error *error) {
    if (wanted->plausibility && !model->conformal.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot compute plausibility: no rows were held out in training, "
                       "which needs 40 rows, calibrate=auto and classes or levels; train it again");
    if ((wanted->novelty || wanted->input_log_density) && !model->novelty.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot compute novelty: it learned no population of inputs; "
                       "train it again with novelty=always");
    return NIM_OK;
}

/* Checks that the model can predict what is requested. */
static nim_status check_wanted(const struct nim_model *model, const nim_prediction *wanted,
                               nim_error *error) {
    bool classes =
        wanted->probabilities || wanted->entropy || wanted->measurement_part || wanted->model_part;
    bool numbers = wanted->mean || wanted->deviation || wanted->quantiles || wanted->cumulative;
    if (classes && model->classes == 0)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts numbers and has no class probabilities",
                       model->options.likelihood->name);
    if (numbers && model->classes)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts probabilities and has no mean, deviation or quantiles",
                       model->options.likelihood->name);
    if (wanted->quantiles && !wanted->levels && wanted->level_count)
        return failure(error, NIM_INVALID_ARGUMENT, "quantiles is given, but levels is NULL");
    for (size_t k = 0; wanted->quantiles && k < wanted->level_count; k++)
        if (!(wanted->levels[k] > 0.0 && wanted->levels[k] < 1.0))
            return failure(error, NIM_INVALID_ARGUMENT, "quantile level %g is not between 0 and 1",
                           wanted->levels[k]);
    return check_kept(model, wanted, error);
}

nim_status nim_predict(nim_predictor *predictor, const nim_data *data,
                       const nim_prediction *prediction, nim_error *error) {
    nim_data rows;
    nim_prediction wanted;
    if (!predictor)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor is NULL");
    nim_status status = take_data(&rows, data, error);
    if (status == NIM_OK)
        status = take_prediction(&wanted, prediction, error);
    if (status == NIM_OK)
        status = model_check_data(predictor->model, &rows, wanted.log_density || wanted.cumulative,
                                  error);
    if (status == NIM_OK)
        status = check_wanted(predictor->model, &wanted, error);
    if (status == NIM_OK && predictor->model->options.likelihood->target == TARGET_COUNT)
        status = exposure_check(&rows, error);
    if (status != NIM_OK)
        return status;
    predictor_begin(predictor, &rows);
    predictor->wanted = &wanted;
    size_t each = rows_per_unit(predictor);
    pool_run(predictor->pool, (rows.rows + each - 1) / each, predict_unit, predictor);
    return predictor_finish(predictor, error);
}
