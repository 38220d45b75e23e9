/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/kept.h"

#include "cli/rows/columns.h"

#include <stdlib.h>
#include <string.h>

static void add(struct kept *kept, const struct arguments *arguments, const struct table *table,
                size_t column, size_t count, const struct column *taken) {
    const char *name = table_column(table, column)->name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(taken[i].name, name) == 0) {
            say(arguments, "%s: column '%s' is not kept: the output has its own", table_path(table),
                name);
            return;
        }
    for (size_t i = 0; i < kept->count; i++)
        if (kept->column[i] == column)
            return;
    kept->column[kept->count++] = column;
}

bool kept_choose(struct kept *kept, const struct arguments *arguments, const struct table *table,
                 size_t count, const struct column *taken, struct complaint *complaint) {
    const char *only = argument_text(arguments, "keep-only");
    struct list names = {0};
    kept->column = calloc(table_columns(table), sizeof *kept->column);
    if (!kept->column)
        return complain(complaint, BROKE_DOWN, "out of memory");
    for (size_t i = 0; argument_given(arguments, "keep") && i < table_columns(table); i++)
        add(kept, arguments, table, i, count, taken);
    bool fine = !only || list_split(&names, only, "--keep-only", complaint);
    for (size_t i = 0; fine && i < names.count; i++) {
        size_t column;
        fine = column_find(table, names.item[i], &column, complaint);
        if (fine)
            add(kept, arguments, table, column, count, taken);
    }
    list_free(&names);
    return fine;
}

void kept_free(struct kept *kept) {
    free(kept->column);
    *kept = (struct kept){0};
}
