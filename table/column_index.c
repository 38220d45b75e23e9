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

/* Of a name without regard to case: a bit of the filter. */
static size_t bit_of(const struct column_index *index, const char *name) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ ((unsigned char)*name | 0x20u)) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32) & (8 * index->bytes - 1);
}

bool column_index_build(struct column_index *index, const struct column *column, size_t count) {
    index->entry = malloc((count + 1) * sizeof *index->entry);
    for (index->bytes = 64; index->bytes < 2 * count;)
        index->bytes *= 2;
    index->filter = calloc(index->bytes, 1);
    if (!index->entry || !index->filter)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t bit = bit_of(index, column[i].name);
        index->filter[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    index->count = count;
    for (size_t i = 0; i < count; i++)
        index->entry[i] = (struct indexed_name){column[i].name, i};
    qsort(index->entry, count, sizeof *index->entry, by_entry);
    return true;
}

void column_index_free(struct column_index *index) {
    free(index->entry);
    free(index->filter);
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
    size_t bit = bit_of(index, name);
    if (!(index->filter[bit / 8] >> bit % 8 & 1))
        return NO_COLUMN; /* as most names that are asked for */
    long found = find_by(index, name, strcasecmp);
    if (found != TWO_COLUMNS)
        return found;
    long exact = find_by(index, name, by_exact_name);
    return exact == NO_COLUMN ? TWO_COLUMNS : exact;
}
