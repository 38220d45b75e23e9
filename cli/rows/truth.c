/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/truth.h"

#include "cli/rows/grow.h"

#include <stdlib.h>
#include <string.h>

bool truth_grow(struct truth *truth, size_t rows) {
    bool fine = true;
    truth->class = grown(truth->class, rows, truth->classed ? sizeof *truth->class : 0, &fine);
    truth->y = grown(truth->y, rows, truth->outputs * sizeof *truth->y, &fine);
    truth->exposure =
        grown(truth->exposure, rows, truth->exposed ? sizeof *truth->exposure : 0, &fine);
    return fine;
}

void truth_copy(struct truth *to, size_t at, const struct truth *from, size_t first, size_t rows) {
    size_t outputs = to->outputs;
    if (to->classed)
        memmove(to->class + at, from->class + first, rows * sizeof *to->class);
    if (outputs)
        memmove(to->y + at * outputs, from->y + first * outputs, rows * outputs * sizeof *to->y);
    if (to->exposed)
        memmove(to->exposure + at, from->exposure + first, rows * sizeof *to->exposure);
}

void truth_show(const struct truth *truth, nim_data *data) {
    data->labels = truth->class;
    data->targets = truth->y;
    data->outputs = truth->outputs;
    data->exposure = truth->exposure;
}

void truth_free(struct truth *truth) {
    free(truth->class);
    free(truth->y);
    free(truth->exposure);
    truth->class = NULL;
    truth->y = truth->exposure = NULL;
}
