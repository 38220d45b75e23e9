/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_NAME_INDEX_H
#define MEASURE_NAME_INDEX_H

/* Names of columns, found whatever the case and the separators. */

#include <stdbool.h>
#include <stddef.h>

enum { LONGEST_NAME = 512, NO_NAME = -1, TWO_NAMES = -2 };

struct name_entry;

struct name_index {
    const char *const *name;
    size_t count, entries;
    struct name_entry *entry; /* by key */
    char *keys;
};

/* False when out of memory. */
bool name_index_build(struct name_index *index, const char *const *name, size_t count);
void name_index_free(struct name_index *index);

/* The same text, otherwise the only one that differs in case; NO_NAME or TWO_NAMES. */
long name_index_find(const struct name_index *index, const char *wanted);

/* Likewise, otherwise the only one that differs in separators or in a unit in parentheses at the
 * end. */
long name_index_near(const struct name_index *index, const char *wanted);

/* Blanks, dots, hyphens and underscores separate words. */
bool is_separator(char c);

#endif
