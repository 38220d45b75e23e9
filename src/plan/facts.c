/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules know of a table: which of its cells are not known exactly. */
#include "plan/plan.h"

#include "rows/cells.h"

/* The error of a cell; NaN if the value or its error is missing, or if the cell is a limit. */
static double error_of(const nim_data *data, size_t i, size_t j) {
    bool limited = data->limit && data->limit[i * data->attributes + j];
    if (limited || isnan(value_at(data, i, j)))
        return NAN;
    return data->sigma ? error_at(data, i, j) : 0.0;
}

/* The upper error, or error_of the cell if no upper error is given. */
static double upper_of(const nim_data *data, size_t i, size_t j) {
    size_t at = (data->sigma_rows == 1 ? 0 : i) * data->attributes + j;
    return data->sigma_upper && !isnan(data->sigma_upper[at]) ? data->sigma_upper[at]
                                                              : error_of(data, i, j);
}

static bool equally_correlated(const nim_data *data) {
    size_t pairs = data->attributes * (data->attributes - 1) / 2;
    for (size_t i = 1; data->correlation && i < data->correlation_rows; i++)
        for (size_t k = 0; k < pairs; k++)
            if (!(data->correlation[i * pairs + k] == data->correlation[k]))
                return false;
    return true;
}

/* Columns with a cell that is not known exactly: with an error that is not zero, a limit, or
 * missing. */
static size_t count_noisy_columns(const nim_data *data) {
    size_t count = 0;
    for (size_t j = 0; j < data->attributes; j++)
        for (size_t i = 0; i < data->rows; i++)
            if (!(error_of(data, i, j) == 0.0 && upper_of(data, i, j) == 0.0)) {
                count++;
                break;
            }
    return count;
}

/* Whether all rows have the same errors, or none, and no missing cells. */
static bool equally_noisy(const nim_data *data) {
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < data->attributes; j++)
            if (!(error_of(data, i, j) == error_of(data, 0, j) &&
                  upper_of(data, i, j) == upper_of(data, 0, j)))
                return false;
    return equally_correlated(data);
}

/* Whether some column has known errors that differ. */
static bool errors_differ(const nim_data *data) {
    for (size_t j = 0; data->sigma && j < data->attributes; j++) {
        double first = NAN;
        for (size_t i = 0; i < data->rows; i++) {
            double error = error_of(data, i, j);
            if (isnan(first))
                first = error;
            else if (!isnan(error) && error != first)
                return true;
        }
    }
    return false;
}

struct facts plan_facts(const nim_data *data) {
    return (struct facts){.rows = data->rows,
                          .attributes = data->attributes,
                          .width = data->attributes,
                          .noisy_columns = count_noisy_columns(data),
                          .equally_noisy = equally_noisy(data),
                          .errors_differ = errors_differ(data)};
}
