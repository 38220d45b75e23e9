/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/training_report.h"

#include "cli/training/columns_report.h"

#include "cli/rows/input_report.h"
#include "cli/terminal/grid.h"
#include "cli/terminal/team.h"
#include "text/ascii.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    const struct training_table *training;
    const struct training_plan *plan;
    const struct arguments *arguments;
};

static void say_range_of_exposure(const struct report *report) {
    const struct training_table *training = report->training;
    const double *exposure = training->set.targets.exposure;
    double least = exposure[0], most = least;
    for (size_t i = 0; i < training->set.rows; i++) {
        least = fmin(least, exposure[i]);
        most = fmax(most, exposure[i]);
    }
    say(report->arguments, "exposure is column '%s', from %.4g to %.4g",
        table_column_name(training->input.table, (size_t)training->input.target.exposure), least,
        most);
}

/* The exposure, or a column with that name that is used as a feature. */
static void say_exposure(const struct report *report) {
    const struct training_table *training = report->training;
    if (training->input.target.task->predicts != PREDICTS_COUNT)
        return;
    if (training->input.target.exposure != NO_COLUMN) {
        say_range_of_exposure(report);
        return;
    }
    for (size_t j = 0; j < training->input.columns.count; j++) {
        const char *name =
            feature_column(&training->input.columns.feature[j], training->input.table);
        if (ascii_same(name, "exposure"))
            say(report->arguments,
                "column '%s' is used as a feature; --exposure %s makes it the exposure", name,
                name);
    }
}

static void say_errors_of_target(const struct report *report) {
    const struct training_table *training = report->training;
    const struct feature *target = training->input.columns.target;
    char *names = feature_errors(target, training->input.table);
    size_t none = 0;
    for (size_t i = 0; i < training->set.rows; i++)
        none += training->set.targets.error[i] == 0.0;
    char some[64] = "";
    if (none)
        snprintf(some, sizeof some, ", missing or zero in %zu row%s", none, plural_s(none));
    say(report->arguments, "errors of the target: %s%s; --errors %s= learns without them",
        names ? names : "", some, target->name);
    free(names);
}

static void say_target(const struct report *report) {
    const struct training_table *training = report->training;
    const struct target *target = &training->input.target;
    const struct name_list *unused = &training->input.columns.without[NIM_UNUSED_ERRORS];
    char names[256];
    if (target->chosen)
        say(report->arguments, "the %s is column '%s'%s; --label chooses another",
            target->task->role, table_column_name(training->input.table, target->column[0]),
            table_find(training->input.table, target->task->column) == NO_COLUMN ? ", the last one"
                                                                                 : "");
    report_cut_short(training->input.table, report->arguments);
    name_list_show(unused, 4, names, sizeof names);
    if (target->measured)
        say_errors_of_target(report);
    else if (unused->count)
        say(report->arguments, "the errors of the target (%s) are not used; its noise is learned",
            names);
}

static void show_errors(const struct report *report, const struct feature *feature,
                        struct grid *grid) {
    bool errors = feature_has_errors(feature);
    char *text = errors ? feature_errors(feature, report->training->input.table) : NULL;
    grid_cell(grid, "%s%s", text ? text : "-",
              errors && !report->plan->uses_errors ? " (not used)" : "");
    free(text);
}

/* Whether some errors are zero or missing, so that it is worth two columns to say so. */
static bool has_odd_errors(const struct report *report) {
    const struct rows *rows = &report->training->input.rows;
    for (size_t j = 0; report->plan->uses_errors && j < rows->columns->count; j++)
        if (rows->exact[j] || rows->unknown[j])
            return true;
    return false;
}

static void show_feature(const struct report *report, size_t j, bool odd, struct grid *grid) {
    const struct training_table *training = report->training;
    const struct feature *feature = &training->input.columns.feature[j];
    const char *unit = table_column(training->input.table, (size_t)feature->value.column)->unit;
    grid_cell(grid, "%s", feature->name);
    show_errors(report, feature, grid);
    grid_cell(grid, "%zu", training->input.rows.missing[j]);
    if (odd) {
        grid_cell(grid, "%zu", training->input.rows.exact[j]);
        grid_cell(grid, "%zu", training->input.rows.unknown[j]);
    }
    grid_cell(grid, "%s", unit ? unit : "");
}

static void say_columns(const struct report *report) {
    const struct training_table *training = report->training;
    size_t count = training->input.columns.count;
    if (argument_given(report->arguments, "quiet") || !team_leads())
        return;
    bool odd = has_odd_errors(report);
    struct grid *grid = grid_create(odd ? "llrrrl" : "llrl");
    grid_cell(grid, "feature");
    grid_cell(grid, "error");
    grid_cell(grid, "missing");
    if (odd) {
        grid_cell(grid, "zero errors");
        grid_cell(grid, "unknown errors");
    }
    grid_cell(grid, "unit");
    for (size_t j = 0; j < count; j++) {
        j += grid_pass_over(grid, j, count);
        show_feature(report, j, odd, grid);
    }
    grid_print(grid, stderr);
}

/* Which other columns say something of the measurements. */
static void say_shapes(const struct report *report) {
    const struct training_table *training = report->training;
    const struct columns *columns = &training->input.columns;
    size_t limits = 0;
    for (size_t i = 0; training->set.shapes.limited && i < training->set.rows * columns->count; i++)
        limits += training->set.shapes.limit[i] != 0;
    if (limits)
        say(report->arguments, "%zu value%s %s limit%s", limits, plural_s(limits),
            limits == 1 ? "is a" : "are", plural_s(limits));
    if (columns->correlations)
        say(report->arguments, "errors are correlated: %zu column%s, such as %s",
            columns->correlations, plural_s(columns->correlations),
            table_column_name(training->input.table, columns->correlation[0].column));
}

