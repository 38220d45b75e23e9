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

bool column_mark(const struct table *table, const char *item, bool *marked,
                 struct complaint *complaint) {
    size_t column;
    bool any = false;
    if (!column_is_pattern(table, item)) {
        any = column_find(table, item, &column, complaint);
        if (any)
            marked[column] = true;
        return any;
    }
    for (size_t i = 0; i < table_columns(table); i++)
        if (column_matches(item, table_column_name(table, i)))
            any = marked[i] = true;
    return any || column_complain_unmatched(table, item, complaint);
}

/* Adds the columns that are marked and not in the list yet, which is as long as the table is wide.
 */
static void add_marked(const struct table *table, const bool *marked, bool *listed, size_t *list,
                       size_t *count) {
    for (size_t i = 0; i < table_columns(table); i++)
        if (marked[i] && !listed[i]) {
            listed[i] = true;
            list[(*count)++] = i;
        }
}

size_t *column_list(const struct table *table, const char *text, const char *what, size_t *count,
                    struct complaint *complaint) {
    struct name_list names = {0};
    size_t width = table_columns(table), *list = calloc(width + 1, sizeof *list);
    bool *marked = calloc(width + 1, sizeof *marked), *listed = calloc(width + 1, sizeof *listed);
    bool fine = list && marked && listed ? !text || name_list_split(&names, text, what, complaint)
                                         : complain_of_memory(complaint);
    *count = 0;
    for (size_t i = 0; fine && !text && i < width; i++)
        marked[i] = true;
    for (size_t i = 0; fine && i < names.count; i++) {
        fine = column_mark(table, names.item[i], marked, complaint);
        if (fine)
            add_marked(table, marked, listed, list, count);
    }
    if (fine && !text)
        add_marked(table, marked, listed, list, count);
    name_list_free(&names);
    free(marked);
    free(listed);
    if (fine)
        return list;
    free(list);
    *count = 0;
    return NULL;
}
