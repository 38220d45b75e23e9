/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/scaling.h"

#include "rows/cells.h"
#include "rows/shape_checks.h"
#include "rows/summary.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Largest variance, in standard units. A cell with an error of a thousand deviations carries no
 * information, and a larger variance could overflow. */
#define LARGEST_NOISE 1e6

/* Largest absolute value, in standard units. So far from all training rows the exact value makes no
 * difference to predictions, and larger values could overflow. */
#define FARTHEST 1e6

/* A column gets a flag for missing cells if both the missing and the present cells number at least
 * LEAST_FLAGGED and are at least the share LEAST_SHARE of all rows. */
#define LEAST_FLAGGED 10
#define LEAST_SHARE 0.02

/* At most this many errors of a column are used for their median. */
#define MOST_ERRORS 1000000

/* At most this many values of a column are used to choose its warp. */
#define MOST_WARPED 10000

void scaling_plan(struct scaling *scaling, size_t columns, size_t flags,
                  struct target_bounds bounds) {
    *scaling = (struct scaling){.columns = columns,
                                .flags = flags,
                                .width = columns + flags,
                                .errors_follow = true,
                                .target_deviation = 1.0,
                                .bounds = bounds};
}

void scaling_arrays(struct scaling *scaling, struct array_list *list) {
    size_t d = scaling->width, columns = scaling->columns, flags = scaling->flags;
    const double least = DBL_TRUE_MIN, most = DBL_MAX;
    const struct array arrays[] = {
        ARRAY("mean", SHAPE(1, d), -most, most, .place = &scaling->mean),
        ARRAY("deviation", SHAPE(1, d), least, most, .place = &scaling->deviation),
        ARRAY("median_error", SHAPE(1, d), 0.0, most, .place = &scaling->median_error),
        ARRAY("typical", SHAPE(1, d), -most, most, .place = &scaling->typical),
        ARRAY("spread", SHAPE(1, d), 0.0, most, .place = &scaling->spread),
        ARRAY("flagged", SHAPE(1, flags), 0.0, (double)columns - 1.0, .place = &scaling->flagged,
              .whole = true, .absent = !flags),
        ARRAY("warp_centre", SHAPE(1, columns), -most, most, .place = &scaling->warp_centre,
              .known = &scaling->warps),
        ARRAY("warp_width", SHAPE(1, columns), 0.0, most, .place = &scaling->warp_width,
              .known = &scaling->warps),
    };
    array_list_add(list, "scaling", sizeof arrays / sizeof *arrays, arrays);
}

static nim_status check_shape(const nim_data *data, nim_error *error) {
    if (!data)
        return failure(error, NIM_INVALID_ARGUMENT, "no data given");
    if (data->rows < 1)
        return failure(error, NIM_INVALID_ARGUMENT, "the table has no rows");
    if (data->attributes < 1)
        return failure(error, NIM_INVALID_ARGUMENT, "the table has no attributes");
    if (!data->x)
        return failure(error, NIM_INVALID_ARGUMENT, "the table's x is NULL");
    if (data->sigma && data->sigma_rows != 1 && data->sigma_rows != data->rows)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "sigma has %zu rows; expected 1 or as many as the table, %zu",
                       data->sigma_rows, data->rows);
    return shapes_check_sizes(data, error);
}

static nim_status check_cells(const nim_data *data, nim_error *error) {
    size_t d = data->attributes;
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < d; j++)
            if (isinf(value_at(data, i, j)))
                return cell_failure(error, i, j, "infinite value");
    for (size_t i = 0; data->sigma && i < data->sigma_rows; i++)
        for (size_t j = 0; j < d; j++) {
            double sigma = error_at(data, i, j);
            if (sigma < 0.0 || isinf(sigma))
                return cell_failure(error, i, j, "%s error %g",
                                    sigma < 0.0 ? "negative" : "infinite", sigma);
        }
    return NIM_OK;
}

static nim_status check_weights(const nim_data *data, nim_error *error) {
    for (size_t i = 0; i < data->rows; i++) {
        double weight = data->weights[i];
        if (!(weight >= 0.0) || isinf(weight))
            return cell_failure(error, i, NIM_NONE, "weight %g is not a finite number >= 0",
                                weight);
    }
    return NIM_OK;
}

