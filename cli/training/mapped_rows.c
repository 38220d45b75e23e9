/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/mapped_rows.h"

#include <stdlib.h>

static bool is_plain(const struct feature *feature, const struct rows *rows) {
    return feature->form == FORM_COLUMN && feature->value.errors.upper == NO_COLUMN &&
           feature->value.limit == NO_COLUMN && !(rows->lost_is_unknown && feature->lost) &&
           table_column(rows->table, (size_t)feature->value.column)->kind == COLUMN_NUMBER &&
           (feature->value.errors.lower == NO_COLUMN ||
            table_column(rows->table, (size_t)feature->value.errors.lower)->kind == COLUMN_NUMBER);
}

static bool can_map(const struct rows *rows) {
    const struct columns *columns = rows->columns;
    bool can = table_cells(rows->table) && !(rows->missing_values && rows->missing_values->count) &&
               !columns->correlations && columns->count && !(rows->where && where_any(rows->where));
    for (size_t j = 0; can && j < columns->count; j++)
        can = is_plain(&columns->feature[j], rows);
    return can;
}

bool mapped_rows_find(struct mapped_rows *mapped, const struct rows *rows) {
    const struct columns *columns = rows->columns;
    *mapped = (struct mapped_rows){0};
    if (!can_map(rows))
        return true;
    mapped->value = calloc(columns->count, sizeof *mapped->value);
    mapped->error = rows_have_errors(rows) ? calloc(columns->count, sizeof *mapped->error) : NULL;
    if (!mapped->value || (rows_have_errors(rows) && !mapped->error))
        return false;
    for (size_t j = 0; j < columns->count; j++) {
        const struct measured *measured = &columns->feature[j].value;
        long error = measured->errors.lower;
        mapped->value[j] = (size_t)measured->column;
        if (mapped->error)
            mapped->error[j] = error == NO_COLUMN ? NIM_NONE : (size_t)error;
    }
    mapped->cell = table_cells(rows->table);
    mapped->stride = table_columns(rows->table);
    return true;
}

bool mapped_rows_go_on(const struct rows *rows, size_t before) {
    return rows->first == before && rows->place[rows->count - 1] == rows->count - 1;
}

double mapped_value(const struct mapped_rows *mapped, size_t row, size_t attribute) {
    return mapped->cell[row * mapped->stride + mapped->value[attribute]];
}

double mapped_error(const struct mapped_rows *mapped, size_t row, size_t attribute) {
    size_t column = mapped->error[attribute];
    return column == NIM_NONE ? 0.0 : mapped->cell[row * mapped->stride + column];
}

void mapped_rows_keep(struct mapped_rows *mapped, size_t attributes, const bool *wanted) {
    size_t count = 0;
    for (size_t j = 0; j < attributes; j++) {
        if (!wanted[j])
            continue;
        mapped->value[count] = mapped->value[j];
        if (mapped->error)
            mapped->error[count] = mapped->error[j];
        count++;
    }
}

/* Columns side by side, which the library reads faster. */
static bool side_by_side(const size_t *column, size_t count) {
    for (size_t j = 0; j < count; j++)
        if (column[j] == NIM_NONE || column[j] != column[0] + j)
            return false;
    return true;
}

void mapped_rows_show(const struct mapped_rows *mapped, size_t rows, nim_data *data) {
    bool values = side_by_side(mapped->value, data->attributes);
    bool errors = mapped->error && side_by_side(mapped->error, data->attributes);
    data->x = mapped->cell + (values ? mapped->value[0] : 0);
    data->x_column = values ? NULL : mapped->value;
    data->x_stride = data->sigma_stride = mapped->stride;
    if (!mapped->error)
        return;
    data->sigma = mapped->cell + (errors ? mapped->error[0] : 0);
    data->sigma_column = errors ? NULL : mapped->error;
    data->sigma_rows = rows;
}

void mapped_rows_free(struct mapped_rows *mapped) {
    free(mapped->value);
    free(mapped->error);
    *mapped = (struct mapped_rows){0};
}
