/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/row_weights.h"

#include <math.h>
#include <stdlib.h>

bool row_weights_open(struct row_weights *weights, const struct table *table, const char *name,
                      struct complaint *complaint) {
    *weights = (struct row_weights){.name = name};
    if (!name)
        return true;
    if (!column_find(table, name, &weights->column, complaint))
        return false;
    weights->cell = calloc(ROWS_BLOCK, sizeof *weights->cell);
    weights->weight = calloc(ROWS_BLOCK, sizeof *weights->weight);
    return (weights->cell && weights->weight) || complain_of_memory(complaint);
}

bool row_weights_take(struct row_weights *weights, const struct rows *rows,
                      struct complaint *complaint) {
    if (!weights->name)
        return true;
    if (!table_numbers(rows->table, weights->column, weights->cell, 1, complaint))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        double weight = weights->weight[k] = weights->cell[rows->place[k]];
        char place[256];
        if (weight >= 0.0 && !isinf(weight))
            continue;
        table_place(rows->table, rows->place[k], place, sizeof place);
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %g; expected a weight, which is finite and not negative",
                        place, weights->name, weight);
    }
    return true;
}

void row_weights_free(struct row_weights *weights) {
    free(weights->cell);
    free(weights->weight);
    *weights = (struct row_weights){0};
}
