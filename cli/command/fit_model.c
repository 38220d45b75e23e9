/* SPDX-License-Identifier: Apache-2.0 */
/* From a table to a model of a fit: rows, names, notes and the population. */
#define _POSIX_C_SOURCE 200809L
#include "cli/command/fit.h"
#include "cli/model/files.h"
#include "cli/rows/input_report.h"
#include "cli/rows/units.h"
#include "cli/training/training_report.h"
#include "text/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool name_parts(struct fit *fit, struct complaint *complaint) {
    const struct columns *columns = &fit->training.input.columns;
    const struct name_list *classes = &fit->training.input.target.classes.name;
    nim_error error;
    const char **names = calloc(columns->count, sizeof *names);
    if (!names)
        return complain_of_memory(complaint);
    for (size_t j = 0; j < columns->count; j++)
        names[j] = columns->feature[j].name;
    bool fine =
        nim_model_name_attributes(fit->model, names, &error) == NIM_OK &&
        (!classes->count ||
         nim_model_name_classes(fit->model, (const char *const *)classes->item, &error) == NIM_OK);
    free(names);
    if (error.status == NIM_INVALID_ARGUMENT) /* names come from the table */
        error.status = NIM_BAD_DATA;
    return fine || file_complain(complaint, fit->table, &error);
}

/* "--label log(mass)" is a lower bound of 0. */
static bool bound_target(struct fit *fit, struct complaint *complaint) {
    char lowest[64];
    nim_error error;
    nim_options_get(fit->options, "lowest", lowest, sizeof lowest, NULL);
    if (!fit->training.input.target.positive || strcmp(lowest, "0") == 0)
        return true;
    if (strcmp(lowest, "-inf") != 0)
        return complain(complaint, BAD_USAGE,
                        "fit: a logarithm as label is --lowest 0; omit --lowest %s", lowest);
    return nim_options_set(fit->options, "lowest", "0", &error) == NIM_OK ||
           complain_of(complaint, &error);
}

bool fit_make_model(struct fit *fit, const nim_data *data, struct complaint *complaint) {
    nim_error error;
    char classes[32];
    snprintf(classes, sizeof classes, "%zu", fit->training.input.target.classes.name.count);
    if (!bound_target(fit, complaint))
        return false;
    if (nim_options_set(fit->options, "classes", classes, &error) != NIM_OK ||
        nim_model_create(fit->options, data, &fit->model, &error) != NIM_OK)
        return file_complain(complaint, fit->table, &error);
    return name_parts(fit, complaint);
}

static char *joined_units(const struct training_table *training) {
    struct name_list units = {0};
    struct complaint ignored;
    bool any = false, fine = true;
    for (size_t j = 0; fine && j < training->input.columns.count; j++) {
        const char *unit = table_column(training->input.table,
                                        (size_t)training->input.columns.feature[j].value.column)
                               ->unit;
        any = any || unit;
        fine = name_list_add(&units, unit ? unit : "", unit ? strlen(unit) : 0, &ignored);
    }
    char *text = fine && any ? name_list_join(&units) : NULL;
    name_list_free(&units);
    return text;
}

static char *joined_rows(const struct training_table *training) {
    struct name_list rows = {0};
    struct complaint ignored;
    bool fine = true;
    for (size_t c = 0; fine && c < training->input.target.classes.name.count; c++) {
        char count[32];
        snprintf(count, sizeof count, "%zu", training->class_rows[c]);
        fine = name_list_add(&rows, count, strlen(count), &ignored);
    }
    char *text = fine ? name_list_join(&rows) : NULL;
    name_list_free(&rows);
    return text;
}

/* The column, or a list of them. */
static char *joined_labels(const struct training_table *training) {
    const struct target *target = &training->input.target;
    struct name_list names = {0};
    struct complaint ignored;
    bool fine = true;
    if (target->task->predicts != PREDICTS_LABELS)
        return strdup(table_column_name(training->input.table, target->column[0]));
    for (size_t i = 0; fine && i < target->count; i++) {
        const char *name = table_column_name(training->input.table, target->column[i]);
        fine = name_list_add(&names, name, strlen(name), &ignored);
    }
    char *text = fine ? name_list_join(&names) : NULL;
    name_list_free(&names);
    return text;
}

/* Nothing of time or place, so that the same fit leaves the same bytes. */
bool fit_take_notes(struct fit *fit, struct complaint *complaint) {
    const struct training_table *training = &fit->training;
    char held[32], *errors = columns_errors(&training->input.columns, training->input.table);
    char *units = joined_units(training), *rows = joined_rows(training),
         *label = joined_labels(training);
    snprintf(held, sizeof held, "%zu", training->held_out.rows);
    const struct {
        const char *key, *text;
    } notes[] = {
        {NOTE_TABLE, strcmp(fit->table, "-") == 0 ? "standard input" : file_name(fit->table)},
        {NOTE_LABEL, label},
        {NOTE_ERRORS, errors},
        {NOTE_UNITS, units},
        {NOTE_CLASS_ROWS, task_has_classes(fit->task) ? rows : NULL},
        {NOTE_HELD_OUT, training->held_out.rows ? held : NULL},
        {NOTE_VALIDATION, NULL},
    };
    nim_error error;
    bool fine = errors && rows && label;
    if (!fine)
        complain_of_memory(complaint);
    for (size_t i = 0; fine && i < sizeof notes / sizeof *notes; i++)
        fine = nim_model_set_note(fit->model, notes[i].key, notes[i].text, &error) == NIM_OK ||
               complain_of(complaint, &error);
    free(errors);
    free(units);
    free(rows);
    free(label);
    return fine && fit_request_note(&fit->request, fit->model, complaint);
}

