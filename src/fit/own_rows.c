/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/own_rows.h"

#include "rows/cells.h"

#include <stdlib.h>
#include <string.h>

void own_rows_free(struct own_rows *own) {
    free(own->x);
    free(own->sigma);
    free(own->weights);
    free(own->upper);
    free(own->correlation);
    free(own->limit);
    free(own->labels);
    free(own->targets);
    free(own->row);
    *own = (struct own_rows){0};
}

/* Copies limits, upper errors and correlations; see nim_data. */
static bool take_shapes(struct own_rows *own, const nim_data *data) {
    size_t d = data->attributes, count = own->data.rows, pairs = d * (d - 1) / 2;
    bool upper = data->sigma_upper && data->sigma_rows != 1;
    bool correlated = data->correlation && data->correlation_rows != 1;
    own->upper = upper ? malloc((count * d + 1) * sizeof *own->upper) : NULL;
    own->limit = data->limit ? malloc(count * d + 1) : NULL;
    own->correlation = correlated ? malloc((count * pairs + 1) * sizeof *own->correlation) : NULL;
    if ((upper && !own->upper) || (data->limit && !own->limit) || (correlated && !own->correlation))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t i = own->row[k];
        if (upper)
            memcpy(own->upper + k * d, data->sigma_upper + i * d, d * sizeof(double));
        if (data->limit)
            memcpy(own->limit + k * d, data->limit + i * d, d);
        if (correlated)
            memcpy(own->correlation + k * pairs, data->correlation + i * pairs,
                   pairs * sizeof(double));
    }
    own->data.sigma_upper = upper ? own->upper : data->sigma_upper;
    own->data.limit = own->limit;
    own->data.correlation = correlated ? own->correlation : data->correlation;
    own->data.correlation_rows = correlated ? count : data->correlation_rows;
    return true;
}

/* Copies what there is of numbers, their errors and exposures. */
static bool take_targets(struct own_rows *own, const nim_data *data) {
    size_t count = own->data.rows;
    const double *from[3] = {data->targets, data->target_sigma, data->exposure};
    const double **to[3] = {&own->data.targets, &own->data.target_sigma, &own->data.exposure};
    own->targets = malloc((3 * count + 1) * sizeof *own->targets);
    own->data.outputs = data->outputs;
    for (size_t part = 0; own->targets && part < 3; part++) {
        double *own_part = own->targets + part * count;
        for (size_t k = 0; from[part] && k < count; k++)
            own_part[k] = from[part][own->row[k]];
        *to[part] = from[part] ? own_part : NULL;
    }
    return own->targets != NULL;
}

bool own_rows_pick(struct own_rows *own, const nim_data *data, size_t count, const size_t *row,
                   double weight) {
    size_t d = data->attributes;
    bool each = data->sigma && data->sigma_rows != 1, weighs = data->weights || weight != 1.0;
    *own = (struct own_rows){
        .row = malloc((count + 1) * sizeof *own->row),
        .x = malloc((count * d + 1) * sizeof *own->x),
        .labels = malloc((count + 1) * sizeof *own->labels),
        .sigma = each ? malloc((count * d + 1) * sizeof *own->sigma) : NULL,
        .weights = weighs ? malloc((count + 1) * sizeof *own->weights) : NULL,
    };
    if (!own->row || !own->x || !own->labels || (each && !own->sigma) || (weighs && !own->weights))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t i = own->row[k] = row[k];
        copy_values(data, i, own->x + k * d);
        if (each)
            copy_errors(data, i, own->sigma + k * d);
        if (weighs)
            own->weights[k] = weight * (data->weights ? data->weights[i] : 1.0);
        own->labels[k] = data->labels ? data->labels[i] : 0;
    }
    own->data = NIM_DATA(.rows = count, .attributes = d, .x = own->x,
                         .sigma = each ? own->sigma : data->sigma,
                         .sigma_rows = each ? count : data->sigma_rows,
                         .labels = data->labels ? own->labels : NULL, .weights = own->weights,
                         .sigma_column = each ? NULL : data->sigma_column);
    return take_shapes(own, data) && take_targets(own, data);
}

/* Room for rows with values and errors. */
static bool make_room(struct own_rows *own, size_t rows, size_t d) {
    *own = (struct own_rows){
        .x = malloc((rows * d + 1) * sizeof *own->x),
        .sigma = malloc((rows * d + 1) * sizeof *own->sigma),
        .labels = malloc((rows + 1) * sizeof *own->labels),
        .weights = malloc((rows + 1) * sizeof *own->weights),
    };
    own->data = NIM_DATA(.rows = rows, .attributes = d, .x = own->x, .sigma = own->sigma,
                         .sigma_rows = rows, .labels = own->labels, .weights = own->weights);
    return own->x && own->sigma && own->labels && own->weights;
}

bool own_rows_degrade(struct own_rows *own, const nim_data *data, const size_t *row, size_t kinds,
                      const enum degrading *kind, const struct worse *worse, uint64_t draw) {
    size_t d = data->attributes, rows = data->rows;
    double *scratch = malloc((2 + 2 * d) * sizeof *scratch);
    bool good = make_room(own, kinds * rows, d) && scratch;
    for (size_t at = 0; good && at < kinds * rows; at++) {
        size_t i = at % rows, k = at / rows;
        degrade_row(kind[k], worse->key, draw + k, row ? row[i] : i, worse->usual, data, i,
                    own->x + at * d, own->sigma + at * d, scratch);
        own->labels[at] = data->labels ? data->labels[i] : 0;
        own->weights[at] = data->weights ? data->weights[i] : 1.0;
    }
    free(scratch);
    return good;
}

bool own_rows_see(struct own_rows *own, const nim_data *data, const struct view *view) {
    struct own_rows seen = {0};
    size_t width = view_width(view), rows = data->rows;
    double *scratch = malloc(view_scratch(view) * sizeof *scratch);
    bool good = make_room(&seen, rows, width) && scratch;
    for (size_t i = 0; good && i < rows; i++) {
        view_row(view, data, i, seen.x + i * width, seen.sigma + i * width, scratch);
        seen.labels[i] = data->labels ? data->labels[i] : 0;
        seen.weights[i] = data->weights ? data->weights[i] : 1.0;
    }
    free(scratch);
    own_rows_free(good ? own : &seen);
    if (good)
        *own = seen;
    return good;
}
