/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/input_report.h"

#include "cli/model/files.h"
#include "cli/model/fit_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_rows_left_out(const struct rows *rows, const struct arguments *arguments) {
    const struct target *target = rows->target;
    char unlabelled[32], other[32], text[320] = "", names[128];
    snprintf(unlabelled, sizeof unlabelled, "without a %s", target->task->role);
    snprintf(other, sizeof other, "of other %s", target->task->many);
    const struct {
        size_t count;
        const char *why;
    } parts[] = {{rows->filtered, "by --where"},
                 {target->keep_unlabelled ? 0 : target->unlabelled, unlabelled},
                 {target->keep_unlabelled ? 0 : target->other_class, other}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t used = strlen(text);
        if (parts[i].count)
            snprintf(text + used, sizeof text - used, "%s%zu %s", used ? ", " : "", parts[i].count,
                     parts[i].why);
    }
    name_list_show(&target->others.name, 4, names, sizeof names);
    bool named = *names && !target->keep_unlabelled;
    if (*text)
        say(arguments, "rows left out: %s%s%s%s", text, named ? " (" : "", named ? names : "",
            named ? ")" : "");
    if (target->keep_unlabelled && target->other_class)
        say(arguments,
            "predicted, but not compared: %zu rows of %s that the model does not know (%s)",
            target->other_class, target->task->many, names);
}

void report_nonpositive(const struct rows *rows, const struct arguments *arguments) {
    for (size_t j = 0; rows->nonpositive && j < rows->columns->count; j++) {
        size_t count = rows->nonpositive[j];
        const char *name = feature_column(&rows->columns->feature[j], rows->table);
        if (count == 1)
            say(arguments,
                "%s: 1 value is not positive, so it has no logarithm and counts as missing", name);
        else if (count)
            say(arguments,
                "%s: %zu values are not positive, so they have no logarithm and count as missing",
                name, count);
    }
}

static void report_lost_errors(const struct table_input *input, const struct arguments *arguments) {
    for (size_t j = 0; j < input->columns.count; j++) {
        const struct feature *feature = &input->columns.feature[j];
        if (feature->lost)
            say(arguments,
                "%s: no column '%s': the median error of the training is used; --errors %s=NAME "
                "names a column",
                table_path(input->table), feature->lost, feature_column(feature, input->table));
    }
}

void report_what_is_lost(const struct table_input *input, const nim_model *model,
                         const struct arguments *arguments) {
    if (nim_model_can(model, NIM_USES_ERRORS))
        report_lost_errors(input, arguments);
    if (input->columns.target && input->columns.target->lost)
        say(arguments, "%s: no column '%s': the targets count as exact; --errors %s=NAME names one",
            table_path(input->table), input->columns.target->lost, input->columns.target->name);
    if (input->target.no_exposure)
        say(arguments,
            "%s: no column '%s', the exposure in training: it is taken as 1; --exposure names a "
            "column",
            table_path(input->table), input->target.no_exposure);
}

void report_cut_short(const struct table *table, const struct arguments *arguments) {
    if (table_cut_short(table))
        say(arguments,
            "%s: the service that wrote this table cut it short (QUERY_STATUS OVERFLOW): rows are "
            "missing",
            table_path(table));
}

void report_tally(const struct table_input *input, const struct arguments *arguments) {
    const struct target *target = &input->target;
    if (target->chosen)
        say(arguments, "the %s is column '%s'; --label chooses another", target->task->role,
            table_column_name(input->table, target->column[0]));
    report_cut_short(input->table, arguments);
    if (rows_all_filtered(&input->rows))
        say(arguments, "no row satisfies --where");
    report_nonpositive(&input->rows, arguments);
    if (target->count)
        report_rows_left_out(&input->rows, arguments);
}

/* Whether --where is what it was in training. */
static bool same_conditions(const struct name_list *noted, const struct arguments *arguments) {
    size_t k = 0;
    while (k < noted->count && k < argument_count(arguments, "where") &&
           strcmp(noted->item[k], argument_nth(arguments, "where", k)) == 0)
        k++;
    return k == noted->count && k == argument_count(arguments, "where");
}

bool looks_like_training(const struct table_input *input, const nim_model *model,
                         const struct arguments *arguments, size_t rows) {
    const char *table = nim_model_note(model, NOTE_TABLE);
    const char *held = nim_model_note(model, NOTE_HELD_OUT);
    const char *where = fit_request_noted(model, REQUEST_WHERE);
    struct name_list noted = {0};
    struct complaint ignored;
    if (!table || strcmp(table, file_name(table_path(input->table))) != 0 ||
        (where && !name_list_split(&noted, where, "--where", &ignored)))
        return false;
    size_t known = nim_model_rows(model) + (held ? (size_t)strtoull(held, NULL, 10) : 0);
    bool part = !where && argument_count(arguments, "where") && rows < known;
    bool same = rows == known && same_conditions(&noted, arguments);
    name_list_free(&noted);
    return part || same;
}
