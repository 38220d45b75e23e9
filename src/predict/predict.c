/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predictive distribution. If an input model averages over true inputs, the probabilities of a
 * row are averages over p(x* | x~*) (locate.c), at as many quasi-random points as the row needs
 * (ladder.c) or at the same number for all rows. Otherwise each row is one point.
 */
#include "predict/predictor.h"

#include "base/sized.h"
#include "math/vector.h"
#include "model/shapes.h"
#include "rows/target_checks.h"

#include <string.h>

void predictor_begin(struct nim_predictor *predictor, const nim_data *data) {
    predictor->data = data;
    predictor->mixes = false;
    predictor->correlated = shapes_correlate(predictor->model, data);
    predictor->shaped = shapes_taken(predictor->model, data);
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        predictor->work[w].failed = false;
    watch_begin(&predictor->watch, data->rows);
}

static bool has_failed(const struct nim_predictor *predictor) {
    bool failed = false;
    for (size_t w = 0; w < pool_threads(predictor->pool); w++)
        failed = failed || predictor->work[w].failed;
    for (size_t k = 0; predictor->mixes && k < predictor->lookers; k++)
        failed = failed || has_failed(predictor->looker[k].predictor);
    return failed;
}

nim_status predictor_finish(const struct nim_predictor *predictor, nim_error *error) {
    if (atomic_load(&predictor->watch.stopped))
        return failure(error, NIM_CANCELLED, "the progress callback stopped the prediction");
    if (has_failed(predictor))
        return failure(error, NIM_NUMERICAL,
                       "a prediction is not a finite number: the model's parameters or the "
                       "table's values are too large");
    return succeed(error);
}

static bool averages(const struct nim_predictor *predictor) {
    return predictor->model->options.input->averages;
}

