/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The columns of predictions, in the order of the output. */

#include "score/predictions.h"
#include "table/table.h"
#include "table/text_pool.h"

struct prediction_columns {
    const nim_model *model;
    unsigned shown;        /* arrays that the output has: ASK_P | ... */
    bool vectors;          /* the output has vectors: densities are one column */
    const char *grid_note; /* what a vector of them is */
    size_t count;          /* columns */
    struct column *column;
    struct text_pool names; /* of theirs */
    char *text;             /* of a cell */
};

/* Lists the columns of what is shown of predictions of this shape, which may be without arrays. */
bool prediction_columns_list(struct prediction_columns *columns, const struct predictions *shape,
                             struct complaint *complaint);

void prediction_columns_write(const struct prediction_columns *columns,
                              const struct predictions *predictions, size_t row,
                              struct table_writer *writer);
void prediction_columns_free(struct prediction_columns *columns);