/* The hint that there is such a thing as --log auto. */
static void say_skewed(const struct report *report) {
    const struct training_table *training = report->training;
    char text[512] = "";
    size_t used = 0;
    if (report->plan->table.model || report->plan->table.log)
        return;
    for (size_t j = 0; j < training->input.columns.count && used < sizeof text; j++)
        if (training_table_wants_log(training, j)) {
            int more = snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                training->input.columns.feature[j].name);
            used += more > 0 ? (size_t)more : sizeof text;
        }
    if (used)
        say(report->arguments, "positive and skewed: %s%s; --log auto would use the logarithm",
            text, used < sizeof text ? "" : "...");
}

/* "from -1.2 to 3, mean 0.4" */
static void describe_numbers(const struct training_table *training, char *text, size_t size) {
    double least = training->set.targets.y[0], most = least, mean = 0.0;
    for (size_t i = 0; i < training->set.rows; i++) {
        double y = training->set.targets.y[i];
        least = y < least ? y : least;
        most = y > most ? y : most;
        mean += (y - mean) / (double)(i + 1);
    }
    snprintf(text, size, "%s from %.4g to %.4g, mean %.4g",
             table_column_name(training->input.table, training->input.target.column[0]), least,
             most, mean);
}

static void say_rows(const struct report *report) {
    const struct training_table *training = report->training;
    const struct name_list *name = &training->input.target.classes.name;
    char text[512] = "";
    size_t used = 0;
    if (!task_has_classes(training->input.target.task))
        describe_numbers(training, text, sizeof text);
    for (size_t c = 0; c < name->count && used < sizeof text; c++) {
        int more = snprintf(text + used, sizeof text - used, "%s%s: %zu", c ? ", " : "",
                            name->item[c], training->class_rows[c]);
        used += more > 0 ? (size_t)more : sizeof text;
    }
    say(report->arguments, "%zu row%s; %s%s", training->set.rows, plural_s(training->set.rows),
        text, used < sizeof text ? "" : "...");
}

/* Pairs of classes that are probably one. */
static bool say_case(const struct report *report, struct complaint *complaint) {
    const struct name_list *name = &report->training->input.target.classes.name;
    struct name_list pairs = {0};
    char text[256];
    bool fine = true;
    for (size_t a = 0; fine && a < name->count; a++)
        for (size_t b = a + 1; fine && b < name->count; b++)
            if (ascii_same(name->item[a], name->item[b])) {
                snprintf(text, sizeof text, "%.100s/%.100s", name->item[a], name->item[b]);
                fine = name_list_add(&pairs, text, strlen(text), complaint);
            }
    name_list_show(&pairs, 4, text, sizeof text);
    if (fine && pairs.count)
        say(report->arguments, "%s differ only in case (%s); --ignore-case merges them",
            report->training->input.target.task->many, text);
    name_list_free(&pairs);
    return fine;
}

enum { FEW_ROWS = 5 };

static bool say_small(const struct report *report, struct complaint *complaint) {
    const struct training_table *training = report->training;
    struct name_list small = {0};
    char text[256];
    bool fine = true;
    for (size_t c = 0; fine && c < training->input.target.classes.name.count; c++) {
        const char *name = training->input.target.classes.name.item[c];
        if (training->class_rows[c] < FEW_ROWS)
            fine = name_list_add(&small, name, strlen(name), complaint);
    }
    name_list_show(&small, 8, text, sizeof text);
    if (fine && small.count)
        say(report->arguments, "%s with fewer than %d rows: %s%s",
            training->input.target.task->many, FEW_ROWS, text,
            task_has_one_class(training->input.target.task) ? "; --classes names the classes to use"
                                                            : "");
    name_list_free(&small);
    return fine;
}

/* Unusual classes, if --classes was not given. */
static bool say_odd_classes(const struct report *report, struct complaint *complaint) {
    bool one = task_has_one_class(report->training->input.target.task);
    return report->plan->table.model ||
           ((!one || say_case(report, complaint)) && say_small(report, complaint));
}

static void say_noise(const struct report *report) {
    const struct training_plan *plan = report->plan;
    bool errors = training_set_has_errors(&report->training->set);
    if (plan->table.model)
        return;
    if (errors && !plan->uses_errors)
        say(report->arguments, "with --%s the error columns are not used",
            plan->exact_inputs ? "input exact" : "noise learned");
    else if (!errors && !plan->exact_inputs && !plan->noise_was_chosen)
        say(report->arguments, "no error columns, so all values count as exact; --errors names the "
                               "columns, --noise learned learns the noise of each feature");
}

static void say_store(const struct report *report) {
    const struct training_set *set = &report->training->set;
    const double mega = 1024.0 * 1024.0;
    if (training_set_in_file(set))
        say(report->arguments,
            "the rows need %.4g MB and --memory is %.4g MB: they are in a temporary file in %s",
            (double)training_set_bytes(set) / mega, (double)report->plan->memory / mega,
            cell_store_directory());
    else if (set->mapped.cell)
        say(report->arguments, "the rows, %.4g MB, are mapped from %s and not copied",
            (double)training_set_bytes(set) / mega, table_path(report->training->input.table));
}

bool training_report(const struct training_table *training, const struct training_plan *plan,
                     const struct arguments *arguments, struct complaint *complaint) {
    struct report report = {training, plan, arguments};
    say_target(&report);
    say_exposure(&report);
    say_columns(&report);
    say_shapes(&report);
    columns_report(training, plan, arguments);
    say_skewed(&report);
    say_rows(&report);
    say_store(&report);
    if (!say_odd_classes(&report, complaint))
        return false;
    say_noise(&report);
    return true;
}