static void clear_sums(const struct nim_predictor *predictor, struct prediction_work *work) {
    memset(work->sum, 0, predictor_sums(predictor->model) * sizeof(double));
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
    for (size_t k = 0; predictor->correlated && k < count; k++) {
        predictor_locate(predictor, work, k);
        conditioner_merge(&work->conditioner, work->share, work->centre, work->x + k * d,
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
    model_take_rows(model, predictor->data, count, work->row, work->row_x, work->row_noise,
                    predictor->shaped ? work->row_shape : NULL, NULL);
    model_add_learned_noise(model, count, work->row_noise);
}

void predictor_take_unit(struct nim_predictor *predictor, size_t first, size_t count,
                         size_t worker) {
    struct prediction_work *work = &predictor->work[worker];
    predictor_take_rows(predictor, work, first, count);
    if (ladder_serves(predictor->model))
        ladder_predict(predictor, work, count);
    else if (averages(predictor))
        for (size_t k = 0; k < count; k++)
            predict_average(predictor, work, k);
    else
        predict_in_place(predictor, work, count);
}

static void predict_unit(void *context, size_t unit, size_t worker) {
    struct nim_predictor *predictor = context;
    size_t first = unit * rows_per_unit(predictor), count = predictor->data->rows - first;
    count = count < rows_per_unit(predictor) ? count : rows_per_unit(predictor);
    if (!watch_goes_on(&predictor->watch, count, worker))
        return;
    if (predictor->mixes)
        panel_look(predictor, first, count, worker);
    bool latent = predictor->wanted->latent_mean || predictor->wanted->latent_variance;
    for (size_t row = first; predictor->own == 0.0 && !latent && row < first + count; row++)
        predictor_write_target(predictor, &predictor->work[worker], row, 0);
    if (predictor->own > 0.0 || latent)
        predictor_take_unit(predictor, first, count, worker);
}

/* Checks that the model has stored what the prediction needs. */
static nim_status check_kept(const struct nim_model *model, const nim_prediction *wanted,
                             nim_error *error) {
    if (wanted->plausibility && !model->conformal.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot compute plausibility: no rows were held out in training, "
                       "which needs 40 rows, calibrate=auto and classes or levels; train it again");
    if (wanted->interval && !(wanted->coverage > 0.0 && wanted->coverage < 1.0))
        return failure(error, NIM_INVALID_ARGUMENT, "coverage %g is not between 0 and 1",
                       wanted->coverage);
    if (wanted->interval && !model->conformal.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot compute intervals: no rows were held out in training, "
                       "which needs 40 rows and calibrate=auto; train it again");
    if (wanted->interval && isinf(conformal_share(&model->conformal, wanted->coverage)))
        return failure(error, NIM_INVALID_ARGUMENT,
                       "coverage %g is too much for the %g rows that were held out in training",
                       wanted->coverage, model->conformal.rows[0]);
    if ((wanted->novelty || wanted->input_log_density) && !model->novelty.kept)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model cannot compute novelty: it learned no population of inputs; "
                       "train it again with novelty=always");
    if ((wanted->typical || wanted->fit_weights) && !(model->panel && model->panel->gate.model))
        return failure(
            error, NIM_INVALID_ARGUMENT,
            "the model cannot compute typical or fit_weights: it has no panel with a gate, see "
            "the option views");
    return NIM_OK;
}

static bool wants_probabilities(const nim_prediction *wanted) {
    return wanted->probabilities || wanted->entropy || wanted->measurement_part ||
           wanted->model_part || wanted->plausibility || wanted->log_density || wanted->typical ||
           wanted->fit_weights;
}

/* Checks the levels of quantiles and the grid of densities. */
static nim_status check_places(const struct nim_model *model, const nim_prediction *wanted,
                               size_t rows, nim_error *error) {
    bool counts = model->options.likelihood->target == TARGET_COUNT, own = wanted->level_rows > 1;
    size_t levels = wanted->level_count * (own ? rows : 1);
    if (wanted->quantiles && !wanted->levels && levels)
        return failure(error, NIM_INVALID_ARGUMENT, "quantiles is given, but levels is NULL");
    if (own && wanted->level_rows != rows)
        return failure(error, NIM_INVALID_ARGUMENT, "levels has %zu rows; expected 1 or %zu",
                       wanted->level_rows, rows);
    for (size_t k = 0; wanted->quantiles && k < levels; k++)
        if (!(wanted->levels[k] > 0.0 && wanted->levels[k] < 1.0))
            return failure(error, NIM_INVALID_ARGUMENT, "quantile level %g is not between 0 and 1",
                           wanted->levels[k]);
    if (wanted->density && !wanted->grid && wanted->grid_count)
        return failure(error, NIM_INVALID_ARGUMENT, "density is given, but grid is NULL");
    for (size_t k = 0; wanted->density && k < wanted->grid_count; k++) {
        double y = wanted->grid[k];
        if (!isfinite(y) || (counts && (y < 0.0 || y != floor(y))))
            return failure(error, NIM_INVALID_ARGUMENT, "grid value %g is not a %s", y,
                           counts ? "count" : "finite number");
    }
    return NIM_OK;
}

/* Checks that the model can predict what is requested. */
static nim_status check_wanted(const struct nim_model *model, const nim_prediction *wanted,
                               size_t rows, nim_error *error) {
    bool classes = wanted->plausibility || wanted->probabilities || wanted->entropy ||
                   wanted->measurement_part || wanted->model_part;
    bool numbers = wanted->mean || wanted->deviation || wanted->quantiles || wanted->cumulative ||
                   wanted->density || wanted->crps || wanted->interval;
    if (classes && model->classes == 0)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts numbers and has no class probabilities",
                       model->options.likelihood->name);
    if (numbers && model->classes)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model predicts probabilities and has no mean, deviation or quantiles",
                       model->options.likelihood->name);
    if (wanted->crps && model->options.likelihood->target == TARGET_COUNT)
        return failure(error, NIM_INVALID_ARGUMENT, "crps is for numbers, not for counts");
    nim_status status = check_places(model, wanted, rows, error);
    return status == NIM_OK ? check_kept(model, wanted, error) : status;
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
        status = model_check_data(predictor->model, &rows,
                                  wanted.log_density || wanted.cumulative || wanted.crps, error);
    if (status == NIM_OK)
        status = check_wanted(predictor->model, &wanted, rows.rows, error);
    if (status == NIM_OK && predictor->model->options.likelihood->target == TARGET_COUNT)
        status = exposure_check(&rows, error);
    if (status != NIM_OK)
        return status;
    predictor_begin(predictor, &rows);
    predictor->wanted = &wanted;
    predictor->mixes = predictor->lookers && wants_probabilities(&wanted);
    for (size_t k = 0; predictor->mixes && k < predictor->lookers; k++)
        predictor_begin(predictor->looker[k].predictor, &predictor->looker[k].data);
    size_t each = rows_per_unit(predictor);
    pool_run(predictor->pool, (rows.rows + each - 1) / each, predict_unit, predictor);
    return predictor_finish(predictor, error);
}