/* Whether an option of the model to be has one of the values; "" ends the list. */
static bool option_is(const struct fit *fit, const char *name, const char *const *value) {
    char text[64] = "";
    nim_options_get(fit->options, name, text, sizeof text, NULL);
    while (**value && strcmp(text, *value) != 0)
        value++;
    return **value != '\0';
}

/* What was settled before, as reading the table needs it. With a model to go on with, only errors
 * named now count; the others are the model's. */
static void settle_plan(struct fit *fit, const struct name_list *conditions) {
    static const char *const exact[] = {"exact", ""};
    static const char *const probit[] = {"probit", ""};
    char *const *text = fit->request.text;
    char seed[32];
    nim_options_get(fit->options, "seed", seed, sizeof seed, NULL);
    fit->plan.seed = strtoull(seed, NULL, 10);
    fit->plan.uses_errors = nim_options_can(fit->options, NIM_USES_ERRORS);
    fit->plan.exact_inputs = option_is(fit, "input", exact);
    fit->plan.two_classes_only = option_is(fit, "likelihood", probit);
    fit->plan.class_weight = text[REQUEST_CLASS_WEIGHT];
    fit->plan.noise_was_chosen = argument_given(fit->arguments, "noise");
    fit->plan.table = (struct table_request){
        .path = fit->table,
        .format = file_format(fit->arguments, "format"),
        .task = fit->task,
        .model = fit->model,
        .with_targets = true,
        .ignore_case = text[REQUEST_IGNORE_CASE] != NULL,
        .ignore_units = argument_given(fit->arguments, "ignore-units"),
        .label = text[REQUEST_LABEL],
        .exposure = text[REQUEST_EXPOSURE],
        .features = text[REQUEST_FEATURES],
        .exclude = text[REQUEST_EXCLUDE],
        .weights = text[REQUEST_WEIGHTS],
        .missing_value = text[REQUEST_MISSING_VALUE],
        .errors = fit->model ? argument_text(fit->arguments, "errors") : text[REQUEST_ERRORS],
        .options = fit->options,
        .log = text[REQUEST_LOG],
        .classes = text[REQUEST_CLASSES],
        .aside = {fit->aside[0], fit->aside[1]},
        .conditions = conditions};
}

bool fit_open_table(struct fit *fit, bool without_target, struct table_input *input,
                    struct complaint *complaint) {
    settle_plan(fit, NULL);
    fit->plan.table.with_targets = !without_target;
    return table_input_open(input, &fit->plan.table, complaint);
}

/* Numbers found to mean missing do so in other tables, too. */
static bool keep_missing_values(struct fit *fit, struct complaint *complaint) {
    const char *found = fit->training.input.missing.found;
    char **noted = &fit->request.text[REQUEST_MISSING_VALUE];
    return !found || *noted || (*noted = strdup(found)) || complain_of_memory(complaint);
}

bool fit_read_table(struct fit *fit, struct complaint *complaint) {
    struct name_list conditions = {0};
    const char *where = fit->request.text[REQUEST_WHERE];
    bool fine = !where || name_list_split(&conditions, where, "--where", complaint);
    if (fine) {
        settle_plan(fit, &conditions);
        fine = training_table_read(&fit->training, &fit->plan, complaint) &&
               keep_missing_values(fit, complaint) &&
               training_report(&fit->training, &fit->plan, fit->arguments, complaint) &&
               training_table_hold_out(&fit->training, &fit->plan, complaint);
    }
    name_list_free(&conditions);
    return fine;
}

bool fit_learn_population(struct fit *fit, struct complaint *complaint) {
    struct table_input input = {0};
    struct training_set others = {0};
    struct table_request request = {.path = fit->others,
                                    .format = file_format(fit->arguments, "format"),
                                    .task = fit->task,
                                    .model = fit->model,
                                    .ignore_units = argument_given(fit->arguments, "ignore-units"),
                                    .errors = argument_text(fit->arguments, "errors")};
    nim_error error;
    bool fine = table_input_open(&input, &request, complaint);
    if (fine)
        report_what_is_lost(&input, fit->model, fit->arguments);
    fine = fine && training_set_read(&others, &input.rows, NULL, complaint);
    if (fine) {
        nim_data rows = training_set_data(&others), data = training_set_data(&fit->training.set);
        fine = nim_model_learn_population(fit->model, &data, &rows, &error) == NIM_OK ||
               file_complain(complaint, fit->others, &error);
    }
    if (fine)
        report_cut_short(input.table, fit->arguments);
    if (fine)
        say(fit->arguments, "population: also learned from %zu row%s of %s", others.rows,
            plural_s(others.rows), fit->others);
    training_set_free(&others);
    table_input_close(&input);
    return fine;
}

void fit_free(struct fit *fit) {
    monitor_free(&fit->monitor);
    training_table_free(&fit->training);
    fit_request_free(&fit->request);
    nim_model_free(fit->model);
    row_storage_free(&fit->storage);
    nim_options_free(fit->options);
    free(fit->default_checkpoint);
}
