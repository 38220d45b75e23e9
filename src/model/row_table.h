/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_ROW_TABLE_H
#define NIMGP_MODEL_ROW_TABLE_H

/* What each training row has of its own, and how often it was visited. It grows with the rows, and
 * is kept where the caller says (nim_model_set_storage). */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>

struct row_table {
    size_t rows, each;   /* each: parameters per row */
    double *theta;       /* rows x each */
    double *moments;     /* rows x 2 x each: the optimiser's */
    double *visits;      /* rows: whole numbers */
    nim_storage storage; /* resize NULL: the memory of this process */
};

/* Makes room for `rows` rows; new ones start at zero. False when memory runs out. */
bool row_table_grow(struct row_table *table, size_t rows);

/* To another storage with all there is; false, and nothing moved, when that has no room. */
bool row_table_move(struct row_table *table, const nim_storage *storage);

/* The optimiser's part back to zero. */
void row_table_forget(struct row_table *table);

void row_table_free(struct row_table *table);

#endif
