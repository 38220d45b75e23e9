/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/column_list.h"

#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

bool column_is_pattern(const struct table *table, const char *text) {
    return strpbrk(text, "*?") && table_find(table, text) == NO_COLUMN;
}

bool column_matches(const char *pattern, const char *name) {
    const char *star = NULL, *from = NULL; /* the last * and what it may stop at */
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || (*pattern && ascii_lower(*pattern) == ascii_lower(*name))) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

bool column_complain_unmatched(const struct table *table, const char *pattern,
                               struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: no column matches '%s'", table_path(table), pattern);
}

static void add(size_t column, bool *seen, size_t *list, size_t *count) {
    if (!seen[column])
        list[(*count)++] = column;
    seen[column] = true;
}

static bool add_item(const struct table *table, const char *item, bool *seen, size_t *list,
                     size_t *count, struct complaint *complaint) {
    size_t column;
    bool any = false;
    if (!column_is_pattern(table, item)) {
        if (!column_find(table, item, &column, complaint))
            return false;
        add(column, seen, list, count);
        return true;
    }
    for (size_t i = 0; i < table_columns(table); i++)
        if (column_matches(item, table_column_name(table, i))) {
            add(i, seen, list, count);
            any = true;
        }
    return any || column_complain_unmatched(table, item, complaint);
}

size_t *column_list(const struct table *table, const char *text, const char *what, size_t *count,
                    struct complaint *complaint) {
    struct name_list names = {0};
    size_t *list = calloc(table_columns(table) + 1, sizeof *list);
    bool *seen = calloc(table_columns(table) + 1, sizeof *seen);
    bool fine = list && seen ? !text || name_list_split(&names, text, what, complaint)
                             : complain_of_memory(complaint);
    *count = 0;
    for (size_t i = 0; fine && !text && i < table_columns(table); i++)
        add(i, seen, list, count);
    for (size_t i = 0; fine && i < names.count; i++)
        fine = add_item(table, names.item[i], seen, list, count, complaint);
    name_list_free(&names);
    free(seen);
    if (!fine)
        free(list);
    return fine ? list : NULL;
}
