/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/out_of_fold.h"

#include "cli/model/files.h"

#include <stdlib.h>
#include <string.h>

bool out_of_fold_check(const struct arguments *arguments, struct table *table,
                       struct complaint *complaint) {
    const char *path = argument_text(arguments, "output");
    struct output_table output = {0};
    bool fine = !path || strcmp(path, "-") == 0 ||
                (file_check_apart(path, table_path(table), complaint) &&
                 table_writer_knows(path, complaint) && file_check_output(path, complaint));
    fine = fine && output_table_choose(&output, arguments, table, 0, NULL, complaint);
    output_table_free(&output);
    return fine;
}

/* The number of the row and its fold, then the columns of predictions. */
static bool open_output(struct out_of_fold *out, const struct arguments *arguments,
                        struct table *table, struct complaint *complaint) {
    const struct prediction_columns *columns = &out->columns;
    const char *path = argument_text(arguments, "output");
    size_t count = columns->count + 2;
    struct column *own = calloc(count, sizeof *own);
    if (!own)
        return complain_of_memory(complaint);
    own[0] = (struct column){.name = "row", .kind = COLUMN_NUMBER};
    own[1] = (struct column){.name = "fold", .kind = COLUMN_NUMBER};
    memcpy(own + 2, columns->column, columns->count * sizeof *own);
    bool fine = output_table_choose(&out->output, arguments, table, count, own, complaint) &&
                file_check_apart(path, table_path(table), complaint) &&
                output_table_open(&out->output, path, 0, count, own, complaint);
    free(own);
    return fine;
}

bool out_of_fold_open(struct out_of_fold *out, const struct arguments *arguments,
                      struct table *table, const nim_model *model, struct complaint *complaint) {
    struct predictions shape = predictions_for(model, 0, 0);
    out->columns.model = model;
    out->columns.shown = shape.classes ? ASK_P | ASK_ENTROPY : ASK_MEAN | ASK_DEVIATION;
    return !argument_text(arguments, "output") ||
           (prediction_columns_list(&out->columns, &shape, complaint) &&
            open_output(out, arguments, table, complaint));
}

bool out_of_fold_add(struct out_of_fold *out, const struct rows *rows, const size_t *fold,
                     const struct predictions *predictions, struct complaint *complaint) {
    struct table_writer *writer = out->output.writer;
    for (size_t k = 0; writer && k < rows->count; k++) {
        if (!output_table_copy(&out->output, rows->place[k], complaint))
            return false;
        table_write_number(writer, (double)(rows->first + rows->place[k]) + 1.0);
        table_write_number(writer, (double)fold[k] + 1.0);
        prediction_columns_write(&out->columns, predictions, k, writer);
        if (!table_write_end(writer, complaint))
            return false;
    }
    return true;
}

bool out_of_fold_close(struct out_of_fold *out, struct complaint *complaint) {
    return output_table_close(&out->output, complaint);
}

void out_of_fold_free(struct out_of_fold *out) {
    output_table_free(&out->output);
    prediction_columns_free(&out->columns);
    *out = (struct out_of_fold){0};
}