nim_status weights_check_total(const nim_data *data, nim_error *error) {
    double total = 0.0;
    for (size_t i = 0; data->weights && i < data->rows; i++)
        total += data->weights[i];
    if (!data->weights || (total >= DBL_MIN && total <= DBL_MAX))
        return NIM_OK;
    if (total == 0.0)
        return failure(error, NIM_BAD_DATA, "all weights are zero");
    return failure(error, NIM_BAD_DATA, "the weights sum to %g; expected weights closer to 1",
                   total);
}

nim_status data_check(const nim_data *data, nim_error *error) {
    nim_status status = check_shape(data, error);
    if (status == NIM_OK)
        status = check_cells(data, error);
    if (status == NIM_OK)
        status = shapes_check(data, error);
    if (status == NIM_OK && data->weights)
        status = check_weights(data, error);
    return status;
}

/* The stride between the rows whose errors are used for the median, so that at most about
 * MOST_ERRORS are sorted. */
static size_t error_stride(const nim_data *data) {
    return (data->sigma_rows + MOST_ERRORS - 1) / MOST_ERRORS;
}

/* The median of the known errors of column j, or 0 if there are none. column: scratch for them. */
static double median_error(const nim_data *data, size_t j, double *column) {
    size_t count = 0;
    for (size_t i = 0; i < data->sigma_rows; i += error_stride(data)) {
        double sigma = error_at(data, i, j);
        if (!isnan(sigma))
            column[count++] = sigma;
    }
    return median(count, column);
}

static bool missing_together(const nim_data *data, size_t a, size_t b) {
    for (size_t i = 0; i < data->rows; i++)
        if (isnan(value_at(data, i, a)) != isnan(value_at(data, i, b)))
            return false;
    return true;
}

bool scaling_find_flags(const nim_data *data, size_t *flagged, size_t *count) {
    double rows = (double)data->rows, least = fmax(LEAST_FLAGGED, LEAST_SHARE * rows);
    size_t *missing = calloc(data->attributes, sizeof *missing);
    if (!missing)
        return false;
    count_missing(data, missing);
    *count = 0;
    for (size_t j = 0; j < data->attributes; j++) {
        bool known = (double)missing[j] < least || rows - (double)missing[j] < least;
        for (size_t k = 0; k < *count && !known; k++)
            known = missing_together(data, flagged[k], j);
        if (!known)
            flagged[(*count)++] = j;
    }
    free(missing);
    return true;
}

/* Mean and deviation of the flags, which are 0 and 1. */
static void scale_flags(struct scaling *scaling, const size_t *missing, size_t rows,
                        bool standardise) {
    for (size_t k = 0; k < scaling->flags; k++) {
        size_t at = scaling->columns + k;
        double share = (double)missing[(size_t)scaling->flagged[k]] / (double)rows;
        double deviation = sqrt(share * (1.0 - share));
        scaling->mean[at] = standardise ? share : 0.0;
        scaling->deviation[at] = standardise ? deviation : 1.0;
        scaling->typical[at] = standardise ? 0.0 : share;
        scaling->spread[at] = standardise ? 1.0 : deviation;
    }
}

/* The warp for the values of a column, or for a sample of them. column: scratch for the sample. */
static struct warp choose_warp(const nim_data *data, size_t j, double *column) {
    size_t count = 0, stride = (data->rows + MOST_WARPED - 1) / MOST_WARPED;
    for (size_t i = 0; i < data->rows; i += stride) {
        double value = value_at(data, i, j);
        if (!isnan(value) && !(data->limit && data->limit[i * data->attributes + j]))
            column[count++] = value;
    }
    return warp_choose(count, column);
}

/* What is computed from a table, in scratch memory. */
struct tally {
    struct column_summary *columns;
    struct warp *warp;
    size_t *missing;
    double *column; /* errors or values of one column */
};

static void scale_column(struct scaling *scaling, const nim_data *data, size_t j, bool standardise,
                         const struct tally *tally) {
    double mean = tally->columns[j].mean, deviation = tally->columns[j].deviation;
    bool constant = deviation == 0.0;
    scaling->mean[j] = standardise ? mean : 0.0;
    scaling->deviation[j] = standardise && !constant ? deviation : 1.0;
    scaling->typical[j] = standardise ? 0.0 : mean;
    scaling->spread[j] = standardise && !constant ? 1.0 : deviation;
    scaling->median_error[j] =
        data->sigma ? median_error(data, j, tally->column) / scaling->deviation[j] : 0.0;
}

