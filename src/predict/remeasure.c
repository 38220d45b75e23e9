/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What measuring one attribute exactly would tell of the class:
 *
 *     I(y; x_j) = H[ E_j p(y | x_j) ] - E_j H[ p(y | x_j) ],   p(y | x_j) = E_rest p(y | x),
 *
 * where E_j runs over x_j ~ N(c_j, T_j), here NODES equally likely values, and E_rest over the
 * other attributes, here TILE quasi-random points where the input model averages, otherwise the
 * measurement itself with the others' noise.
 */
#include "predict/predictor.h"

#include "math/special.h"
#include "math/vector.h"

#include <string.h>

enum { NODES = 64 };

/* Node k's probabilities into desk->node_sum. */
static void look_at_node(const struct nim_predictor *predictor, struct desk *desk, size_t attribute,
                         double node) {
    size_t d = predictor->model->attributes, classes = predictor->model->classes;
    size_t count = predictor->few ? TILE : 1;
    for (size_t j = 0; j < d; j++) {
        double value = desk->row_x[j], noise = desk->row_noise[j];
        const double *normal = predictor->few ? predictor->few + j : NULL;
        if (j == attribute)
            predictor_spread(predictor, value, noise, &node, 0, count, desk->x + j);
        else if (normal)
            predictor_spread(predictor, value, noise, normal, d, count, desk->x + j);
        else
            desk->x[j] = value;
        desk->noise[j] = j == attribute ? 0.0 : noise;
    }
    predictor_look(predictor, desk, count);
    memset(desk->node_sum, 0, classes * sizeof(double));
    for (size_t p = 0; p < count; p++)
        add(classes, desk->probability + p * classes, desk->node_sum);
    scale(classes, 1.0 / (double)count, desk->node_sum);
}

static double gain_of(const struct nim_predictor *predictor, struct desk *desk, size_t attribute) {
    size_t classes = predictor->model->classes;
    double left = 0.0;
    if (desk->row_noise[attribute] == 0.0)
        return 0.0;
    memset(desk->total, 0, classes * sizeof(double));
    for (size_t k = 0; k < NODES; k++) {
        look_at_node(predictor, desk, attribute, normal_quantile(((double)k + 0.5) / NODES));
        left += predictor_entropy(predictor, desk->node_sum) / NODES;
        add(classes, desk->node_sum, desk->total);
    }
    scale(classes, 1.0 / NODES, desk->total);
    return fmax(0.0, predictor_entropy(predictor, desk->total) - left);
}

static void remeasure_row(void *context, size_t row, size_t worker) {
    const struct nim_predictor *predictor = context;
    struct desk *desk = &predictor->desk[worker];
    size_t d = predictor->model->attributes;
    predictor_take_rows(predictor, desk, row, 1);
    for (size_t j = 0; j < d; j++)
        predictor->gain[row * d + j] = gain_of(predictor, desk, j);
}

nim_status nim_remeasure(nim_predictor *predictor, const nim_data *data, double *gain,
                         nim_error *error) {
    if (!predictor || !gain)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor or gain is NULL");
    nim_status status = model_check_data(predictor->model, data, false, error);
    if (status == NIM_OK && predictor->model->classes == 0)
        status = failure(error, NIM_INVALID_ARGUMENT,
                         "a %s model predicts numbers; what measuring again would tell is known "
                         "for classes only",
                         predictor->model->options.likelihood->name);
    if (status != NIM_OK)
        return status;
    predictor->data = data;
    predictor->gain = gain;
    pool_run(predictor->pool, data->rows, remeasure_row, predictor);
    return succeed(error);
}
