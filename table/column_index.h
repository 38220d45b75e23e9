/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_COLUMN_INDEX_H
#define TABLE_COLUMN_INDEX_H

/* Names of columns in order, so that one is found among very many without looking at all, whatever
 * the names are. */

#include "table/table.h"

struct indexed_name {
    const char *name; /* the column's own */
    size_t column;
};

struct column_index {
    size_t count;
    struct indexed_name *entry; /* by name, upper and lower case alike; then by case */
};

/* False without memory. */
bool column_index_build(struct column_index *index, const struct column *column, size_t count);
void column_index_free(struct column_index *index);

/* As table_find. */
long column_index_find(const struct column_index *index, const char *name);

#endif
