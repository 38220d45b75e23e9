/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ROW_WEIGHTS_H
#define CLI_ROWS_ROW_WEIGHTS_H

/* Weights of rows: a column of a table, read together with the rows. */

#include "cli/rows/rows.h"

struct row_weights {
    const char *name; /* of the column; NULL: none, all weights are equal */
    size_t column;
    double *cell;   /* ROWS_BLOCK: of the current rows */
    double *weight; /* ROWS_BLOCK: of the rows of the block; NULL without a column */
};

/* `name` may be NULL. Must be freed, also after failure. */
bool row_weights_open(struct row_weights *weights, const struct table *table, const char *name,
                      struct complaint *complaint);

/* Reads the weights of the last block: finite numbers >= 0. */
bool row_weights_take(struct row_weights *weights, const struct rows *rows,
                      struct complaint *complaint);

void row_weights_free(struct row_weights *weights);

#endif
