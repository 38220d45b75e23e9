/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/columns_report.h"

#include "cli/rows/input_report.h"

#include <stdio.h>
#include <string.h>

struct report {
    const struct training_table *training;
    const struct training_plan *plan;
    const struct arguments *arguments;
};

enum { SHOWN = 12 };

/* The columns of a list after some words, and what to do about it. */
static void say_list(const struct report *report, const char *what, const struct name_list *list,
                     const char *remedy) {
    char names[512];
    name_list_show(list, SHOWN, names, sizeof names);
    if (list->count)
        say(report->arguments, "%s: %s%s", what, names, remedy);
}

/* Columns of text, and what would learn from the first. */
static void say_texts(const struct report *report) {
    const struct name_list *texts = &report->training->input.columns.without[NIM_WORDS];
    char remedy[320] = "";
    for (size_t i = texts->count; i-- > 0;) {
        struct nim_column_facts facts;
        long column = table_find(report->training->input.table, texts->item[i]);
        if (column < 0)
            continue;
        nim_judge_facts(report->training->input.judge, (size_t)column, &facts);
        if (facts.words > 1 && facts.words <= NIM_MOST_WORDS)
            snprintf(remedy, sizeof remedy, "; --features '*,%.200s' learns from %.40s",
                     texts->item[i], texts->item[i]);
    }
    say_list(report, "columns of text are not used", texts, remedy);
}

static void say_left_out(const struct report *report) {
    static const struct {
        enum nim_standing standing;
        const char *what, *remedy;
    } line[] = {
        {NIM_ROW_NAME, "not used as features, because they look like identifiers",
         "; --features overrides this"},
        {NIM_ROW_NUMBER,
         "not used as features, because they look like row numbers (whole numbers, all different)",
         "; --features overrides this"},
        {NIM_LONE_SIDE,
         "not used, because they look like upper or lower errors without their counterpart",
         "; --errors x=LOWER:UPPER names both columns"},
        {NIM_LOST_ERRORS, "not used as features, because they look like errors",
         "; --features overrides this"},
        {NIM_OTHER_ERRORS,
         "not used as features, because they look like covariances or inverse variances of errors",
         "; --features overrides this"},
        {NIM_NOTHING, "empty columns are not used", ""}};
    const struct columns *columns = &report->training->input.columns;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        say_list(report, line[i].what, &columns->without[line[i].standing], line[i].remedy);
    say_texts(report);
    if (columns->independent)
        say(report->arguments,
            "correlations of errors are not used: they need --noise given, an input model "
            "that supports them and at most 64 features");
}

/* ---------------------------------------------------------------- odd features ---------------- */

static bool is_position(const struct report *report, size_t column) {
    return nim_names_hint(report->training->input.columns.names.names, column) == NIM_POSITION;
}

static bool is_flag(const struct report *report, size_t column) {
    return nim_names_hint(report->training->input.columns.names.names, column) == NIM_FLAG;
}

static bool tells(const struct report *report, size_t column) {
    struct nim_column_facts facts;
    if (report->training->input.judge)
        nim_judge_facts(report->training->input.judge, column, &facts);
    return report->training->input.judge && facts.tells;
}

/* Features of a kind that may not be meant. */
static void say_features(const struct report *report,
                         bool (*is)(const struct report *, size_t column), const char *what) {
    const struct columns *columns = &report->training->input.columns;
    struct name_list found = {0};
    struct complaint ignored;
    for (size_t j = 0; j < columns->count; j++) {
        const char *name = feature_column(&columns->feature[j], report->training->input.table);
        if (is(report, (size_t)columns->feature[j].value.column) && !name_list_has(&found, name))
            name_list_add(&found, name, strlen(name), &ignored);
    }
    say_list(report, what, &found, "; --exclude leaves columns out");
    name_list_free(&found);
}

static void say_kinds(const struct report *report) {
    if (report->plan->table.model)
        return;
    say_features(report, tells,
                 report->training->input.target.task->predicts == PREDICTS_NUMBER
                     ? "learned from, though each alone nearly gives the target away"
                     : "learned from, though each alone nearly gives a class away");
    if (report->plan->table.features)
        return;
    say_features(report, is_position, "positions are learned from, too");
    say_features(report, is_flag, "flags are learned from, too");
}

/* ---------------------------------------------------------------- cells ----------------------- */

static void say_errors(const struct report *report) {
    const struct training_table *training = report->training;
    const struct rows *rows = &training->input.rows;
    struct name_list unknown = {0};
    struct complaint ignored;
    for (size_t j = 0; j < training->input.columns.count; j++) {
        const struct feature *feature = &training->input.columns.feature[j];
        size_t there = training->set.rows - rows->missing[j];
        if (report->plan->uses_errors && feature_has_errors(feature) && there &&
            rows->unknown[j] == there)
            name_list_add(&unknown, feature->name, strlen(feature->name), &ignored);
        if (feature->also != NO_COLUMN)
            say(report->arguments,
                "'%s' also looks like the error of %s and is not used; --errors overrides this",
                table_column_name(training->input.table, (size_t)feature->also), feature->name);
        if (feature->lost)
            say(report->arguments,
                "no column '%s', which held the errors of %s before: their median is used; "
                "--errors %s= makes the values exact",
                feature->lost, feature->name, feature_column(feature, training->input.table));
    }
    say_list(report, "the columns of errors are empty, so the errors count as unknown", &unknown,
             "; --errors NAME= makes the values exact");
    name_list_free(&unknown);
}

void columns_report(const struct training_table *training, const struct training_plan *plan,
                    const struct arguments *arguments) {
    struct report report = {training, plan, arguments};
    say_left_out(&report);
    say_kinds(&report);
    say_list(&report, "taken as missing", &training->input.missing.cells,
             "; --missing-value none keeps them");
    say_errors(&report);
    report_nonpositive(&training->input.rows, arguments);
    report_rows_left_out(&training->input.rows, arguments);
}
