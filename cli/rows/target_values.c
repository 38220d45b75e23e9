/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/target_values.h"

#include "cli/rows/grow_array.h"

#include <stdlib.h>
#include <string.h>

bool target_values_grow(struct target_values *targets, size_t rows) {
    bool fine = true;
    targets->class =
        grow_array(targets->class, rows, targets->classed ? sizeof *targets->class : 0, &fine);
    targets->y = grow_array(targets->y, rows, targets->outputs * sizeof *targets->y, &fine);
    targets->exposure = grow_array(targets->exposure, rows,
                                   targets->exposed ? sizeof *targets->exposure : 0, &fine);
    targets->error =
        grow_array(targets->error, rows, targets->measured ? sizeof *targets->error : 0, &fine);
    return fine;
}

void target_values_copy(struct target_values *to, size_t at, const struct target_values *from,
                        size_t first, size_t rows) {
    size_t outputs = to->outputs;
    if (to->classed)
        memmove(to->class + at, from->class + first, rows * sizeof *to->class);
    if (outputs)
        memmove(to->y + at * outputs, from->y + first * outputs, rows * outputs * sizeof *to->y);
    if (to->exposed)
        memmove(to->exposure + at, from->exposure + first, rows * sizeof *to->exposure);
    if (to->measured)
        memmove(to->error + at, from->error + first, rows * sizeof *to->error);
}

void target_values_show(const struct target_values *targets, nim_data *data) {
    data->labels = targets->class;
    data->targets = targets->y;
    data->outputs = targets->outputs;
    data->exposure = targets->exposure;
    data->target_sigma = targets->error;
}

void target_values_free(struct target_values *targets) {
    free(targets->class);
    free(targets->y);
    free(targets->exposure);
    free(targets->error);
    targets->class = NULL;
    targets->y = targets->exposure = targets->error = NULL;
}
