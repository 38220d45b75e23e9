/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/shape_checks.h"

#include <math.h>

/* Correlations are given with few digits. Rounding may make their matrix indefinite by this
 * much. */
#define ROUNDED 1e-3
#define LEAST_OWN 1e-4 /* as in population/condition_shaped.c */

nim_status shapes_check_sizes(const nim_data *data, nim_error *error) {
    if (data->sigma_upper && !data->sigma)
        return failure(error, NIM_INVALID_ARGUMENT, "sigma_upper is given without sigma");
    if (!data->correlation)
        return NIM_OK;
    if (!data->sigma)
        return failure(error, NIM_INVALID_ARGUMENT, "correlation is given without sigma");
    if (data->attributes > MOST_CORRELATED)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "correlated errors of %zu attributes; expected at most %d", data->attributes,
                       MOST_CORRELATED);
    if (data->correlation_rows != 1 && data->correlation_rows != data->rows)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "correlation has %zu rows; expected 1 or as many as the table, %zu",
                       data->correlation_rows, data->rows);
    return NIM_OK;
}

static nim_status check_upper(const nim_data *data, nim_error *error) {
    size_t d = data->attributes;
    for (size_t i = 0; i < data->sigma_rows; i++)
        for (size_t j = 0; j < d; j++) {
            double upper = data->sigma_upper[i * d + j];
            if (upper < 0.0 || isinf(upper))
                return cell_failure(error, i, j, "%s upper error %g",
                                    upper < 0.0 ? "negative" : "infinite", upper);
        }
    return NIM_OK;
}

static nim_status check_limits(const nim_data *data, nim_error *error) {
    size_t d = data->attributes;
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < d; j++)
            if (data->limit[i * d + j] < -1 || data->limit[i * d + j] > 1)
                return cell_failure(error, i, j, "limit %d; expected -1, 0 or 1",
                                    data->limit[i * d + j]);
    return NIM_OK;
}

/* Whether this is the lower triangle of a correlation matrix: computes its Cholesky factor. */
static bool is_positive(size_t d, const double *correlation) {
    double factor[MOST_CORRELATED][MOST_CORRELATED];
    for (size_t i = 0; i < d; i++) {
        double rest = 1.0;
        for (size_t j = 0; j < i; j++) {
            double value = correlation[i * (i - 1) / 2 + j];
            value = isnan(value) ? 0.0 : value;
            for (size_t l = 0; l < j; l++)
                value -= factor[i][l] * factor[j][l];
            factor[i][j] = value / factor[j][j];
            rest -= factor[i][j] * factor[i][j];
        }
        if (rest < -ROUNDED)
            return false;
        factor[i][i] = sqrt(fmax(rest, LEAST_OWN));
    }
    return true;
}

static nim_status check_correlations(const nim_data *data, nim_error *error) {
    size_t d = data->attributes, pairs = d * (d - 1) / 2;
    for (size_t i = 0; i < data->correlation_rows; i++) {
        const double *row = data->correlation + i * pairs;
        for (size_t j = 1; j < d; j++)
            for (size_t k = 0; k < j; k++)
                if (fabs(row[j * (j - 1) / 2 + k]) > 1.0)
                    return cell_failure(error, i, j,
                                        "correlation %g with attribute %zu is not between -1 and 1",
                                        row[j * (j - 1) / 2 + k], k);
        if (!is_positive(d, row))
            return cell_failure(error, i, NIM_NONE,
                                "the correlations of the errors contradict each other: they are "
                                "not positive definite");
    }
    return NIM_OK;
}

nim_status shapes_check(const nim_data *data, nim_error *error) {
    nim_status status = data->sigma_upper ? check_upper(data, error) : NIM_OK;
    if (status == NIM_OK && data->limit)
        status = check_limits(data, error);
    if (status == NIM_OK && data->correlation)
        status = check_correlations(data, error);
    return status;
}
