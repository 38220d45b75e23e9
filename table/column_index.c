/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/column_index.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_exact_name(const char *left, const char *right) {
    int folded = strcasecmp(left, right);
    return folded ? folded : strcmp(left, right);
}

static int by_entry(const void *left, const void *right) {
    const struct indexed_name *a = left, *b = right;
    int name = by_exact_name(a->name, b->name);
    return name ? name : (a->column > b->column) - (a->column < b->column);
}

bool column_index_build(struct column_index *index, const struct column *column, size_t count) {
    index->entry = malloc((count + 1) * sizeof *index->entry);
    if (!index->entry)
        return false;
    index->count = count;
    for (size_t i = 0; i < count; i++)
        index->entry[i] = (struct indexed_name){column[i].name, i};
    qsort(index->entry, count, sizeof *index->entry, by_entry);
    return true;
}

void column_index_free(struct column_index *index) {
    free(index->entry);
    *index = (struct column_index){0};
}

static long find_by(const struct column_index *index, const char *name,
                    int (*compare)(const char *, const char *)) {
    size_t low = 0, high = index->count;
    while (low < high) { /* the first entry that does not come before the name */
        size_t middle = low + (high - low) / 2;
        if (compare(index->entry[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct indexed_name *entry = index->entry + low;
    if (low == index->count || compare(entry->name, name) != 0)
        return NO_COLUMN;
    if (low + 1 < index->count && compare(entry[1].name, name) == 0)
        return TWO_COLUMNS;
    return (long)entry->column;
}

long column_index_find(const struct column_index *index, const char *name) {
    long found = find_by(index, name, strcasecmp);
    if (found != TWO_COLUMNS)
        return found;
    long exact = find_by(index, name, by_exact_name);
    return exact == NO_COLUMN ? TWO_COLUMNS : exact;
}
