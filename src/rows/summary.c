/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/summary.h"

#include "rows/cells.h"

#include <stdint.h>
#include <string.h>

/* Calls an expression with `column`, the summary of attribute j, and its value `x`, for each
 * measured cell. */
#define FOR_MEASURED(expression)                                                                   \
    for (size_t i = 0; i < data->rows; i++) {                                                      \
        struct cell_row row = row_of_x(data, i);                                                   \
        const int8_t *limit = data->limit ? data->limit + i * data->attributes : NULL;             \
        for (size_t j = 0; j < data->attributes; j++) {                                            \
            struct column_summary *column = columns + j;                                           \
            double x = value_in(row, j);                                                           \
            if (isnan(x) || (limit && limit[j]))                                                   \
                continue;                                                                          \
            if (warp)                                                                              \
                x = warp_apply(warp[j], x);                                                        \
            expression;                                                                            \
        }                                                                                          \
    }

/* Values are divided by the largest of their column, so that those near DBL_MAX do not overflow. */
void summarise(const nim_data *data, const struct warp *warp, struct column_summary *columns) {
    size_t d = data->attributes;
    memset(columns, 0, d * sizeof *columns);
    FOR_MEASURED(
        (column->unit = fabs(x) > column->unit ? fabs(x) : column->unit, column->measured++))
    for (size_t j = 0; j < d; j++)
        columns[j].unit = columns[j].unit == 0.0 ? 1.0 : columns[j].unit;
    FOR_MEASURED(column->mean += x / column->unit)
    for (size_t j = 0; j < d; j++)
        columns[j].mean /= (double)columns[j].measured;
    FOR_MEASURED(double distance = x / column->unit - column->mean;
                 column->deviation += distance * distance)
    for (size_t j = 0; j < d; j++) {
        struct column_summary *column = columns + j;
        double relative = sqrt(column->deviation / (double)column->measured);
        column->mean *= column->unit;
        /* A constant column has deviation 0, also if rounding makes it slightly larger. */
        column->deviation = relative > 1e-14 ? relative * column->unit : 0.0;
        if (column->deviation < DBL_MIN)
            column->deviation = 0.0;
        if (!column->measured)
            column->mean = column->deviation = 0.0;
    }
}

void count_missing(const nim_data *data, size_t *missing) {
    memset(missing, 0, data->attributes * sizeof *missing);
    for (size_t i = 0; i < data->rows; i++) {
        struct cell_row row = row_of_x(data, i);
        for (size_t j = 0; j < data->attributes; j++)
            missing[j] += isnan(value_in(row, j)) != 0;
    }
}

/* Bits with the order of the numbers. */
static uint64_t key_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The k-th smallest: DIGIT bits after DIGIT bits, those with the right ones move to the front. */
static double smallest(size_t count, double *value, size_t k) {
    enum { DIGIT = 8 };
    for (int shift = 64 - DIGIT; shift >= 0 && count > 1; shift -= DIGIT) {
        size_t number[1 << DIGIT] = {0}, digit = 0, same = 0;
        for (size_t i = 0; i < count; i++)
            number[key_of(value[i]) >> shift & ((1 << DIGIT) - 1)]++;
        for (; k >= number[digit]; digit++)
            k -= number[digit];
        for (size_t i = 0; i < count; i++)
            if ((key_of(value[i]) >> shift & ((1 << DIGIT) - 1)) == digit) {
                double found = value[i];
                value[i] = value[same];
                value[same++] = found;
            }
        count = same;
    }
    return value[0];
}

double median(size_t count, double *value) {
    if (count == 0)
        return 0.0;
    double lower = smallest(count, value, (count - 1) / 2), upper = INFINITY;
    size_t up_to = 0;
    for (size_t i = 0; i < count; i++)
        if (value[i] <= lower)
            up_to++;
        else if (value[i] < upper)
            upper = value[i];
    return 0.5 * lower + 0.5 * (up_to > count / 2 ? lower : upper);
}