static nim_status compute(struct scaling *scaling, const nim_data *data, bool standardise,
                          bool warp, const struct tally *tally, nim_error *error) {
    for (size_t j = 0; j < scaling->columns; j++) {
        if (warp)
            tally->warp[j] = choose_warp(data, j, tally->column);
        scaling->warp_centre[j] = tally->warp[j].centre;
        scaling->warp_width[j] = tally->warp[j].width;
        scaling->warps = scaling->warps || tally->warp[j].width > 0.0;
    }
    summarise(data, scaling->warps ? tally->warp : NULL, tally->columns);
    for (size_t j = 0; j < scaling->columns; j++) {
        if (!tally->columns[j].measured)
            return failure(error, NIM_BAD_DATA, "attribute %zu: all %zu values are missing%s", j,
                           data->rows, data->limit ? " or limits" : "");
        scale_column(scaling, data, j, standardise, tally);
    }
    if (scaling->flags)
        count_missing(data, tally->missing);
    scale_flags(scaling, tally->missing, data->rows, standardise);
    return NIM_OK;
}

nim_status scaling_compute(struct scaling *scaling, const nim_data *data, bool standardise,
                           bool warp, nim_error *error) {
    size_t d = scaling->columns,
           errors = data->sigma ? data->sigma_rows / error_stride(data) + 1 : 0;
    struct tally tally = {
        .columns = calloc(d, sizeof *tally.columns),
        .warp = calloc(d, sizeof *tally.warp),
        .missing = calloc(d, sizeof *tally.missing),
        .column = calloc(errors > MOST_WARPED ? errors : MOST_WARPED, sizeof *tally.column)};
    bool good = tally.columns && tally.warp && tally.missing && tally.column;
    nim_status status =
        good ? compute(scaling, data, standardise, warp, &tally, error)
             : failure(error, NIM_OUT_OF_MEMORY, "no memory for a column of the table");
    free(tally.columns);
    free(tally.warp);
    free(tally.missing);
    free(tally.column);
    return status;
}

bool scaling_compute_target(struct scaling *scaling, const nim_data *data, bool standardise) {
    struct column_summary target = {0};
    bool bound = bounds_exist(&scaling->bounds);
    double *u = standardise && bound ? malloc(data->rows * sizeof *u) : NULL;
    if (standardise && bound && !u)
        return false;
    for (size_t i = 0; u && i < data->rows; i++)
        u[i] = bounds_free(&scaling->bounds, data->targets[i]);
    if (standardise)
        summarise(&(nim_data){.rows = data->rows, .attributes = 1, .x = u ? u : data->targets},
                  NULL, &target);
    free(u);
    scaling->target_mean = target.mean;
    scaling->target_deviation = target.deviation > 0.0 ? target.deviation : 1.0;
    return true;
}

/* value, limited to [-limit, limit]. Unlike fmin and fmax, which treat NaN specially, this is not a
 * function call. */
SIMD_INLINE double within(double value, double limit) {
    return value > limit ? limit : value < -limit ? -limit : value;
}

/* One value in standard units. All terms are halved, so that the largest doubles do not
 * overflow. */
SIMD_INLINE double standardise(double value, double mean, double deviation) {
    return within((0.5 * value - 0.5 * mean) / (0.5 * deviation), FARTHEST);
}

double scaling_invert(const struct scaling *scaling, size_t j, double standard) {
    double half = 0.5 * standard * scaling->deviation[j] + 0.5 * scaling->mean[j];
    double value = warp_invert(scaling_warp(scaling, j), 2.0 * half);
    return fmin(fmax(value, -DBL_MAX), DBL_MAX);
}

/* One row in standard units. A missing cell gets the typical value and infinite noise. */
SIMD_CLONES static void standardise_row(const struct scaling *scaling, struct cell_row row,
                                        double *x, double *noise) {
    const double *mean = scaling->mean, *deviation = scaling->deviation;
    const double *typical = scaling->typical;
    size_t d = scaling->columns;
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double value = value_in(row, j);
        bool missing = isnan(value);
        x[j] = missing ? typical[j] : standardise(value, mean[j], deviation[j]);
        noise[j] = missing ? INFINITY : 0.0;
    }
}

/* Replaces the values of warped columns, which standardise_row has computed without the warp. */
static void warp_row(const struct scaling *scaling, struct cell_row row, double *x) {
    for (size_t j = 0; j < scaling->columns; j++) {
        double value = value_in(row, j);
        if (scaling->warp_width[j] > 0.0 && !isnan(value))
            x[j] = standardise(warp_apply(scaling_warp(scaling, j), value), scaling->mean[j],
                               scaling->deviation[j]);
    }
}

