/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/carried_columns.h"

#include "cli/rows/column_list.h"

#include <stdlib.h>
#include <string.h>

static void add(struct carried_columns *carried, const struct arguments *arguments,
                const struct table *table, size_t column, size_t count,
                const struct column *taken) {
    const char *name = table_column_name(table, column);
    for (size_t i = 0; i < count; i++)
        if (strcmp(taken[i].name, name) == 0) {
            say(arguments, "%s: column '%s' is not copied: the output has a column of that name",
                table_path(table), name);
            return;
        }
    for (size_t i = 0; i < carried->count; i++)
        if (carried->column[i] == column)
            return;
    carried->column[carried->count++] = column;
}

bool carried_columns_choose(struct carried_columns *carried, const struct arguments *arguments,
                            const struct table *table, size_t count, const struct column *taken,
                            struct complaint *complaint) {
    const char *only = argument_text(arguments, "keep-only");
    carried->column = calloc(table_columns(table), sizeof *carried->column);
    if (!carried->column)
        return complain_of_memory(complaint);
    for (size_t i = 0; argument_given(arguments, "keep") && i < table_columns(table); i++)
        add(carried, arguments, table, i, count, taken);
    size_t named = 0;
    size_t *list = only ? column_list(table, only, "--keep-only", &named, complaint) : NULL;
    for (size_t i = 0; i < named; i++)
        add(carried, arguments, table, list[i], count, taken);
    free(list);
    return list || !only;
}

void carried_columns_free(struct carried_columns *carried) {
    free(carried->column);
    *carried = (struct carried_columns){0};
}
