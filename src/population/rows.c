/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of rows in memory, for learning a population. */
#include "population/population.h"

#include <stdlib.h>
#include <string.h>

bool population_rows_create(struct population_rows *rows, size_t attributes, bool shaped,
                            size_t most) {
    size_t d = attributes, each = 2 * d + 1 + (shaped ? shape_size(d) : 0);
    double *memory = calloc(most ? most : 1, each * sizeof *memory);
    *rows = (struct population_rows){.attributes = d, .x = memory};
    if (memory) {
        rows->noise = memory + most * d;
        rows->weight = memory + 2 * most * d;
        rows->shape = shaped ? rows->weight + most : NULL;
    }
    for (size_t i = 0; memory && i < most; i++)
        rows->weight[i] = 1.0;
    return memory != NULL;
}

void population_rows_free(struct population_rows *rows) {
    free(rows->x);
    *rows = (struct population_rows){0};
}

struct measurement population_row(const struct population_rows *rows, size_t i) {
    return measurement_at(rows->attributes, rows->x, rows->noise, rows->shape, i);
}

void population_rows_append(struct population_rows *rows, const struct population_rows *from,
                            size_t i) {
    size_t d = from->attributes, shape = shape_size(d), at = rows->rows++;
    memcpy(rows->x + at * d, from->x + i * d, d * sizeof(double));
    memcpy(rows->noise + at * d, from->noise + i * d, d * sizeof(double));
    rows->weight[at] = population_row_weight(from, i);
    if (rows->shape)
        memcpy(rows->shape + at * shape, from->shape + i * shape, shape * sizeof(double));
}
