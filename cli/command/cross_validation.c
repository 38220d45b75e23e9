/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/cross_validation.h"

#include "cli/command/output_table.h"
#include "cli/model/files.h"
#include "cli/terminal/interrupt.h"
#include "cli/training/folds.h"
#include "cli/training/progress.h"
#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- groups ---------------------- */

/* The name of a row's group. */
struct group_name {
    const char *text;
    size_t row;
};

static int by_name(const void *left, const void *right) {
    const struct group_name *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

/* group (rows) from the names; a row without a name is one group. Returns their number. */
static size_t number_groups(size_t rows, struct group_name *name, size_t *group) {
    size_t groups = 0;
    qsort(name, rows, sizeof *name, by_name);
    for (size_t i = 0; i < rows; i++) {
        bool same = i && name[i].text[0] && strcmp(name[i].text, name[i - 1].text) == 0;
        groups += !same;
        group[name[i].row] = groups - 1;
    }
    return groups;
}

/* Reads the table again for the group names of all rows with a target. */
static bool read_names(const struct fit *fit, const char *column_name, struct name_list *names,
                       struct complaint *complaint) {
    struct name_list conditions = {0};
    struct table_request request = fit->plan.table;
    struct table_input input = {0};
    const char *where = fit->request.text[REQUEST_WHERE];
    size_t column = 0;
    request.without_features = true;
    request.conditions = &conditions;
    bool fine = (!where || name_list_split(&conditions, where, "--where", complaint)) &&
                table_input_open(&input, &request, complaint) &&
                column_find(input.table, column_name, &column, complaint);
    do {
        fine = fine && rows_next(&input.rows, complaint);
        for (size_t k = 0; fine && k < input.rows.count; k++) {
            struct span label;
            fine = table_label(input.table, input.rows.place[k], column, &label, complaint) &&
                   name_list_add(names, label.text, label.length, complaint);
        }
    } while (fine && input.rows.count);
    table_input_close(&input);
    name_list_free(&conditions);
    return fine;
}

static bool complain_of_change(const char *table, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: the rows changed while the file was read", table);
}

static bool find_groups(const struct cross_validation *validation, const char *column,
                        size_t *group, size_t *groups, struct complaint *complaint) {
    const struct fit *fit = &validation->fit;
    struct name_list names = {0};
    struct group_name *name = calloc(validation->rows + 1, sizeof *name);
    bool fine = name ? read_names(fit, column, &names, complaint) : complain_of_memory(complaint);
    if (fine && names.count != validation->rows)
        fine = complain_of_change(fit->table, complaint);
    for (size_t i = 0; fine && i < names.count; i++)
        name[i] = (struct group_name){names.item[i], i};
    if (fine)
        *groups = number_groups(validation->rows, name, group);
    if (fine && *groups < validation->folds)
        fine = complain(complaint, BAD_INPUT, "%s: column %s: %zu group%s; too few for --folds %zu",
                        fit->table, column, *groups, plural_s(*groups), validation->folds);
    free(name);
    name_list_free(&names);
    return fine;
}

/* ---------------------------------------------------------------- folds ----------------------- */

static bool deal(struct cross_validation *validation, const char *column,
                 struct complaint *complaint) {
    const struct fit *fit = &validation->fit;
    const struct training_set *set = &fit->training.set;
    struct fold_plan plan = {.rows = validation->rows,
                             .folds = validation->folds,
                             .classes = fit->training.input.target.classes.name.count,
                             .class = set->targets.classed ? set->targets.class : NULL,
                             .seed = fit->plan.seed};
    size_t *group = column ? calloc(plan.rows + 1, sizeof *group) : NULL;
    validation->fold_of = calloc(plan.rows + 1, sizeof *validation->fold_of);
    bool fine = (validation->fold_of && (group || !column)) || complain_of_memory(complaint);
    if (fine && plan.rows < plan.folds)
        fine = complain(complaint, BAD_INPUT, "%s: %zu row%s; too few for --folds %zu", fit->table,
                        plan.rows, plural_s(plan.rows), plan.folds);
    if (fine && column) {
        fine = find_groups(validation, column, group, &plan.groups, complaint);
        plan.group = group;
    }
    fine = fine && (folds_deal(&plan, validation->fold_of) || complain_of_memory(complaint));
    free(group);
    return fine;
}

/* All rows but those of one fold. */
static bool set_without(const struct cross_validation *validation, size_t fold,
                        struct training_set *set, struct complaint *complaint) {
    if (!training_set_like(set, &validation->fit.training.set, validation->rows, complaint))
        return false;
    for (size_t i = 0; i < validation->rows; i++)
        if (validation->fold_of[i] != fold)
            training_set_append_row(set, &validation->fit.training.set, i);
    return true;
}

static int stop_when_interrupted(const nim_progress *progress, void *context) {
    (void)progress;
    (void)context;
    return interrupted();
}

static bool learn_fold(struct cross_validation *validation, size_t fold,
                       struct complaint *complaint) {
    struct fit *fit = &validation->fit;
    struct training_set set = {0};
    double start = seconds_now();
    nim_error error = {0};
    bool fine = set_without(validation, fold, &set, complaint);
    nim_data data = training_set_data(&set);
    size_t rows = set.rows;
    fine = fine && fit_make_model(fit, &data, complaint) && fit_take_notes(fit, complaint);
    nim_model *model = validation->model[fold] = fit->model; /* ours from here on */
    fit->model = NULL;
    if (fine && nim_model_train(model, &data, stop_when_interrupted, NULL, &error) == NIM_CANCELLED)
        fine = complain(complaint, INTERRUPTED, "interrupted");
    else if (fine && error.status != NIM_OK)
        fine = file_complain(complaint, fit->table, &error);
    fine = fine && (nim_predictor_create(model, &validation->predictor[fold], &error) == NIM_OK ||
                    file_complain(complaint, fit->table, &error));
    training_set_free(&set);
    if (fine)
        say(fit->arguments, "fold %zu of %zu: learned from %zu rows in %.1f s", fold + 1,
            validation->folds, rows, seconds_now() - start);
    return fine;
}

/* --output and --keep-only, before the training starts. */
static bool check_output(const struct arguments *arguments, struct table *table,
                         struct complaint *complaint) {
    const char *path = argument_text(arguments, "output");
    struct output_table output = {0};
    bool fine = !path || strcmp(path, "-") == 0 ||
                (file_check_apart(path, table_path(table), complaint) &&
                 table_writer_knows(path, complaint) && file_check_output(path, complaint));
    fine = fine && output_table_choose(&output, arguments, table, 0, NULL, complaint);
    output_table_free(&output);
    return fine;
}

bool cross_validation_learn(struct cross_validation *validation, const struct arguments *arguments,
                            const char *table, struct complaint *complaint) {
    struct fit *fit = &validation->fit;
    const char *groups = argument_text(arguments, "groups");
    *fit = (struct fit){.arguments = arguments,
                        .table = table,
                        .like = argument_text(arguments, "like"),
                        .aside = {groups, argument_text(arguments, "weights")}};
    if (strcmp(table, "-") == 0)
        return complain(complaint, BAD_USAGE,
                        "evaluate: --folds reads the table twice, so it cannot be standard input");
    if (!argument_whole(arguments, "folds", 2, 1000, &validation->folds, complaint) ||
        !fit_settle_new(fit, complaint) || !fit_read_table(fit, complaint) ||
        !check_output(arguments, fit->training.input.table, complaint))
        return false;
    validation->rows = fit->training.set.rows;
    validation->model = calloc(validation->folds, sizeof *validation->model);
    validation->predictor = calloc(validation->folds, sizeof *validation->predictor);
    if (!validation->model || !validation->predictor)
        return complain_of_memory(complaint);
    bool fine = deal(validation, groups, complaint);
    for (size_t fold = 0; fine && fold < validation->folds; fold++)
        fine = learn_fold(validation, fold, complaint);
    return fine;
}

/* ---------------------------------------------------------------- predicting ------------------ */

static bool make_room(struct cross_validation *validation, struct complaint *complaint) {
    if (validation->place)
        return true;
    validation->place = calloc(ROWS_BLOCK, sizeof *validation->place);
    return (validation->place &&
            predictions_create(&validation->answers, validation->model[0], 0, ROWS_BLOCK, true) &&
            training_set_like(&validation->part, &validation->fit.training.set, ROWS_BLOCK,
                              complaint)) ||
           complain_of_memory(complaint);
}

static bool predict_fold(struct cross_validation *validation, size_t fold, const struct rows *rows,
                         struct predictions *predictions, struct complaint *complaint) {
    const struct training_set whole = training_set_of(rows);
    struct training_set *part = &validation->part;
    part->rows = 0;
    for (size_t k = 0; k < rows->count; k++)
        if (validation->fold_of[validation->next + k] == fold) {
            validation->place[part->rows] = k;
            training_set_append_row(part, &whole, k);
        }
    if (!part->rows)
        return true;
    nim_data data = training_set_data(part);
    data.weights = NULL; /* which were for learning */
    nim_error error;
    if (predictions_make(&validation->answers, validation->predictor[fold], &data, &error) !=
        NIM_OK)
        return file_complain(complaint, validation->fit.table, &error);
    predictions_scatter(&validation->answers, validation->place, predictions);
    return true;
}

bool cross_validation_predict(struct cross_validation *validation, const struct rows *rows,
                              struct predictions *predictions, struct complaint *complaint) {
    nim_data data = rows_data(rows);
    if (validation->next + rows->count > validation->rows)
        return complain_of_change(validation->fit.table, complaint);
    bool fine = make_room(validation, complaint);
    for (size_t fold = 0; fine && fold < validation->folds; fold++)
        fine = predict_fold(validation, fold, rows, predictions, complaint);
    predictions->label = data.labels;
    predictions->y = data.targets;
    predictions->rows = rows->count;
    validation->next += rows->count;
    return fine;
}

void cross_validation_free(struct cross_validation *validation) {
    for (size_t fold = 0; fold < validation->folds; fold++) {
        if (validation->predictor)
            nim_predictor_free(validation->predictor[fold]);
        if (validation->model)
            nim_model_free(validation->model[fold]);
    }
    free(validation->predictor);
    free(validation->model);
    free(validation->fold_of);
    free(validation->place);
    training_set_free(&validation->part);
    predictions_free(&validation->answers);
    fit_free(&validation->fit);
}
