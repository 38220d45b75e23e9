/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A sorted index of column names, so that one is found quickly among very many. */

#include "table/table.h"

struct indexed_name {
    const char *name; /* the column's own */
    size_t column;
};

struct column_index {
    size_t count;
    struct indexed_name *entry; /* by name, ignoring case; then by case */
};

/* False when out of memory. */
bool column_index_build(struct column_index *index, const struct column *column, size_t count);
void column_index_free(struct column_index *index);

/* As table_find. */
long column_index_find(const struct column_index *index, const char *name);
