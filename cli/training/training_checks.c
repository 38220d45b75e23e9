/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/training_checks.h"

#include "text/nearest.h"

#include <stdio.h>

static bool complain_of_absent(const struct training_table *training, const char *class,
                               struct complaint *complaint) {
    const struct name_list *others = &training->input.target.others.name;
    struct nearest nearest = {.word = class};
    for (size_t i = 0; i < others->count; i++)
        nearest_try(&nearest, others->item[i]);
    return complain(complaint, BAD_INPUT, "%s: column %s: no rows of %s '%s'%s%s%s",
                    table_path(training->input.table),
                    table_column_name(training->input.table, training->input.target.column[0]),
                    training->input.target.task->one, class,
                    nearest.found ? "; did you mean '" : "", nearest.found ? nearest.found : "",
                    nearest.found ? "'?" : "");
}

/* "all 7 rows have" or "the only row has" */
static void describe_all(size_t rows, char *text, size_t size) {
    if (rows == 1)
        snprintf(text, size, "the only row has");
    else
        snprintf(text, size, "all %zu rows have", rows);
}

/* Classes and levels: two at least, and rows of each. */
static bool check_classes(const struct training_table *training, const struct training_plan *plan,
                          struct complaint *complaint) {
    const struct task *task = training->input.target.task;
    const struct name_list *name = &training->input.target.classes.name;
    const char *path = table_path(training->input.table),
               *label = table_column_name(training->input.table, training->input.target.column[0]);
    enum column_kind kind =
        table_column(training->input.table, training->input.target.column[0])->kind;
    char all[64];
    describe_all(training->set.rows, all, sizeof all);
    if (name->count == 1)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %s the label '%s'; expected at least two %s", path, label,
                        all, name->item[0], task->many);
    if (name->count > 2 && plan->two_classes_only)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %zu classes; --likelihood probit expects 2 classes, "
                        "softmax takes any number",
                        path, label, name->count);
    if (name->count > 2 && 2 * name->count > training->set.rows)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %zu different labels in %zu rows; expected %s with several "
                        "rows each (--label chooses another column%s)",
                        path, label, name->count, training->set.rows, task->many,
                        kind == COLUMN_NUMBER ? ", --task regress learns numbers" : "");
    for (size_t c = 0; c < name->count; c++)
        if (!training->class_rows[c])
            return complain_of_absent(training, name->item[c], complaint);
    return true;
}

/* A target that is the same everywhere has nothing to teach. */
static bool check_numbers(const struct training_table *training, struct complaint *complaint) {
    const double *y = training->set.targets.y;
    char all[64];
    size_t i = 0;
    describe_all(training->set.rows, all, sizeof all);
    while (i < training->set.rows && y[i] == y[0])
        i++;
    return i < training->set.rows || training->input.target.task->predicts == PREDICTS_COUNT ||
           complain(complaint, BAD_INPUT,
                    "%s: column %s: %s the value %g; expected numbers that differ",
                    table_path(training->input.table),
                    table_column_name(training->input.table, training->input.target.column[0]), all,
                    y[0]);
}

bool training_check_targets(const struct training_table *training, const struct training_plan *plan,
                            struct complaint *complaint) {
    char where[320];
    target_describe(&training->input.target, training->input.table, where, sizeof where);
    if (rows_all_filtered(&training->input.rows))
        return complain(complaint, BAD_INPUT, "%s: no row satisfies --where",
                        table_path(training->input.table));
    if (!training->set.rows)
        return complain(
            complaint, BAD_INPUT, "%s: no rows to learn from; expected rows with a %s in %s",
            table_path(training->input.table), training->input.target.task->role, where);
    if (task_has_one_class(training->input.target.task))
        return check_classes(training, plan, complaint);
    return task_has_classes(training->input.target.task) || check_numbers(training, complaint);
}
