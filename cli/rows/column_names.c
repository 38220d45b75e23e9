/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/column_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool column_names_read(struct column_names *names, const struct table *table,
                       struct complaint *complaint) {
    size_t count = table_columns(table);
    if (names->names)
        return true;
    names->count = count;
    names->name = calloc(count + 1, sizeof *names->name);
    names->is_text = calloc(count + 1, sizeof *names->is_text);
    for (size_t i = 0; names->name && names->is_text && i < count; i++) {
        const struct column *column = table_column(table, i);
        names->name[i] = column->name;
        names->is_text[i] = column->kind == COLUMN_TEXT || column->empty;
    }
    if (names->name && names->is_text)
        names->names = nim_names_create(names->name, names->is_text, count);
    return names->names || complain_of_memory(complaint);
}

void column_names_free(struct column_names *names) {
    nim_names_free(names->names);
    free(names->name);
    free(names->is_text);
    *names = (struct column_names){0};
}

enum nim_column_role column_role(const struct column_names *names, size_t column, long of[2]) {
    return nim_names_role(names->names, column, of);
}

bool column_has_errors(const struct column_names *names, size_t column) {
    struct nim_sides sides;
    long also;
    nim_names_errors(names->names, column, NULL, &sides, &also);
    return sides.lower != NO_COLUMN;
}

char *error_sides_write(const struct table *table, const struct nim_sides *sides) {
    const char *lower = sides->lower >= 0 ? table_column_name(table, (size_t)sides->lower) : "";
    const char *upper = sides->upper >= 0 ? table_column_name(table, (size_t)sides->upper) : "";
    size_t size = strlen(lower) + strlen(upper) + 4;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s%s%s", sides->ends ? "[" : "", lower, *upper ? ":" : "", upper,
                 sides->ends ? "]" : "");
    return text;
}
