/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expected information of an exact measurement of one attribute about the class:
 *
 *     I(y; x_j) = H[ E_j p(y | x_j) ] - E_j H[ p(y | x_j) ],   p(y | x_j) = E_rest p(y | x),
 *
 * where E_j is over x_j, here NODES equally likely values, and E_rest over the other attributes
 * given x_j. p(x | x~) is replaced by the Gaussian N(c, T) with its mean and covariance. A point x
 * of N(c, T) becomes x + (x_j' - x_j) T_.j / T_jj, which has the distribution given x_j'
 * (Matheron's rule). If the input model averages, E_rest is over COARSE quasi-random points;
 * otherwise it is the value at c, with the remaining noise.
 */
#include "predict/predictor.h"

#include "base/sized.h"
#include "math/special.h"
#include "math/vector.h"

#include <string.h>

enum { NODES = 64 };

/* T_.j / T_jj into work->slope; returns T_jj. */
static double find_slope(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t j) {
    size_t d = predictor->model->attributes;
    memset(work->slope, 0, d * sizeof(double));
    if (!predictor->correlated)
        return work->width[j] * work->width[j];
    const double *root = work->merged_root, *own = root + j * d;
    double variance = dot(d, own, own);
    for (size_t i = 0; i < d && variance > 0.0; i++)
        work->slope[i] = dot(d, root + i * d, own) / variance;
    return variance;
}

/* Places the row's points before an attribute is known; returns how many. */
static size_t place_points(const struct nim_predictor *predictor, struct prediction_work *work) {
    size_t d = predictor->model->attributes;
    if (!predictor->coarse) {
        memcpy(work->x, predictor->correlated ? work->merged : work->row_x, d * sizeof(double));
        return 1;
    }
    if (!predictor->correlated)
        predictor_spread(predictor, work, predictor->coarse, COARSE);
    for (size_t p = 0; predictor->correlated && p < COARSE; p++)
        population_point(d, work->merged, work->merged_root,
                         predictor->coarse + p * predictor->coordinates, work->x + p * d);
    return COARSE;
}

/* Computes the class probabilities if attribute j has this value, in work->node_sum. */
static void look_at_node(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t j, double value) {
    size_t d = predictor->model->attributes, classes = predictor->model->classes;
    size_t count = place_points(predictor, work);
    for (size_t p = 0; p < count; p++) {
        double *x = work->x + p * d;
        add_scaled(d, value - x[j], work->slope, x);
        x[j] = value;
    }
    predictor_look(predictor, work, count);
    memset(work->node_sum, 0, classes * sizeof(double));
    for (size_t p = 0; p < count; p++)
        add(classes, work->probability + p * classes, work->node_sum);
    scale(classes, 1.0 / (double)count, work->node_sum);
}

/* First order: the uncertainty that remains if attribute j is known. */
static void know_attribute(const struct nim_predictor *predictor, struct prediction_work *work,
                           size_t j) {
    size_t d = predictor->model->attributes;
    memcpy(work->noise, work->row_noise, d * sizeof(double));
    work->noise[j] = 0.0;
    if (!work->root || !predictor->correlated)
        return;
    /* T - T_.j T_j. / T_jj = R (I - r r'/|r|^2) R', where r is row j of R. */
    const double *own = work->merged_root + j * d;
    double square = dot(d, own, own);
    memcpy(work->root, work->merged_root, d * d * sizeof(double));
    for (size_t i = 0; square > 0.0 && i < d; i++)
        add_scaled(d, -dot(d, work->merged_root + i * d, own) / square, own, work->root + i * d);
}

static double gain_of(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t j) {
    size_t classes = predictor->model->classes;
    double left = 0.0, variance = find_slope(predictor, work, j);
    double centre = predictor->correlated ? work->merged[j] : work->centre[j];
    if (work->row_noise[j] == 0.0 || variance == 0.0)
        return 0.0;
    know_attribute(predictor, work, j);
    memset(work->total, 0, classes * sizeof(double));
    for (size_t k = 0; k < NODES; k++) {
        double node = normal_quantile(((double)k + 0.5) / NODES);
        look_at_node(predictor, work, j, centre + sqrt(variance) * node);
        left += predictor_entropy(predictor, work->node_sum) / NODES;
        add(classes, work->node_sum, work->total);
    }
    scale(classes, 1.0 / NODES, work->total);
    if (!predictor_finite(work, work->total, classes))
        return 0.0;
    double plain = predictor_entropy(predictor, work->total);
    predictor_calibrate(predictor, 1.0, work->total); /* the gain stays in proportion */
    double factor = predictor_part(predictor, plain, predictor_entropy(predictor, work->total));
    return fmax(0.0, plain - left) * factor;
}

static void remeasure_row(void *context, size_t row, size_t worker) {
    struct nim_predictor *predictor = context;
    struct prediction_work *work = &predictor->work[worker];
    size_t d = predictor->model->columns;
    if (!watch_goes_on(&predictor->watch, 1, worker))
        return;
    predictor_take_rows(predictor, work, row, 1);
    predictor_locate(predictor, work, 0);
    if (predictor->correlated)
        conditioner_merge(&work->conditioner, work->share, work->centre, work->merged,
                          work->merged_root);
    for (size_t j = 0; j < d; j++)
        predictor->gain[row * d + j] = gain_of(predictor, work, j);
}

nim_status nim_remeasure(nim_predictor *predictor, const nim_data *data, double *gain,
                         nim_error *error) {
    if (!predictor || !gain)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor or gain is NULL");
    nim_data rows;
    nim_status status = take_data(&rows, data, error);
    if (status == NIM_OK)
        status = model_check_data(predictor->model, &rows, false, error);
    if (status == NIM_OK && predictor->model->classes == 0)
        status = failure(
            error, NIM_INVALID_ARGUMENT,
            "a %s model predicts numbers; the gain of measuring again is defined for classes only",
            predictor->model->options.likelihood->name);
    if (status != NIM_OK)
        return status;
    predictor_begin(predictor, &rows);
    predictor->gain = gain;
    pool_run(predictor->pool, rows.rows, remeasure_row, predictor);
    return predictor_finish(predictor, error);
}
