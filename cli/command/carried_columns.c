/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/carried_columns.h"

#include "cli/rows/columns.h"

#include <stdlib.h>
#include <string.h>

static void add(struct carried_columns *carried, const struct arguments *arguments,
                const struct table *table, size_t column, size_t count,
                const struct column *taken) {
    const char *name = table_column(table, column)->name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(taken[i].name, name) == 0) {
            say(arguments, "%s: column '%s' is not kept: the output has its own", table_path(table),
                name);
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
    struct name_list names = {0};
    carried->column = calloc(table_columns(table), sizeof *carried->column);
    if (!carried->column)
        return complain(complaint, BROKE_DOWN, "out of memory");
    for (size_t i = 0; argument_given(arguments, "keep") && i < table_columns(table); i++)
        add(carried, arguments, table, i, count, taken);
    bool fine = !only || name_list_split(&names, only, "--keep-only", complaint);
    for (size_t i = 0; fine && i < names.count; i++) {
        size_t column;
        fine = column_find(table, names.item[i], &column, complaint);
        if (fine)
            add(carried, arguments, table, column, count, taken);
    }
    name_list_free(&names);
    return fine;
}

void carried_columns_free(struct carried_columns *carried) {
    free(carried->column);
    *carried = (struct carried_columns){0};
}
