/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/table_input.h"

#include "cli/model/files.h"
#include "cli/model/fit_request.h"
#include "cli/rows/units.h"
#include "text/number.h"

#include <stdlib.h>

/* If the target's column is absent and was not named, rows are read without targets. */
static bool go_without(struct target *target, const struct table_request *request) {
    if (!request->targets_optional || request->label)
        return false;
    struct target plain = {
        .task = target->task, .exposure = NO_COLUMN, .classes = {.fold = target->classes.fold}};
    target_free(target);
    *target = plain;
    return true;
}

static bool find_target(struct table_input *input, const struct table_request *request,
                        struct complaint *complaint) {
    struct target *target = &input->target;
    struct target_wishes wishes = {.label = request->with_targets ? request->label : NULL,
                                   .exposure = request->exposure,
                                   .model = request->model,
                                   .rows = input->rows.waiting};
    if (!request->with_targets)
        return target_find_exposure(target, input->table, &wishes, complaint);
    if (!target_find(target, input->table, &wishes, complaint))
        return complaint->kind != BROKE_DOWN && go_without(target, request) &&
               target_find_exposure(target, input->table, &wishes, complaint);
    target->keep_unlabelled = request->targets_optional;
    /* Counts cannot be compared without the times they belong to. */
    if (target->no_exposure && go_without(target, request))
        return target_find_exposure(target, input->table, &wishes, complaint);
    if (target->no_exposure)
        return complain(complaint, BAD_INPUT,
                        "%s: no column '%s', the exposure in training; --exposure names the column",
                        table_path(input->table), target->no_exposure);
    return target_name_classes(target, input->table, request->classes, request->model, complaint);
}

/* The columns that are no features: the target's, and the weights. A target that is not looked at
 * may be there all the same, and is nobody's error. To be freed. */
static struct taken *columns_taken(const struct table_input *input,
                                   const struct table_request *request, size_t *count) {
    struct taken *taken = target_taken(&input->target, count);
    const char *label = request->model ? nim_model_note(request->model, NOTE_LABEL) : NULL;
    const char *weights = request->weights;
    long column = label && !input->target.count ? table_find(input->table, label) : NO_COLUMN;
    long weight = weights ? table_find(input->table, weights) : NO_COLUMN;
    if (taken && column >= 0)
        taken[(*count)++] = (struct taken){.column = (size_t)column};
    if (taken && weight >= 0)
        taken[(*count)++] = (struct taken){.column = (size_t)weight, .role = "weight"};
    return taken;
}

/* Columns set aside by name are no features either. */
static bool set_aside(const struct table_input *input, const struct table_request *request,
                      struct taken **taken, size_t *count, struct complaint *complaint) {
    enum { MOST_ASIDE = sizeof request->aside / sizeof *request->aside };
    struct taken *more = *taken ? realloc(*taken, (*count + MOST_ASIDE + 1) * sizeof *more) : NULL;
    if (!more)
        return complain_of_memory(complaint);
    *taken = more;
    for (size_t i = 0; i < MOST_ASIDE; i++) {
        size_t column;
        if (!request->aside[i])
            continue;
        if (!column_find(input->table, request->aside[i], &column, complaint))
            return false;
        more[(*count)++] = (struct taken){.column = column, .role = "group or weight"};
    }
    return true;
}

static bool find_features(struct table_input *input, const struct table_request *request,
                          struct complaint *complaint) {
    struct column_wishes wishes = {.features = request->features,
                                   .exclude = request->exclude,
                                   .errors = request->errors,
                                   .log = request->log};
    struct taken *taken = columns_taken(input, request, &wishes.taken_count);
    bool fine = set_aside(input, request, &taken, &wishes.taken_count, complaint);
    wishes.taken = taken;
    if (!fine)
        ; /* it was said why */
    else if (request->model)
        fine = columns_match(&input->columns, input->table, request->model, &wishes, complaint) &&
               (request->ignore_units ||
                units_check(&input->columns, input->table, request->model, complaint));
    else
        fine =
            columns_choose(&input->columns, input->table, input->rows.waiting, &wishes, complaint);
    fine = fine &&
           (request->ignore_units || units_check_within(&input->columns, input->table, complaint));
    free(taken);
    const nim_options *options =
        request->model ? nim_model_options(request->model) : request->options;
    if (fine && options &&
        (!nim_options_can(options, NIM_JOINS_ERRORS) || input->columns.count > NIM_MOST_CORRELATED))
        columns_drop_correlations(&input->columns);
    return fine;
}

/* The numbers of --missing-value, as given or as in training. */
static bool read_sentinels(struct table_input *input, const struct table_request *request,
                           struct complaint *complaint) {
    const char *text = request->missing_value;
    struct name_list numbers = {0};
    if (!text && request->model)
        text = fit_request_noted(request->model, REQUEST_MISSING_VALUE);
    if (!text)
        return true;
    bool fine = name_list_split(&numbers, text, "--missing-value", complaint);
    input->sentinel = fine ? calloc(numbers.count, sizeof *input->sentinel) : NULL;
    if (fine && !input->sentinel)
        fine = complain_of_memory(complaint);
    for (size_t i = 0; fine && i < numbers.count; i++)
        fine = number_parse(numbers.item[i], &input->sentinel[i]) ||
               complain(complaint, BAD_USAGE, "--missing-value: '%s' is not a number",
                        numbers.item[i]);
    input->rows.sentinel = input->sentinel;
    input->rows.sentinels = fine ? numbers.count : 0;
    name_list_free(&numbers);
    return fine;
}

static bool set_up_rows(struct table_input *input, const struct table_request *request,
                        struct complaint *complaint) {
    struct rows *rows = &input->rows;
    static const struct name_list none = {0};
    rows->table = input->table;
    rows->columns = &input->columns;
    rows->target = &input->target;
    rows->lost_is_unknown = request->model != NULL;
    rows->where = where_create(request->conditions ? request->conditions : &none, input->table,
                               request->ignore_case, complaint);
    return rows->where != NULL && read_sentinels(input, request, complaint);
}

bool table_input_open(struct table_input *input, const struct table_request *request,
                      struct complaint *complaint) {
    *input = (struct table_input){.target = {.task = request->task,
                                             .exposure = NO_COLUMN,
                                             .classes = {.fold = request->ignore_case}}};
    input->table = file_open_table(request->path, request->format, complaint);
    if (!input->table)
        return false;
    /* What a new model learns from is judged by the first rows. */
    bool choose = !request->model && !request->without_features;
    return (!choose || table_next(input->table, rows_of_block(table_columns(input->table)),
                                  &input->rows.waiting, complaint)) &&
           find_target(input, request, complaint) &&
           (request->without_features || find_features(input, request, complaint)) &&
           set_up_rows(input, request, complaint);
}

void table_input_close(struct table_input *input) {
    rows_free(&input->rows);
    where_free(input->rows.where);
    table_close(input->table);
    columns_free(&input->columns);
    target_free(&input->target);
    free(input->sentinel);
}
