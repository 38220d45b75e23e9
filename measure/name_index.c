/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/name_index.h"

#include "measure/measure.h"

#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

struct name_entry {
    const char *key;
    size_t column;
    bool bare; /* the key lacks the unit in parentheses */
};

bool is_separator(char c) {
    return c == '_' || c == '.' || c == '-' || ascii_blank(c);
}

/* In lower case, a run of separators as one underscore, none at the ends. Returns the end. */
static char *write_key(const char *name, size_t length, char *key) {
    char *end = key;
    for (size_t i = 0; i < length; i++) {
        if (!is_separator(name[i]))
            *end++ = ascii_lower(name[i]);
        else if (end > key && end[-1] != '_')
            *end++ = '_';
    }
    end -= end > key && end[-1] == '_';
    *end = '\0';
    return end;
}

/* The length of the name before "(days)" or "[mag]" at its end; 0 if there is no such unit. */
static size_t length_before_unit(const char *name) {
    size_t length = strlen(name);
    char last = length ? name[length - 1] : '\0';
    const char *open = last == ')' ? strchr(name, '(') : last == ']' ? strchr(name, '[') : NULL;
    return open && open > name && is_separator(open[-1]) ? (size_t)(open - name) : 0;
}

static int by_key(const void *left, const void *right) {
    const struct name_entry *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->column > b->column) - (a->column < b->column);
}

bool name_index_build(struct name_index *index, const char *const *name, size_t count) {
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += 2 * (strlen(name[i]) + 1);
    *index = (struct name_index){.name = name, .count = count};
    index->entry = calloc(2 * count + 1, sizeof *index->entry);
    index->keys = malloc(bytes);
    if (!index->entry || !index->keys) {
        name_index_free(index);
        return false;
    }
    char *key = index->keys;
    for (size_t i = 0; i < count; i++) {
        size_t before = length_before_unit(name[i]);
        index->entry[index->entries++] = (struct name_entry){key, i, false};
        key = write_key(name[i], strlen(name[i]), key) + 1;
        if (!before)
            continue;
        index->entry[index->entries++] = (struct name_entry){key, i, true};
        key = write_key(name[i], before, key) + 1;
    }
    qsort(index->entry, index->entries, sizeof *index->entry, by_key);
    return true;
}

void name_index_free(struct name_index *index) {
    free(index->entry);
    free(index->keys);
    *index = (struct name_index){0};
}

/* How near a name is to the wanted one: the ranks of name_index_near. */
enum { MOST_ALIKE = 64 }; /* more are not told apart */
enum nearness { EXACT, OTHER_CASE, OTHER_SEPARATORS, WITHOUT_UNIT, NEARNESSES };

static long find(const struct name_index *index, const char *wanted, enum nearness most) {
    char key[LONGEST_NAME];
    long found[NEARNESSES] = {NO_NAME, NO_NAME, NO_NAME, NO_NAME};
    size_t low = 0, high = index->entries;
    if (strlen(wanted) >= sizeof key)
        return NO_NAME;
    write_key(wanted, strlen(wanted), key);
    while (low < high) { /* the first entry that does not come before the key */
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->entry[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t first = low;
    for (; low < index->entries && strcmp(index->entry[low].key, key) == 0; low++) {
        if (low - first > MOST_ALIKE)
            return TWO_NAMES;
        const struct name_entry *entry = index->entry + low;
        const char *name = index->name[entry->column];
        enum nearness near = entry->bare                 ? WITHOUT_UNIT
                             : strcmp(name, wanted) == 0 ? EXACT
                             : ascii_same(name, wanted)  ? OTHER_CASE
                                                         : OTHER_SEPARATORS;
        found[near] = found[near] == NO_NAME ? (long)entry->column : TWO_NAMES;
    }
    for (enum nearness near = EXACT; near <= most; near++)
        if (found[near] != NO_NAME)
            return found[near];
    return NO_NAME;
}

long name_index_find(const struct name_index *index, const char *wanted) {
    return find(index, wanted, OTHER_CASE);
}

long name_index_near(const struct name_index *index, const char *wanted) {
    return find(index, wanted, WITHOUT_UNIT);
}

int nim_pattern_fill(const char *pattern, const char *name, const char *errors, char *out,
                     size_t size) {
    const char *star = strchr(pattern, '*');
    size_t length = strlen(name), before = star ? (size_t)(star - pattern) : 0, used = 0;
    size_t after = star ? strlen(star + 1) : 0;
    if (!star || strchr(star + 1, '*') || length < before + after)
        return 0;
    for (size_t i = 0; i < before + after; i++) {
        size_t place = i < before ? i : length - after + (i - before);
        char wanted = i < before ? pattern[i] : star[1 + i - before];
        if (ascii_lower(name[place]) != ascii_lower(wanted))
            return 0;
    }
    for (const char *c = errors; *c; c++) {
        const char *part = *c == '*' ? name + before : c;
        size_t many = *c == '*' ? length - before - after : 1;
        if (used + many >= size)
            return 0;
        memcpy(out + used, part, many);
        used += many;
    }
    out[used] = '\0';
    return used > 0;
}
