/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/row_shapes.h"

#include "cli/rows/grow_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool row_shapes_grow(struct row_shapes *shapes, size_t rows) {
    size_t d = shapes->attributes;
    bool fine = true;
    shapes->upper =
        grow_array(shapes->upper, rows, shapes->lopsided ? d * sizeof(double) : 0, &fine);
    shapes->limit = grow_array(shapes->limit, rows, shapes->limited ? d : 0, &fine);
    shapes->correlation = grow_array(
        shapes->correlation, rows, shapes->correlated ? pair_count(d) * sizeof(double) : 0, &fine);
    return fine;
}

void row_shapes_copy(struct row_shapes *to, size_t at, const struct row_shapes *from, size_t first,
                     size_t rows) {
    size_t d = to->attributes, pairs = pair_count(d);
    if (to->lopsided && from->lopsided)
        memmove(to->upper + at * d, from->upper + first * d, rows * d * sizeof(double));
    for (size_t i = 0; to->lopsided && !from->lopsided && i < rows * d; i++)
        to->upper[at * d + i] = (double)NAN; /* like the lower error */
    if (to->limited && from->limited)
        memmove(to->limit + at * d, from->limit + first * d, rows * d);
    else if (to->limited)
        memset(to->limit + at * d, 0, rows * d);
    if (to->correlated && from->correlated)
        memmove(to->correlation + at * pairs, from->correlation + first * pairs,
                rows * pairs * sizeof(double));
    else if (to->correlated)
        memset(to->correlation + at * pairs, 0, rows * pairs * sizeof(double));
}

void row_shapes_keep(struct row_shapes *shapes, size_t rows, const bool *wanted) {
    size_t d = shapes->attributes, cell = 0, pair = 0, left = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < d; j++) {
            for (size_t k = 0; shapes->correlated && wanted[j] && k < j; k++)
                if (wanted[k])
                    shapes->correlation[pair++] =
                        shapes->correlation[i * pair_count(d) + pair_place(j, k)];
            if (!wanted[j])
                continue;
            if (shapes->lopsided)
                shapes->upper[cell] = shapes->upper[i * d + j];
            if (shapes->limited)
                shapes->limit[cell] = shapes->limit[i * d + j];
            cell++;
        }
    for (size_t j = 0; j < d; j++)
        left += wanted[j];
    shapes->attributes = left;
}

void row_shapes_show(const struct row_shapes *shapes, size_t first, nim_data *data) {
    size_t d = shapes->attributes;
    if (shapes->lopsided && data->sigma)
        data->sigma_upper = shapes->upper + first * d;
    if (shapes->limited)
        data->limit = shapes->limit + first * d;
    if (shapes->correlated && data->sigma) {
        data->correlation = shapes->correlation + first * pair_count(d);
        data->correlation_rows = data->rows;
    }
}

void row_shapes_free(struct row_shapes *shapes) {
    free(shapes->upper);
    free(shapes->limit);
    free(shapes->correlation);
    shapes->upper = shapes->correlation = NULL;
    shapes->limit = NULL;
}
