/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_ROW_WEIGHTS_H
#define CLI_ROWS_ROW_WEIGHTS_H

/* How much each row counts: a column of a table, beside the rows that are read from it. */

#include "cli/rows/rows.h"

struct row_weights {
    const char *name; /* of the column; NULL: there is none, and all rows count alike */
    size_t column;
    double *cell;   /* ROWS_BLOCK: of the rows at hand */
    double *weight; /* ROWS_BLOCK: of the rows of the block; NULL without a column */
};

/* `name` may be NULL. Free it also after failure. */
bool row_weights_open(struct row_weights *weights, const struct table *table, const char *name,
                      struct complaint *complaint);

/* Of the block that was read last: finite numbers from 0 on. */
bool row_weights_take(struct row_weights *weights, const struct rows *rows,
                      struct complaint *complaint);

void row_weights_free(struct row_weights *weights);

#endif
