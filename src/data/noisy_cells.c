/* SPDX-License-Identifier: Apache-2.0 */
#include "data/noisy_cells.h"

#include <math.h>

/* NaN where the cell or its error is missing. */
static double error_of(const nim_data *data, size_t i, size_t j) {
    size_t d = data->attributes, from = data->sigma_rows == 1 ? 0 : i;
    return isnan(data->x[i * d + j]) ? NAN : data->sigma ? data->sigma[from * d + j] : 0.0;
}

size_t count_noisy_columns(const nim_data *data) {
    size_t count = 0;
    for (size_t j = 0; j < data->attributes; j++)
        for (size_t i = 0; i < data->rows; i++)
            if (!(error_of(data, i, j) == 0.0)) {
                count++;
                break;
            }
    return count;
}

bool equally_noisy(const nim_data *data) {
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < data->attributes; j++)
            if (!(error_of(data, i, j) == error_of(data, 0, j)))
                return false;
    return true;
}
