/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

#include <string.h>

const struct input_model *const input_list[] = {
#define ADDRESS(name) &input_##name,
    INPUT_LIST(ADDRESS)
#undef ADDRESS
        NULL,
};

void place_as_measured(const struct input_batch *batch) {
    const double *at = batch->prior.components ? batch->prior.centre : batch->x;
    memcpy(batch->point, at, batch->rows * batch->setting->attributes * sizeof(double));
    memset(batch->value, 0, batch->rows * sizeof(double));
}
