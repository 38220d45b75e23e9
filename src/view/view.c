/* SPDX-License-Identifier: Apache-2.0 */
/* Views: chains of steps, learned one after the other. */
#include "view/view.h"

#include "base/status.h"
#include "math/vector.h"
#include "rows/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED(name) &view_##name,
static const struct view_step *const step_list[] = {VIEW_STEP_LIST(LISTED) NULL};

bool view_set_steps(struct view *view, const char *steps) {
    view->steps = 0;
    for (size_t k = 0; *steps; k++) {
        size_t length = strcspn(steps, " ");
        while (step_list[k] && !(strncmp(step_list[k]->name, steps, length) == 0 &&
                                 step_list[k]->name[length] == '\0'))
            k++;
        if (!step_list[k] || view->steps == VIEW_MOST_STEPS)
            return false;
        view->step[view->steps++] = step_list[k];
        steps += length + (steps[length] == ' ');
    }
    return true;
}

void view_name(const struct view *view, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < view->steps && used < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", k ? " " : "", view->step[k]->name);
}

void view_start_row(const nim_data *data, size_t i, double *x, double *sigma) {
    size_t d = data->attributes, at = data->sigma_rows == 1 ? 0 : i * d;
    copy_values(data, i, x);
    if (data->sigma)
        copy_errors(data, i, sigma);
    else
        memset(sigma, 0, d * sizeof *sigma);
    for (size_t j = 0; data->sigma_upper && j < d; j++)
        if (!isnan(data->sigma_upper[at + j]))
            sigma[j] = 0.5 * (sigma[j] + data->sigma_upper[at + j]);
    for (size_t j = 0; data->limit && j < d; j++)
        if (data->limit[i * d + j])
            x[j] = NAN;
}

void view_moments(const struct view_rows *rows, size_t d, double *mean, double *covariance) {
    double each = 1.0 / (double)rows->rows;
    for (size_t i = 0; i < rows->rows; i++)
        add_scaled(d, each, rows->x + i * rows->stride, mean);
    for (size_t i = 0; i < rows->rows; i++) {
        const double *x = rows->x + i * rows->stride;
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++)
                covariance[j * d + k] += each * (x[j] - mean[j]) * (x[k] - mean[k]);
    }
}

/* The shape after step k, which has learned. */
static void find_shape(struct view *view, size_t k) {
    const struct view_step *step = view->step[k];
    view->shape[k + 1] =
        step->reshape ? step->reshape(view->shape[k], view->own[k]) : view->shape[k];
}

void view_start(struct view *view, size_t columns) {
    view->columns = columns;
    view->shape[0] = (struct view_shape){columns, columns, columns, NULL};
}

static bool make_room(struct view *view, size_t k) {
    view->own[k] = calloc(view->step[k]->numbers(view->shape[k]) + 1, sizeof(double));
    return view->own[k] != NULL;
}

bool view_take_step(struct view *view, size_t k, const double *own) {
    if (!make_room(view, k))
        return false;
    if (own)
        memcpy(view->own[k], own, view->step[k]->numbers(view->shape[k]) * sizeof *own);
    find_shape(view, k);
    return true;
}

void view_row(const struct view *view, const nim_data *data, size_t i, double *x, double *sigma,
              double *scratch) {
    size_t room = VIEW_GROWTH * view->columns, bytes = view_width(view) * sizeof *x;
    double *value = scratch, *error = value + room;
    view_start_row(data, i, value, error);
    for (size_t k = 0; k < view->steps; k++)
        view->step[k]->apply(view->shape[k], view->own[k], value, error, error + room);
    memcpy(x, value, bytes);
    memcpy(sigma, error, bytes);
}

/* Learns step k from rows that went through the steps before it, and takes them through it. */
static bool learn_step(struct view *view, size_t k, const struct view_rows *rows, double *scratch) {
    if (!make_room(view, k) || !view->step[k]->learn(view->shape[k], rows, view->own[k]))
        return false;
    for (size_t i = 0; i < rows->rows; i++)
        view->step[k]->apply(view->shape[k], view->own[k], rows->x + i * rows->stride,
                             rows->sigma + i * rows->stride, scratch);
    find_shape(view, k);
    return true;
}

nim_status view_learn(struct view *view, const char *steps, const nim_data *data,
                      nim_error *error) {
    *view = (struct view){0};
    size_t d = data->attributes, stride = VIEW_GROWTH * d, cells = data->rows * stride;
    struct view_rows rows = {
        .rows = data->rows, .stride = stride, .x = calloc(cells + 1, sizeof(double))};
    bool good = view_set_steps(view, steps) && rows.x;
    rows.sigma = good ? calloc(cells + 1, sizeof(double)) : NULL;
    view_start(view, d);
    rows.scratch = good ? calloc(data->rows + view_scratch(view), sizeof(double)) : NULL;
    good = good && rows.sigma && rows.scratch;
    for (size_t i = 0; good && i < data->rows; i++)
        view_start_row(data, i, rows.x + i * stride, rows.sigma + i * stride);
    for (size_t k = 0; good && k < view->steps; k++)
        good = learn_step(view, k, &rows, rows.scratch + data->rows);
    free(rows.x);
    free(rows.sigma);
    free(rows.scratch);
    return good ? NIM_OK : failure(error, NIM_OUT_OF_MEMORY, "no memory to learn a view of rows");
}

void view_free(struct view *view) {
    for (size_t k = 0; k < view->steps; k++)
        free(view->own[k]);
}
