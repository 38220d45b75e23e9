/* SPDX-License-Identifier: Apache-2.0 */
#include "model_data.h"

#include <math.h>
#include <string.h>

/* Whole numbers below `many`, the same on every machine. */
static size_t scramble(size_t i, size_t many) {
    uint32_t bits = (uint32_t)i * 2654435761u;
    return (bits >> 8) % many;
}

void model_data_make(struct model_data *made, size_t columns, const char *target, size_t classes) {
    *made = (struct model_data){.data = NIM_DATA(.rows = DATA_ROWS, .attributes = columns)};
    for (size_t i = 0; i < DATA_ROWS * columns; i++) {
        made->x[i] = (double)scramble(i + 7, 1000) / 250.0 - 2.0;
        made->sigma[i] = (double)(1 + scramble(i + 3, 9)) / 10.0;
    }
    if (columns > 1)
        made->x[columns + 1] = made->sigma[2 * columns] = (double)NAN;
    made->data.x = made->x;
    made->data.sigma = made->sigma;
    made->data.sigma_rows = DATA_ROWS;
    for (size_t i = 0; classes && i < DATA_ROWS; i++)
        made->labels[i] = (int32_t)(i % classes);
    if (strcmp(target, "class") == 0 || strcmp(target, "level") == 0) {
        made->data.labels = made->labels;
        return;
    }
    made->data.outputs = classes ? classes : 1;
    for (size_t i = 0; i < DATA_ROWS * made->data.outputs; i++)
        made->targets[i] = (double)scramble(i + 11, classes ? 2 : 5);
    made->data.targets = made->targets;
}