static void raise_flags(const struct scaling *scaling, struct cell_row row, double *x,
                        double *noise) {
    for (size_t k = 0; k < scaling->flags; k++) {
        size_t at = scaling->columns + k;
        double flag = isnan(value_in(row, (size_t)scaling->flagged[k])) ? 1.0 : 0.0;
        x[at] = (flag - scaling->mean[at]) / scaling->deviation[at];
        noise[at] = 0.0;
    }
}

/* noise: the given errors of the cells that are not missing. Whether one of them is unknown. */
SIMD_CLONES static bool take_errors(size_t columns, struct cell_row error, double *noise) {
    int lacking = 0;
    SIMD_LOOP
    for (size_t j = 0; j < columns; j++) {
        double sigma = isinf(noise[j]) ? noise[j] : error_in(error, j);
        noise[j] = sigma;
        lacking |= sigma != sigma;
    }
    return lacking != 0;
}

/* The geometric mean of a row's known errors divided by their medians. The errors of a row tend to
 * be large or small together, so a missing error is taken to be this factor times the median of its
 * attribute. */
static double usual_factor(const struct scaling *scaling, struct cell_row value,
                           struct cell_row error) {
    double logs = 0.0, known = 0.0;
    for (size_t j = 0; j < scaling->columns; j++) {
        double median = scaling->median_error[j] * scaling->deviation[j];
        double sigma = error_in(error, j);
        if (isnan(value_in(value, j)))
            continue;
        if (sigma > 0.0 && median > 0.0) {
            logs += log(sigma / median);
            known++;
        }
    }
    return known > 0.0 ? exp(logs / known) : 1.0;
}

/* The noise of the cells that are not missing, from their errors. */
SIMD_CLONES static void standardise_errors(const struct scaling *scaling, double factor,
                                           double *noise) {
    const double *deviation = scaling->deviation, *median = scaling->median_error;
    size_t d = scaling->columns;
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double error = isnan(noise[j]) ? factor * median[j] : noise[j] / deviation[j];
        noise[j] = isinf(noise[j]) ? noise[j] : within(error * error, LARGEST_NOISE);
    }
}

/* The noise in warped columns: an error is divided by scaling_unit at its value. */
static void warp_errors(const struct scaling *scaling, double factor, struct cell_row value,
                        struct cell_row error, double *noise) {
    for (size_t j = 0; j < scaling->columns; j++) {
        double x = value_in(value, j), sigma = error_in(error, j);
        if (scaling->warp_width[j] == 0.0 || isnan(x))
            continue;
        if (isnan(sigma))
            sigma = factor * scaling->median_error[j] * scaling->deviation[j];
        double standard = sigma / scaling_unit(scaling, j, x);
        noise[j] = within(standard * standard, LARGEST_NOISE);
    }
}

static void gather_errors(const struct scaling *scaling, struct cell_row value,
                          struct cell_row error, double *noise) {
    bool lacking = take_errors(scaling->columns, error, noise);
    double factor = lacking && scaling->errors_follow ? usual_factor(scaling, value, error) : 1.0;
    standardise_errors(scaling, factor, noise);
    if (scaling->warps)
        warp_errors(scaling, factor, value, error, noise);
}

void scaling_take(const struct scaling *scaling, const nim_data *data, bool use_errors,
                  size_t count, const size_t *row, double *x, double *noise, double *weight) {
    size_t width = scaling->width;
    for (size_t k = 0; k < count; k++, x += width, noise += width) {
        struct cell_row value = row_of_x(data, row[k]);
        standardise_row(scaling, value, x, noise);
        if (scaling->warps)
            warp_row(scaling, value, x);
        if (use_errors && data->sigma)
            gather_errors(scaling, value, row_of_sigma(data, row[k]), noise);
        raise_flags(scaling, value, x, noise);
        if (weight)
            weight[k] = data->weights ? data->weights[row[k]] : 1.0;
    }
}

void scaling_fill_missing(const struct scaling *scaling, size_t count, double *noise) {
    for (size_t i = 0; i < count * scaling->width; i++)
        if (isinf(noise[i])) {
            double spread = scaling->spread[i % scaling->width];
            noise[i] = within(spread * spread, LARGEST_NOISE);
        }
}
