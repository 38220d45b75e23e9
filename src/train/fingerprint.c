/* SPDX-License-Identifier: Apache-2.0 */
#include "train/fingerprint.h"

#include "rows/cells.h"
#include "file/checksum.h"

#include <stdlib.h>

enum { ROWS_PER_SUM = 256 };

static uint32_t add_array(uint32_t sum, const void *array, size_t bytes) {
    return array ? checksum(sum, array, bytes) : sum;
}

/* Adds the values (or errors) of rows to the checksum, as if they were contiguous. */
static uint32_t add_rows(uint32_t sum, const nim_data *data, size_t rows, bool errors,
                         double *scratch) {
    size_t d = data->attributes;
    for (size_t first = 0; first < rows; first += ROWS_PER_SUM) {
        size_t count = rows - first < ROWS_PER_SUM ? rows - first : ROWS_PER_SUM;
        for (size_t k = 0; k < count; k++)
            (errors ? copy_errors : copy_values)(data, first + k, scratch + k * d);
        sum = checksum(sum, scratch, count * d * sizeof *scratch);
    }
    return sum;
}

bool fingerprint_of(const nim_data *data, uint32_t *result) {
    size_t sizes[] = {data->rows, data->attributes, data->sigma ? data->sigma_rows : 0};
    size_t row = data->attributes * sizeof(double);
    uint32_t sum = checksum(0, sizes, sizeof sizes);
    double *scratch = malloc(ROWS_PER_SUM * row);
    if (!scratch)
        return false;
    sum = add_rows(sum, data, data->rows, false, scratch);
    sum = add_rows(sum, data, sizes[2], true, scratch);
    free(scratch);
    sum = add_array(sum, data->labels, data->rows * sizeof *data->labels);
    sum = add_array(sum, data->targets, data->rows * data->outputs * sizeof *data->targets);
    sum = add_array(sum, data->exposure, data->rows * sizeof *data->exposure);
    sum = add_array(sum, data->target_sigma, data->rows * sizeof *data->target_sigma);
    sum = add_array(sum, data->weights, data->rows * sizeof *data->weights);
    size_t pairs = data->attributes * (data->attributes - 1) / 2;
    sum = add_array(sum, data->correlation,
                    data->correlation_rows * pairs * sizeof *data->correlation);
    sum = add_array(sum, data->sigma_upper, sizes[2] * row);
    *result = add_array(sum, data->limit, data->rows * data->attributes * sizeof *data->limit);
    return true;
}
