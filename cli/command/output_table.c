/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/output_table.h"

#include "cli/rows/column_list.h"

#include <stdlib.h>
#include <string.h>

static void add(struct output_table *output, const struct arguments *arguments, size_t column,
                size_t count, const struct column *own) {
    const char *name = table_column_name(output->from, column);
    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].name, name) == 0) {
            say(arguments, "%s: column '%s' is not copied: the output has a column of that name",
                table_path(output->from), name);
            return;
        }
    for (size_t i = 0; i < output->copied; i++)
        if (output->column[i] == column)
            return;
    output->column[output->copied++] = column;
}

bool output_table_choose(struct output_table *output, const struct arguments *arguments,
                         struct table *from, size_t count, const struct column *own,
                         struct complaint *complaint) {
    const char *only = argument_text(arguments, "keep-only");
    output->from = from;
    output->column = calloc(table_columns(from), sizeof *output->column);
    if (!output->column)
        return complain_of_memory(complaint);
    for (size_t i = 0; argument_given(arguments, "keep") && i < table_columns(from); i++)
        add(output, arguments, i, count, own);
    size_t named = 0;
    size_t *list = only ? column_list(from, only, "--keep-only", &named, complaint) : NULL;
    for (size_t i = 0; i < named; i++)
        add(output, arguments, list[i], count, own);
    free(list);
    return list || !only;
}

bool output_table_open(struct output_table *output, const char *path, size_t before, size_t count,
                       const struct column *own, struct complaint *complaint) {
    size_t copied = output->copied;
    struct column *all = calloc(copied + count, sizeof *all);
    if (!all)
        return complain_of_memory(complaint);
    memcpy(all, own, before * sizeof *all);
    for (size_t i = 0; i < copied; i++)
        all[before + i] = *table_column(output->from, output->column[i]);
    memcpy(all + before + copied, own + before, (count - before) * sizeof *all);
    output->writer = table_writer_open(path, TABLE_ANY, copied + count, all, complaint);
    free(all);
    return output->writer != NULL;
}

bool output_table_copy(struct output_table *output, size_t row, struct complaint *complaint) {
    return table_write_cells(output->writer, output->from, row, output->copied, output->column,
                             complaint);
}

bool output_table_close(struct output_table *output, struct complaint *complaint) {
    struct table_writer *writer = output->writer;
    output->writer = NULL;
    return !writer || table_writer_close(writer, complaint);
}

void output_table_free(struct output_table *output) {
    table_writer_abandon(output->writer);
    free(output->column);
    *output = (struct output_table){0};
}
