/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Access to the values and errors of a table. They may be contiguous, or columns of a larger array
 * (x_stride, x_column and similar members of nim_data). All code reads x and sigma of nim_data
 * through these functions.
 */

#include "nimgp.h"

#include <math.h>

/* One row of x or sigma. */
struct cell_row {
    const double *cell;
    const size_t *column; /* NULL: attribute j is cell[j] */
};

static inline struct cell_row row_of_x(const nim_data *data, size_t i) {
    size_t stride = data->x_stride ? data->x_stride : data->attributes;
    return (struct cell_row){data->x + i * stride, data->x_column};
}

/* Where there are errors. */
static inline struct cell_row row_of_sigma(const nim_data *data, size_t i) {
    size_t stride = data->sigma_stride ? data->sigma_stride : data->attributes;
    return (struct cell_row){data->sigma + (data->sigma_rows == 1 ? 0 : i * stride),
                             data->sigma_column};
}

static inline double value_in(struct cell_row row, size_t j) {
    return row.cell[row.column ? row.column[j] : j];
}

static inline double error_in(struct cell_row row, size_t j) {
    size_t at = row.column ? row.column[j] : j;
    return at == NIM_NONE ? 0.0 : row.cell[at];
}

static inline double value_at(const nim_data *data, size_t i, size_t j) {
    return value_in(row_of_x(data, i), j);
}

static inline double error_at(const nim_data *data, size_t i, size_t j) {
    return error_in(row_of_sigma(data, i), j);
}

static inline void copy_values(const nim_data *data, size_t i, double *out) {
    for (size_t j = 0; j < data->attributes; j++)
        out[j] = value_at(data, i, j);
}

static inline void copy_errors(const nim_data *data, size_t i, double *out) {
    for (size_t j = 0; j < data->attributes; j++)
        out[j] = error_at(data, i, j);
}
