/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The parameters of each training row, and how often they were updated. This table grows with the
 * rows; its memory comes from the caller's storage, if there is one (nim_model_set_storage).
 *
 * In a training by several processes each one updates the parameters of its own rows (shards.h).
 * The table is then scattered: the other rows are as they were before, until they are gathered.
 */

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct row_table {
    size_t rows, each;   /* each: parameters per row */
    double *theta;       /* rows x each */
    double *moments;     /* rows x 2 x each: the optimiser's */
    double *visits;      /* rows: updates, or the last step that moved the row (row_steps=always) */
    size_t scattered;    /* over so many shards; 0 if all rows are up to date */
    nim_storage storage; /* resize NULL: the heap */
};

/* Grows to `rows` rows; new ones start at zero. False when out of memory. */
bool row_table_grow(struct row_table *table, size_t rows);

/* Moves everything to another storage; false, with nothing moved, if that has not enough space. */
bool row_table_move(struct row_table *table, const nim_storage *storage);

/* Makes a scattered table complete in all processes, which must all call this. offset: a scratch
 * array of processes + 1. */
nim_status row_table_gather(struct row_table *table, const nim_collectives *all, size_t *offset,
                            nim_error *error);

/* Sets the optimiser's part to zero. */
void row_table_forget(struct row_table *table);

void row_table_free(struct row_table *table);
