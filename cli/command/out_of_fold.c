/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/out_of_fold.h"

#include "cli/model/files.h"
#include "score/prediction_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our own columns; names of those of classes in `names`, `room` bytes each. */
static size_t list_columns(const nim_model *model, struct column *column, char *names,
                           size_t room) {
    size_t count = 0, classes = nim_model_classes(model);
    column[count++] = (struct column){.name = "fold", .kind = COLUMN_NUMBER};
    for (size_t c = 0; c < classes; c++) {
        snprintf(names + c * room, room, "p_%s", nim_model_class_name(model, c));
        column[count++] = (struct column){.name = names + c * room, .kind = COLUMN_NUMBER};
    }
    if (classes)
        column[count++] = (struct column){
            .name = "predicted", .kind = COLUMN_TEXT, .width = predicted_size(model)};
    column[count++] = (struct column){.name = classes ? "entropy" : "mean", .kind = COLUMN_NUMBER};
    if (!classes)
        column[count++] = (struct column){.name = "sd", .kind = COLUMN_NUMBER};
    return count;
}

static bool open_writer(struct out_of_fold *out, const struct arguments *arguments,
                        const struct table *table, struct column *column, size_t own,
                        struct complaint *complaint) {
    const char *path = argument_text(arguments, "output");
    struct carried_columns *carried = &out->carried;
    if (!carried_columns_choose(carried, arguments, table, own, column, complaint) ||
        !file_check_apart(path, table_path(table), complaint))
        return false;
    struct column *all = calloc(carried->count + own, sizeof *all);
    if (!all)
        return complain_of_memory(complaint);
    for (size_t i = 0; i < carried->count; i++)
        all[i] = *table_column(table, carried->column[i]);
    memcpy(all + carried->count, column, own * sizeof *all);
    out->writer = table_writer_open(path, TABLE_ANY, carried->count + own, all, complaint);
    free(all);
    return out->writer != NULL;
}

bool out_of_fold_check(const struct arguments *arguments, const struct table *table,
                       struct complaint *complaint) {
    const char *path = argument_text(arguments, "output");
    struct carried_columns carried = {0};
    bool fine = !path || strcmp(path, "-") == 0 ||
                (file_check_apart(path, table_path(table), complaint) &&
                 table_writer_knows(path, complaint) && file_check_output(path, complaint));
    fine = fine && carried_columns_choose(&carried, arguments, table, 0, NULL, complaint);
    carried_columns_free(&carried);
    return fine;
}

bool out_of_fold_open(struct out_of_fold *out, const struct arguments *arguments,
                      const struct table *table, const nim_model *model,
                      struct complaint *complaint) {
    size_t classes = nim_model_classes(model), room = class_set_size(model) + sizeof "p_";
    if (!argument_text(arguments, "output"))
        return true;
    struct column *column = calloc(classes + 4, sizeof *column);
    char *names = calloc(classes + 1, room);
    out->model = model;
    out->text = malloc(predicted_size(model));
    bool fine = (column && names && out->text) || complain_of_memory(complaint);
    fine = fine && open_writer(out, arguments, table, column,
                               list_columns(model, column, names, room), complaint);
    free(column);
    free(names);
    return fine;
}

static bool write_row(struct out_of_fold *out, const struct predictions *predictions, size_t k,
                      struct complaint *complaint) {
    size_t classes = predictions->classes;
    const double *p = predictions->p + k * classes;
    if (!classes)
        return table_write_number(out->writer, predictions->mean[k], complaint) &&
               table_write_number(out->writer, predictions->deviation[k], complaint);
    for (size_t c = 0; c < classes; c++)
        if (!table_write_number(out->writer, p[c], complaint))
            return false;
    predicted_name(out->model, p, out->text);
    return table_write_text(out->writer, (struct span){out->text, strlen(out->text)}, complaint) &&
           table_write_number(out->writer, predictions->entropy[k], complaint);
}

bool out_of_fold_add(struct out_of_fold *out, const struct rows *rows, const size_t *fold,
                     const struct predictions *predictions, struct complaint *complaint) {
    for (size_t k = 0; out->writer && k < rows->count; k++) {
        for (size_t i = 0; i < out->carried.count; i++) {
            struct span cell;
            if (!table_text(rows->table, rows->place[k], out->carried.column[i], &cell,
                            complaint) ||
                !table_write_text(out->writer, cell, complaint))
                return false;
        }
        if (!table_write_number(out->writer, (double)fold[k] + 1.0, complaint) ||
            !write_row(out, predictions, k, complaint) || !table_write_end(out->writer, complaint))
            return false;
    }
    return true;
}

bool out_of_fold_close(struct out_of_fold *out, struct complaint *complaint) {
    struct table_writer *writer = out->writer;
    out->writer = NULL;
    return !writer || table_writer_close(writer, complaint);
}

void out_of_fold_free(struct out_of_fold *out) {
    table_writer_abandon(out->writer);
    carried_columns_free(&out->carried);
    free(out->text);
    *out = (struct out_of_fold){0};
}
