/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/training_table.h"

#include "cli/training/class_weights.h"
#include "cli/training/training_checks.h"
#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

static bool count_classes(struct training_table *training, struct complaint *complaint) {
    size_t classes = training->input.target.classes.name.count;
    const struct target_values *targets = &training->set.targets;
    free(training->class_rows);
    training->class_rows = calloc(classes + 1, sizeof *training->class_rows);
    for (size_t i = 0; training->class_rows && i < training->set.rows; i++)
        if (targets->classed)
            training->class_rows[targets->class[i]]++;
        else
            for (size_t c = 0; c < classes; c++)
                training->class_rows[c] += targets->y[i * classes + c] > 0.0;
    return training->class_rows || complain_of_memory(complaint);
}

/* ---------------------------------------------------------------- features -------------------- */

static bool complain_of_empty(const struct training_table *training, size_t j,
                              struct complaint *complaint) {
    return complain(complaint, BAD_INPUT,
                    "%s: column %s: all values are missing or have no logarithm; expected numbers",
                    table_path(training->input.table),
                    feature_column(&training->input.columns.feature[j], training->input.table));
}

/* Columns without any value are left out, unless they were named. */
static bool drop_empty(struct training_table *training, const struct training_plan *plan,
                       struct complaint *complaint) {
    struct columns *columns = &training->input.columns;
    size_t left = 0;
    bool *wanted = calloc(columns->count, sizeof *wanted);
    if (!wanted)
        return complain_of_memory(complaint);
    for (size_t j = 0; j < columns->count; j++)
        left += wanted[j] = training->input.rows.missing[j] < training->set.rows;
    size_t empty = 0;
    while (empty < columns->count && wanted[empty])
        empty++;
    bool chosen = plan->table.model || plan->table.features;
    bool fine = empty == columns->count || (left && !chosen) ||
                complain_of_empty(training, empty, complaint);
    if (fine && left < columns->count) {
        training_set_keep(&training->set, wanted);
        left = 0;
        for (size_t j = 0; j < columns->count; j++) {
            if (wanted[j]) {
                training->input.rows.missing[left] = training->input.rows.missing[j];
                training->input.rows.nonpositive[left] = training->input.rows.nonpositive[j];
                training->input.rows.exact[left] = training->input.rows.exact[j];
                training->input.rows.unknown[left] = training->input.rows.unknown[j];
                columns->feature[left++] = columns->feature[j];
                continue;
            }
            const char *name = columns->feature[j].name;
            fine = fine &&
                   name_list_add(&columns->without[NIM_NOTHING], name, strlen(name), complaint);
            feature_free(&columns->feature[j]);
        }
        columns->count = left;
    }
    free(wanted);
    return fine;
}

bool training_table_wants_log(const struct training_table *training, size_t j) {
    const struct feature *feature = &training->input.columns.feature[j];
    return feature->form == FORM_COLUMN &&
           !nim_name_is_log(feature_column(feature, training->input.table)) &&
           training_set_skewed(&training->set, j);
}

/* --log auto */
static bool take_logs(struct training_table *training, const struct training_plan *plan,
                      struct complaint *complaint) {
    const char *wish = plan->table.log;
    if (plan->table.model || !wish || strcmp(wish, "auto") != 0)
        return true;
    for (size_t j = 0; j < training->input.columns.count; j++) {
        struct feature *feature = &training->input.columns.feature[j];
        if (!training_table_wants_log(training, j))
            continue;
        if (!feature_take_log(feature, complaint))
            return false;
        size_t lost;
        if (!training_set_take_log(&training->set, j, &lost, complaint))
            return false;
        training->input.rows.nonpositive[j] += lost;
        training->input.rows.missing[j] += lost;
    }
    return true;
}

/* ---------------------------------------------------------------- all of it ------------------- */

/* Classes that were not given are ordered when all are known. */
static bool order_classes(struct training_table *training, struct complaint *complaint) {
    struct target *target = &training->input.target;
    return target_check_order(target, training->input.table, complaint) &&
           (!task_has_one_class(target->task) || target->classes.closed ||
            classes_order(&target->classes, training->set.rows, training->set.targets.class,
                          complaint));
}

bool training_table_read(struct training_table *training, const struct training_plan *plan,
                         struct complaint *complaint) {
    training->set.memory = plan->memory;
    return table_input_open(&training->input, &plan->table, complaint) &&
           training_set_read(&training->set, &training->input.rows, plan->table.weights,
                             complaint) &&
           order_classes(training, complaint) && count_classes(training, complaint) &&
           training_check_targets(training, plan, complaint) &&
           class_weights_apply(training, plan->class_weight, complaint) &&
           drop_empty(training, plan, complaint) && take_logs(training, plan, complaint) &&
           (!(plan->held_out_share > 0.0) || training_set_own_cells(&training->set, complaint));
}

bool training_table_hold_out(struct training_table *training, const struct training_plan *plan,
                             struct complaint *complaint) {
    rows_free(&training->input.rows);
    if (!(plan->held_out_share > 0.0))
        return true;
    if (!training_set_hold_out(&training->set, training->input.target.classes.name.count,
                               plan->held_out_share, plan->seed, &training->held_out, complaint))
        return false;
    if (!training->held_out.rows)
        return complain(complaint, BAD_USAGE,
                        "fit: --validation %g of %zu row%s holds out no rows; give a larger share",
                        plan->held_out_share, training->set.rows, plural_s(training->set.rows));
    return count_classes(training, complaint);
}

void training_table_free(struct training_table *training) {
    table_input_close(&training->input);
    training_set_free(&training->set);
    training_set_free(&training->held_out);
    free(training->class_rows);
}
