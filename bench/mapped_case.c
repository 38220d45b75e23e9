/* SPDX-License-Identifier: Apache-2.0 */
#include "mapped_case.h"

#include "step_case.h"

#include <stdlib.h>

enum { ROWS = 1 << 16 };

struct table *mapped_table(const char *path) {
    struct complaint complaint;
    struct table *table = table_open(path, TABLE_ROWS, &complaint);
    if (!table)
        bench_stop(complaint.text);
    return table;
}

/* Goes through the file once, so that all of it is in the page cache. */
static size_t count_rows(struct table *table) {
    struct complaint complaint;
    size_t total = 0, rows;
    do {
        if (!table_next(table, ROWS, &rows, &complaint))
            bench_stop(complaint.text);
        total += rows;
    } while (rows);
    return total;
}

nim_data mapped_data(struct table *table) {
    size_t columns = table_columns(table), d = (columns - 1) / 2, rows = count_rows(table);
    const double *cells = table_cells(table);
    int32_t *labels = malloc(rows * sizeof *labels);
    if (!cells || !labels || columns % 2 == 0)
        bench_stop("no row file of values, errors and a class");
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)cells[i * columns + 2 * d];
    return NIM_DATA(.rows = rows, .attributes = d, .x = cells, .sigma = cells + d,
                    .sigma_rows = rows, .labels = labels, .x_stride = columns,
                    .sigma_stride = columns);
}
