/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_MAPPED_ROWS_H
#define CLI_TRAINING_MAPPED_ROWS_H

/* Values and errors that are used where a mapped table has them (table_cells): no copy of them is
 * made, and processes that map the same file share it. */

#include "cli/rows/rows.h"

struct mapped_rows {
    const double *cell; /* NULL: there are none */
    size_t stride;      /* cells of a row */
    size_t *value;      /* attributes: where in a row its value is */
    size_t *error;      /* likewise, NIM_NONE where it has none; NULL: no attribute has errors */
};

/* Finds out whether these features can be used so: columns as they are, all rows of the table, and
 * no more known of the measurements than errors. Else there are none. False when out of memory. */
bool mapped_rows_find(struct mapped_rows *mapped, const struct rows *rows);

/* Whether the block at hand goes on where the first `before` rows of the table ended. */
bool mapped_rows_go_on(const struct rows *rows, size_t before);

double mapped_value(const struct mapped_rows *mapped, size_t row, size_t attribute);
double mapped_error(const struct mapped_rows *mapped, size_t row, size_t attribute);

/* Drops the attributes that are not wanted. */
void mapped_rows_keep(struct mapped_rows *mapped, size_t attributes, const bool *wanted);

/* Lets the library see so many of them. */
void mapped_rows_show(const struct mapped_rows *mapped, size_t rows, nim_data *data);

void mapped_rows_free(struct mapped_rows *mapped);

#endif
