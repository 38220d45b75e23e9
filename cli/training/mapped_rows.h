/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_MAPPED_ROWS_H
#define CLI_TRAINING_MAPPED_ROWS_H

/* Values and errors that are used in place in a mapped table (table_cells), without a copy;
 * processes that map the same file share it. */

#include "cli/rows/rows.h"

struct mapped_rows {
    const double *cell; /* NULL: there are none */
    size_t stride;      /* cells of a row */
    size_t *value;      /* attributes: position of its value in a row */
    size_t *error;      /* the same for errors, NIM_NONE if it has none; NULL: no errors */
};

/* Uses the table in place if possible: features are plain columns, all rows are used, and there are
 * no upper errors, limits or correlations. Otherwise `cell` is NULL. False when out of memory. */
bool mapped_rows_find(struct mapped_rows *mapped, const struct rows *rows);

/* Whether the current block follows directly after the first `before` rows of the table. */
bool mapped_rows_go_on(const struct rows *rows, size_t before);

double mapped_value(const struct mapped_rows *mapped, size_t row, size_t attribute);
double mapped_error(const struct mapped_rows *mapped, size_t row, size_t attribute);

/* Removes the attributes that are not kept. */
void mapped_rows_keep(struct mapped_rows *mapped, size_t attributes, const bool *wanted);

/* Sets the members of nim_data for this number of rows. */
void mapped_rows_show(const struct mapped_rows *mapped, size_t rows, nim_data *data);

void mapped_rows_free(struct mapped_rows *mapped);

#endif
