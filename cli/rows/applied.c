/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/applied.h"

#include "cli/model/fit_request.h"

#include <stdlib.h>
#include <string.h>

static bool set_options(struct applied *applied, struct complaint *complaint) {
    static const char *const names[] = {"threads", "points"};
    nim_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (argument_given(applied->arguments, names[i]) &&
            nim_model_set_option(applied->model, names[i],
                                 argument_text(applied->arguments, names[i]), &error) != NIM_OK)
            return complain_of(complaint, &error);
    return true;
}

static void say_lost(const struct applied *applied) {
    if (!errors_count(nim_model_options(applied->model)))
        return;
    for (size_t j = 0; j < applied->columns.count; j++) {
        const struct feature *feature = &applied->columns.feature[j];
        if (feature->lost)
            say(applied->arguments,
                "%s: no column '%s': the median error of training stands in; --errors %s=NAME "
                "names one",
                table_path(applied->table), feature->lost,
                table_column(applied->table, feature->value)->name);
    }
}

/* The target's columns, where they are to be looked at. Counts cannot be rated without the times
 * they belong to. */
static bool find_target(struct applied *applied, bool labelled, struct complaint *complaint) {
    const struct arguments *arguments = applied->arguments;
    struct target *target = &applied->target;
    struct target_wishes wishes = {.label = labelled ? argument_text(arguments, "label") : NULL,
                                   .exposure = argument_text(arguments, "exposure"),
                                   .model = applied->model};
    if (wishes.exposure && target->task->predicts != PREDICTS_COUNT)
        return complain(complaint, BAD_USAGE, "%s: --exposure is of no use: the model predicts %s",
                        argument_command(arguments), target->task->many);
    if (!labelled)
        return target_find_exposure(target, applied->table, &wishes, complaint);
    if (!target_find(target, applied->table, &wishes, complaint))
        return false;
    if (target->no_exposure)
        return complain(complaint, BAD_INPUT,
                        "%s: no column '%s', the exposure in training; --exposure names it",
                        table_path(applied->table), target->no_exposure);
    return target_name_classes(&applied->target, applied->table, NULL, applied->model, complaint);
}

/* A target that is not looked at may be there all the same, and is nobody's error. */
static bool find_columns(struct applied *applied, struct complaint *complaint) {
    struct column_wishes wishes = {.errors = argument_text(applied->arguments, "errors")};
    struct taken *taken = target_taken(&applied->target, &wishes.taken_count);
    const char *label = nim_model_note(applied->model, NOTE_LABEL);
    long column = label && !applied->target.count ? table_find(applied->table, label) : NO_COLUMN;
    if (taken && column >= 0)
        taken[wishes.taken_count++] = (struct taken){.column = (size_t)column};
    wishes.taken = taken;
    bool fine =
        taken ? columns_match(&applied->columns, applied->table, applied->model, &wishes, complaint)
              : complain(complaint, BROKE_DOWN, "out of memory");
    free(taken);
    return fine;
}

static void say_no_exposure(const struct applied *applied) {
    if (applied->target.no_exposure)
        say(applied->arguments,
            "%s: no column '%s', the exposure in training: it counts as 1; "
            "--exposure names one",
            table_path(applied->table), applied->target.no_exposure);
}

static bool open_rows(struct applied *applied, struct complaint *complaint) {
    applied->rows.table = applied->table;
    applied->rows.columns = &applied->columns;
    applied->rows.target = &applied->target;
    applied->rows.lost_is_unknown = true;
    applied->rows.where =
        where_create(applied->arguments, applied->table, applied->target.classes.fold, complaint);
    return applied->rows.where != NULL;
}

bool applied_open(struct applied *applied, const struct arguments *arguments, const char *model,
                  const char *table, bool labelled, struct complaint *complaint) {
    nim_error error;
    *applied = (struct applied){.arguments = arguments, .target.exposure = NO_COLUMN};
    if (file_is_model(table) && !file_is_model(model))
        return complain(complaint, BAD_USAGE, "%s: the model comes first: nimgp %s MODEL TABLE",
                        argument_command(arguments), argument_command(arguments));
    applied->model = file_load_model(model, complaint);
    if (!applied->model || !set_options(applied, complaint))
        return false;
    if (nim_predictor_create(applied->model, &applied->predictor, &error) != NIM_OK)
        return file_complain(complaint, model, &error);
    applied->target.task = task_of_model(applied->model);
    applied->target.classes.fold = argument_given(arguments, "ignore-case") ||
                                   fit_request_noted(applied->model, REQUEST_IGNORE_CASE);
    applied->table = file_open_table(arguments, table, complaint);
    if (!applied->table || !find_target(applied, labelled, complaint) ||
        !find_columns(applied, complaint) || !open_rows(applied, complaint))
        return false;
    say_lost(applied);
    say_no_exposure(applied);
    return true;
}

bool applied_open_table(struct applied *applied, const struct arguments *arguments,
                        const struct name_list *classes, const char *table,
                        struct complaint *complaint) {
    struct target_wishes wishes = {.label = argument_text(arguments, "label")};
    *applied = (struct applied){.arguments = arguments,
                                .target = {.task = task_classify(), .exposure = NO_COLUMN}};
    applied->target.classes.fold = argument_given(arguments, "ignore-case");
    applied->table = file_open_table(arguments, table, complaint);
    return applied->table && open_rows(applied, complaint) &&
           target_find(&applied->target, applied->table, &wishes, complaint) &&
           classes_fix(&applied->target.classes, classes, complaint);
}

void applied_say_tally(const struct applied *applied) {
    const struct rows *rows = &applied->rows;
    if (applied->target.chosen)
        say(applied->arguments, "the %s is column '%s'; --label chooses another",
            applied->target.task->role,
            table_column(applied->table, applied->target.column[0])->name);
    if (applied->target.count && table_beside(applied->table))
        say(applied->arguments, "the labels are those of %s", table_beside(applied->table));
    if (rows_all_filtered(rows))
        say(applied->arguments, "no row meets --where");
    rows_say_nonpositive(rows, applied->arguments);
    if (applied->target.count)
        rows_say_left_out(rows, applied->arguments);
}

void applied_close(struct applied *applied) {
    rows_free(&applied->rows);
    where_free(applied->rows.where);
    table_close(applied->table);
    columns_free(&applied->columns);
    target_free(&applied->target);
    nim_predictor_free(applied->predictor);
    nim_model_free(applied->model);
}
