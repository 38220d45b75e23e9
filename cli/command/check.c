/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp check: what the columns of a table are, and what is odd about them, before anything is
 * learned. */
#include "cli/command/duration.h"
#include "cli/model/files.h"
#include "cli/rows/units.h"
#include "cli/terminal/grid.h"
#include "cli/terminal/team.h"
#include "text/ascii.h"
#include "text/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ROWS = 5 }; /* as fit says of classes */

static const struct option options[] = {COLUMN_OPTIONS,
                                        UNITS_OPTION,
                                        FORMAT_OPTION,
                                        TASK_OPTIONS,
                                        {.name = "json", .help = "Print the result as JSON."},
                                        {0}};

struct line {
    char role[256], remarks[1024];
    char *errors; /* of a feature */
    struct nim_column_facts facts;
};

/* The feature that is this column, as it is or as a logarithm, or NULL. */
static const struct feature *feature_of(const struct columns *columns, size_t column) {
    for (size_t j = 0; j < columns->count; j++)
        if (columns->feature[j].value.column == (long)column &&
            columns->feature[j].minus.column == NO_COLUMN)
            return &columns->feature[j];
    return NULL;
}

static void describe(const struct table_input *input, bool named, size_t column,
                     struct line *line) {
    const struct feature *feature = feature_of(&input->columns, column);
    nim_judge_describe(input->judge, column, line->role, sizeof line->role, line->remarks,
                       sizeof line->remarks);
    nim_judge_facts(input->judge, column, &line->facts);
    enum nim_standing standing = nim_judge_standing(input->judge, column);
    line->errors =
        feature && feature_has_errors(feature) ? feature_errors(feature, input->table) : NULL;
    if (feature)
        snprintf(
            line->role, sizeof line->role, "%s%.200s",
            strcmp(feature->name, table_column_name(input->table, column)) == 0 ? "feature"
                                                                                : "feature as ",
            strcmp(feature->name, table_column_name(input->table, column)) == 0 ? ""
                                                                                : feature->name);
    else if (named && (standing == NIM_LEARNED || standing == NIM_LEARNED_TRUTH))
        snprintf(line->role, sizeof line->role, "not in --features");
}

static void print_columns(const struct table_input *input, bool named) {
    struct grid *grid = grid_create("llrl");
    grid_cell(grid, "column");
    grid_cell(grid, "what it is");
    grid_cell(grid, "missing");
    grid_cell(grid, "cells");
    for (size_t i = 0; i < table_columns(input->table); i++) {
        struct line line;
        describe(input, named, i, &line);
        grid_cell(grid, "%s", table_column_name(input->table, i));
        grid_cell(grid, "%s%s%s", line.role, line.errors ? ", errors " : "",
                  line.errors ? line.errors : "");
        grid_cell(grid, "%zu", line.facts.missing);
        grid_cell(grid, "%s", line.remarks);
        free(line.errors);
    }
    grid_print(grid, stdout);
    fflush(stdout);
}

static void print_json(const struct table_input *input, bool named, double seconds) {
    struct json_writer json = json_start(stdout);
    json_object(&json, NULL);
    json_text(&json, "table", table_path(input->table));
    json_real(&json, "fit_seconds", seconds);
    json_array(&json, "columns");
    for (size_t i = 0; i < table_columns(input->table); i++) {
        struct line line;
        describe(input, named, i, &line);
        json_object(&json, NULL);
        json_text(&json, "name", table_column_name(input->table, i));
        json_text(&json, "role", line.role);
        if (line.errors)
            json_text(&json, "errors", line.errors);
        json_whole(&json, "cells", line.facts.cells);
        json_whole(&json, "missing", line.facts.missing);
        json_array(&json, "sentinels");
        for (size_t k = 0; k < line.facts.sentinels; k++)
            json_real(&json, NULL, line.facts.sentinel[k]);
        json_close(&json);
        json_bool(&json, "gives_away", line.facts.tells);
        json_text(&json, "remarks", line.remarks);
        json_close(&json);
        free(line.errors);
    }
    json_close(&json);
    json_close(&json);
}

