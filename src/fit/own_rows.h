/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_OWN_ROWS_H
#define NIMGP_FIT_OWN_ROWS_H

/* Tables of rows that are copies of those of another table: some of them, measured worse, or as a
 * view shows them. */

#include "view/degrade.h"
#include "view/view.h"

#include <stdbool.h>

struct own_rows {
    nim_data data;
    double *x, *sigma, *weights, *upper, *correlation, *targets;
    int8_t *limit;
    int32_t *labels;
    size_t *row; /* of the other table; NULL: the same rows */
};

/* All functions return false when out of memory. own_rows_free is right in any case. */
void own_rows_free(struct own_rows *own);

/* The rows row[0 .. count-1] of a table, all weights multiplied by `weight`. */
bool own_rows_pick(struct own_rows *own, const nim_data *data, size_t count, const size_t *row,
                   double weight);

/* How rows are measured worse: see degrade.h. */
struct worse {
    struct random_key key;
    const double *usual; /* columns: median errors */
};

/* A table's rows `kinds` times, the k-th time degraded by kind[k]. row: the names of the rows, for
 * random numbers. */
bool own_rows_degrade(struct own_rows *own, const nim_data *data, const size_t *row, size_t kinds,
                      const enum degrading *kind, const struct worse *worse, uint64_t draw);

/* Replaces the rows by what a view shows of them. */
bool own_rows_see(struct own_rows *own, const nim_data *data, const struct view *view);

#endif
