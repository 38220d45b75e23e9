/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of columns: which columns are features, errors, limits and correlations, and what is read
 * from them. The first four lines of the data are options of the user (--features, --errors, --log,
 * --exclude; empty: none), the rest is a table. */
#include "fuzz.h"

#include "cli/rows/judged_table.h"
#include "cli/rows/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WISHES = 4 };

static void check_column(long column, long count) {
    must(column >= NO_COLUMN && column < count);
}

static void check_measured(const struct measured *measured, long count) {
    const struct nim_sides *errors = &measured->errors;
    check_column(measured->column, count);
    check_column(errors->lower, count);
    check_column(errors->upper, count);
    check_column(measured->limit, count);
    must(errors->lower == NO_COLUMN || errors->lower != measured->column);
    must(errors->upper == NO_COLUMN || errors->upper != measured->column);
    must(errors->upper == NO_COLUMN || errors->lower != NO_COLUMN);
    must(!errors->ends || errors->upper != NO_COLUMN);
}

static void check_features(const struct columns *columns, const struct table *table) {
    long count = (long)table_columns(table);
    must(columns->count > 0);
    for (size_t j = 0; j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        must(feature->name && feature->value.column != NO_COLUMN);
        check_measured(&feature->value, count);
        check_measured(&feature->minus, count);
        check_column(feature->also, count);
    }
    for (size_t c = 0; c < columns->correlations; c++) {
        const struct correlation *correlation = &columns->correlation[c];
        must(correlation->first < correlation->second && correlation->second < columns->count);
        must((long)correlation->column < count);
    }
    char *errors = columns_errors(columns, table);
    must(errors);
    free(errors);
}

/* Checks what the library assumes about its data. */
static void check_block(const nim_data *data) {
    size_t cells = data->rows * data->attributes, pairs = pair_count(data->attributes);
    for (size_t i = 0; i < cells; i++) {
        must(!isinf(data->x[i]));
        must(!data->sigma || isnan(data->sigma[i]) ||
             (data->sigma[i] >= 0.0 && isfinite(data->sigma[i])));
        must(!data->sigma_upper || isnan(data->sigma_upper[i]) ||
             (data->sigma_upper[i] >= 0.0 && isfinite(data->sigma_upper[i])));
        must(!data->limit || (data->limit[i] >= -1 && data->limit[i] <= 1));
    }
    for (size_t i = 0; data->correlation && i < data->correlation_rows * pairs; i++)
        must(!(fabs(data->correlation[i]) > 1.0));
}

/* What was found to mean missing reads back as it was found. */
static void find_missing(struct missing_values *missing, const struct table *table,
                         const struct columns *columns, const nim_judge *judge) {
    struct complaint complaint = {0};
    struct missing_values again = {0};
    must(missing_values_find(missing, judge, columns, table, NO_COLUMN, &complaint));
    if (missing->found) {
        must(missing_values_read(&again, missing->found, table, &complaint));
        must(again.count <= missing->count);
    }
    missing_values_free(&again);
}

static void read_rows(struct table *table, const struct columns *columns, const nim_judge *judge,
                      size_t waiting) {
    struct complaint complaint = {0};
    struct missing_values missing = {0};
    struct rows rows = {
        .table = table, .columns = columns, .waiting = waiting, .missing_values = &missing};
    bool fine = true;
    find_missing(&missing, table, columns, judge);
    while ((fine = rows_next(&rows, &complaint)) && rows.count) {
        nim_data data = rows_data(&rows);
        check_block(&data);
    }
    if (!fine)
        fuzz_check_complaint(&complaint);
    rows_free(&rows);
    missing_values_free(&missing);
}

static void choose(struct table *table, const struct column_wishes *wishes) {
    struct complaint complaint = {0};
    struct columns columns = {0};
    size_t rows = 0, label = 0;
    if (!table_next(table, 50, &rows, &complaint)) {
        fuzz_check_complaint(&complaint);
        return;
    }
    struct column_wishes all = *wishes;
    struct taken taken = {.role = "label", .aside = NIM_ASIDE_CLASSES};
    must(column_names_read(&columns.names, table, &complaint));
    nim_judge *judge =
        rows ? table_judge(table, TABLE_CSV, rows, &columns.names, &complaint) : NULL;
    must(!rows || (judge && nim_judge_finish(judge)));
    if (judge && table_columns(table) > 1 &&
        column_guess_label(table, judge, "class", &label, &complaint)) {
        taken.column = label;
        all.taken = &taken;
        all.taken_count = 1;
    }
    if (judge && columns_choose(&columns, table, judge, &all, &complaint)) {
        check_features(&columns, table);
        read_rows(table, &columns, judge, rows);
    } else if (judge) {
        fuzz_check_complaint(&complaint);
    }
    nim_judge_free(judge);
    columns_free(&columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *wish[WISHES];
    struct complaint complaint = {0};
    for (size_t i = 0; i < WISHES; i++)
        wish[i] = fuzz_line(&data, &size);
    struct column_wishes wishes = {.features = *wish[0] ? wish[0] : NULL,
                                   .errors = *wish[1] ? wish[1] : NULL,
                                   .log = *wish[2] ? wish[2] : NULL,
                                   .exclude = *wish[3] ? wish[3] : NULL};
    struct table *table = table_open(fuzz_file(0, data, size), TABLE_CSV, &complaint);
    if (table)
        choose(table, &wishes);
    else
        fuzz_check_complaint(&complaint);
    table_close(table);
    for (size_t i = 0; i < WISHES; i++)
        free(wish[i]);
    return 0;
}
