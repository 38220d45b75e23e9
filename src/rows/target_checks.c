/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/target_checks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LARGEST_COUNT 9007199254740992.0 /* 2^53: larger integers are not all doubles */

nim_status labels_classes(const nim_data *data, size_t *classes, nim_error *error) {
    if (!data->labels)
        return failure(error, NIM_INVALID_ARGUMENT, "labels are required, but NULL");
    int32_t largest = 0;
    bool several = false;
    for (size_t i = 0; i < data->rows; i++) {
        if (data->labels[i] < 0)
            return cell_failure(error, i, NIM_NONE, "label %d is negative", (int)data->labels[i]);
        if (data->labels[i] >= MOST_CLASSES)
            return cell_failure(error, i, NIM_NONE, "label %d; expected less than %d",
                                (int)data->labels[i], MOST_CLASSES);
        largest = data->labels[i] > largest ? data->labels[i] : largest;
        several = several || data->labels[i] != data->labels[0];
    }
    if (!several)
        return failure(error, NIM_BAD_DATA,
                       "all %zu rows have label %d; expected at least two classes", data->rows,
                       (int)data->labels[0]);
    *classes = (size_t)largest + 1;
    return NIM_OK;
}

nim_status labels_check(const nim_data *data, size_t classes, nim_error *error) {
    if (!data->labels)
        return failure(error, NIM_INVALID_ARGUMENT, "labels are required, but NULL");
    for (size_t i = 0; i < data->rows; i++)
        if (data->labels[i] < 0 || (size_t)data->labels[i] >= classes)
            return cell_failure(error, i, NIM_NONE, "label %d is outside 0 .. %zu",
                                (int)data->labels[i], classes - 1);
    return NIM_OK;
}

nim_status levels_check(const nim_data *data, size_t classes, nim_error *error) {
    bool *seen = calloc(classes, sizeof *seen);
    if (!seen)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to check %zu levels", classes);
    for (size_t i = 0; i < data->rows; i++)
        seen[data->labels[i]] = true;
    size_t level = 0;
    while (level < classes && seen[level])
        level++;
    free(seen);
    if (level < classes)
        return failure(error, NIM_BAD_DATA,
                       "no row has level %zu; expected rows for all levels 0 .. %zu", level,
                       classes - 1);
    return NIM_OK;
}

static nim_status check_shape(const nim_data *data, size_t outputs, nim_error *error) {
    if (!data->targets)
        return failure(error, NIM_INVALID_ARGUMENT, "targets are required, but NULL");
    if (data->outputs != outputs)
        return failure(error, NIM_INVALID_ARGUMENT, "targets have %zu columns; expected %zu",
                       data->outputs, outputs);
    return NIM_OK;
}

nim_status numbers_check(const nim_data *data, const struct target_bounds *bounds,
                         nim_error *error) {
    nim_status status = check_shape(data, 1, error);
    for (size_t i = 0; status == NIM_OK && i < data->rows; i++)
        if (!isfinite(data->targets[i]))
            status = cell_failure(error, i, NIM_NONE, "target %g is not a finite number",
                                  data->targets[i]);
        else if (!bounds_hold(bounds, data->targets[i]))
            status = cell_failure(error, i, NIM_NONE, "target %g is not between %g and %g",
                                  data->targets[i], bounds->lowest, bounds->highest);
    for (size_t i = 0; status == NIM_OK && data->target_sigma && i < data->rows; i++)
        if (!(data->target_sigma[i] >= 0.0) || isinf(data->target_sigma[i]))
            status = cell_failure(error, i, NIM_NONE,
                                  "error %g of the target is not a finite number >= 0",
                                  data->target_sigma[i]);
    return status;
}

nim_status exposure_check(const nim_data *data, nim_error *error) {
    for (size_t i = 0; data->exposure && i < data->rows; i++)
        if (!(data->exposure[i] > 0.0) || isinf(data->exposure[i]))
            return cell_failure(error, i, NIM_NONE, "exposure %g is not a finite number > 0",
                                data->exposure[i]);
    return NIM_OK;
}

nim_status counts_check(const nim_data *data, nim_error *error) {
    nim_status status = check_shape(data, 1, error);
    for (size_t i = 0; status == NIM_OK && i < data->rows; i++) {
        double count = data->targets[i];
        if (!(count >= 0.0 && count <= LARGEST_COUNT) || count != floor(count))
            status = cell_failure(error, i, NIM_NONE, "%g is not a count", count);
    }
    return status == NIM_OK ? exposure_check(data, error) : status;
}

nim_status sets_check(const nim_data *data, size_t labels, nim_error *error) {
    nim_status status = check_shape(data, labels, error);
    for (size_t i = 0; status == NIM_OK && i < data->rows * labels; i++)
        if (data->targets[i] != 0.0 && data->targets[i] != 1.0)
            status = cell_failure(error, i / labels, NIM_NONE, "label %zu: %g is neither 0 nor 1",
                                  i % labels, data->targets[i]);
    return status;
}