/* Classes too small to learn, of a label of few texts. */
static void say_classes(const struct fit *fit, const struct table_input *input) {
    const struct target *target = &input->target;
    if (!target->count || !task_has_one_class(fit->task))
        return;
    struct nim_column_facts facts;
    struct name_list small = {0};
    struct complaint ignored;
    char names[256];
    nim_judge_facts(input->judge, target->column[0], &facts);
    for (size_t k = 0; facts.words <= NIM_MOST_WORDS && k < facts.words; k++) {
        size_t cells;
        const char *word = nim_judge_word(input->judge, target->column[0], k, &cells);
        if (cells < FEW_ROWS)
            name_list_add(&small, word, strlen(word), &ignored);
    }
    name_list_show(&small, 8, names, sizeof names);
    if (small.count)
        say(fit->arguments, "%s with fewer than %d rows: %s; --classes names the classes to use",
            fit->task->many, FEW_ROWS, names);
    name_list_free(&small);
}

/* Of a fit of the rows that were judged; NaN without a target. */
static double time_fit(const struct fit *fit, struct table_input *input) {
    const struct target *target = &input->target;
    struct nim_column_facts facts;
    if (!target->count)
        return (double)NAN;
    nim_judge_facts(input->judge, target->column[0], &facts);
    size_t classes = target->classes.name.count;
    if (!classes && task_has_classes(fit->task))
        classes = facts.text ? facts.words : facts.different;
    return duration_of_fit(fit, input, facts.cells - facts.missing, classes);
}

static void say_time(const struct fit *fit, double seconds) {
    if (seconds < 100.0)
        say(fit->arguments, "a fit takes roughly %.0f s on this machine", fmax(seconds, 1.0));
    else if (seconds >= 100.0)
        say(fit->arguments, "a fit takes roughly %.0f %s on this machine",
            seconds / (seconds < 6000.0 ? 60.0 : 3600.0), seconds < 6000.0 ? "minutes" : "hours");
}

static void report(const struct fit *fit, struct table_input *input) {
    struct nim_column_facts facts;
    bool named = fit->plan.table.features != NULL;
    double seconds = time_fit(fit, input);
    nim_judge_facts(input->judge, 0, &facts);
    if (argument_given(fit->arguments, "json")) {
        print_json(input, named, seconds);
        return;
    }
    print_columns(input, named);
    size_t errors = 0;
    for (size_t j = 0; j < input->columns.count; j++)
        errors += feature_has_errors(&input->columns.feature[j]);
    say(fit->arguments, "%zu feature%s, %zu of them with errors; judged by %zu row%s",
        input->columns.count, plural_s(input->columns.count), errors, facts.cells,
        plural_s(facts.cells));
    say_classes(fit, input);
    say_time(fit, seconds);
}

static bool check(struct fit *fit, struct complaint *complaint) {
    struct table_input input = {0};
    struct complaint why = {.text = ""};
    bool fine = fit_settle_new(fit, complaint) && team_can_read(fit->table, complaint) &&
                fit_open_table(fit, false, &input, complaint);
    /* Without a label the columns are worth knowing all the same. */
    if (!fine && fit->options && complaint->kind == BAD_INPUT && !input.target.count &&
        !fit->request.text[REQUEST_LABEL] && input.judge) {
        why = *complaint;
        table_input_close(&input);
        fine = fit_open_table(fit, true, &input, complaint);
    }
    if (fine && team_leads())
        report(fit, &input);
    if (fine && *why.text)
        say(fit->arguments, "%s", why.text);
    table_input_close(&input);
    return fine;
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct fit fit = {.arguments = arguments, .table = argument_operand(arguments, 0)};
    bool fine = check(&fit, complaint);
    fit_free(&fit);
    return fine;
}

const struct command command_check = {
    .name = "check",
    .summary = "Says what the columns of a table are",
    .operands = "TABLE",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Prints, for every column of TABLE, what fit would take it for: a feature with its errors, "
        "errors, an identifier, text, and so on; and what is odd about its cells: numbers that "
        "mean "
        "missing, constants, errors that are zero or larger than the spread of the values, columns "
        "that alone nearly give the label away. Some steps are timed, to say how long a fit takes; "
        "nothing is kept of them. The first 1048576 rows are judged.",
    .examples = "# Before a first fit\n"
                "nimgp check stars.csv --label class\n"
                "# For another program\n"
                "nimgp check stars.csv --label class --json\n",
    .options = options,
    .run = run,
};
