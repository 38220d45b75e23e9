/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/table_input.h"

#include "cli/model/files.h"
#include "cli/model/fit_request.h"
#include "cli/rows/judged_table.h"
#include "cli/rows/units.h"

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
                                   .judge = input->judge};
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
    return target_name_classes(target, input->table, request->classes, !request->plain_classes,
                               request->model, complaint);
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
        taken[(*count)++] = (struct taken){(size_t)column, "label", NIM_ASIDE_OTHER};
    if (taken && weight >= 0)
        taken[(*count)++] = (struct taken){(size_t)weight, "weight", NIM_ASIDE_OTHER};
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
        more[(*count)++] = (struct taken){column, "group or weight", NIM_ASIDE_OTHER};
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
    struct target *target = &input->target;
    bool number = target->count && target->task->predicts == PREDICTS_NUMBER;
    bool fine = set_aside(input, request, &taken, &wishes.taken_count, complaint) &&
                (!number ||
                 columns_take_target(&input->columns, input->table, target->column[0], complaint));
    wishes.taken = taken;
    if (!fine)
        ; /* it was said why */
    else if (request->model)
        fine = columns_match(&input->columns, input->table, request->model, &wishes, complaint) &&
               (request->ignore_units ||
                units_check(&input->columns, input->table, request->model, complaint));
    else
        fine = columns_choose(&input->columns, input->table, input->judge, &wishes, complaint);
    fine = fine &&
           (request->ignore_units || units_check_within(&input->columns, input->table, complaint));
    free(taken);
    target->measured = number && feature_has_errors(input->columns.target);
    const nim_options *options =
        request->model ? nim_model_options(request->model) : request->options;
    if (fine && options &&
        (!nim_options_can(options, NIM_JOINS_ERRORS) || input->columns.count > NIM_MOST_CORRELATED))
        columns_drop_correlations(&input->columns);
    return fine;
}

/* The numbers of --missing-value, as given, as in training, or found. */
static bool find_missing(struct table_input *input, const struct table_request *request,
                         struct complaint *complaint) {
    const char *text = request->missing_value;
    const struct target *target = &input->target;
    bool numbers = target->count && !task_has_classes(target->task);
    if (!text && request->model)
        text = fit_request_noted(request->model, REQUEST_MISSING_VALUE);
    input->rows.missing_values = &input->missing;
    if (text)
        return missing_values_read(&input->missing, text, input->table, complaint);
    return !input->judge ||
           missing_values_find(&input->missing, input->judge, &input->columns, input->table,
                               numbers ? (long)target->column[0] : NO_COLUMN, complaint);
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
    return rows->where != NULL && find_missing(input, request, complaint);
}

/* What a new model learns from is judged by its cells. */
static bool judge(struct table_input *input, const struct table_request *request,
                  struct complaint *complaint) {
    struct table *table = input->table;
    size_t *rows = &input->rows.waiting;
    if (!table_can_be_judged_apart(table) &&
        !table_next(table, rows_of_block(table_columns(table)), rows, complaint))
        return false;
    input->judge = table_judge(table, request->format, *rows, &input->columns.names, complaint);
    return input->judge != NULL;
}

bool table_input_open(struct table_input *input, const struct table_request *request,
                      struct complaint *complaint) {
    *input = (struct table_input){.target = {.task = request->task,
                                             .exposure = NO_COLUMN,
                                             .classes = {.fold = request->ignore_case}}};
    input->table = file_open_table(request->path, request->format, complaint);
    if (!input->table)
        return false;
    return column_names_read(&input->columns.names, input->table, complaint) &&
           (request->model || request->without_features || judge(input, request, complaint)) &&
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
    missing_values_free(&input->missing);
    nim_judge_free(input->judge);
}
