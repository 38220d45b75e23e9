/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/inspection.h"

#include "cli/model/files.h"
#include "cli/model/fit_request.h"
#include "cli/rows/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct learned_name learned_name[LEARNED] = {
#define LEARNED_NAME(id, key, name) {key, name},
    LEARNED_LIST(LEARNED_NAME)
#undef LEARNED_NAME
};

static bool fetch(struct inspection *inspection, enum learned which, struct complaint *complaint) {
    const nim_model *model = inspection->model;
    const char *key = learned_name[which].key;
    size_t *count = &inspection->count[which];
    nim_error error;
    if (nim_model_get(model, key, NULL, 0, count, &error) != NIM_OK)
        return which >= FIRST_QUANTITY || complain_of(complaint, &error);
    double *values = inspection->learned[which] = calloc(*count + 1, sizeof *values);
    if (!values)
        return complain_of_memory(complaint);
    return nim_model_get(model, key, values, *count, count, &error) == NIM_OK ||
           complain_of(complaint, &error);
}

void inspection_option(const struct inspection *inspection, const char *name, char value[64]) {
    value[0] = '\0';
    nim_options_get(nim_model_options(inspection->model), name, value, 64, NULL);
}

static bool fetch_list(const nim_model *model, const char *key, struct name_list *list,
                       struct complaint *complaint) {
    const char *note = nim_model_note(model, key);
    return !note || !*note || name_list_split(list, note, key, complaint);
}

/* A kernel's name is those of its terms, with + between them. */
static bool fetch_terms(struct inspection *inspection, struct complaint *complaint) {
    char list[sizeof inspection->kernel];
    inspection_option(inspection, "kernel", inspection->kernel);
    snprintf(list, sizeof list, "%s", inspection->kernel);
    for (char *sign = list; (sign = strchr(sign, '+'));)
        *sign = ',';
    return name_list_split(&inspection->terms, list, "kernel", complaint);
}

bool inspection_open(struct inspection *inspection, const char *path, struct complaint *complaint) {
    const nim_model *model = inspection->model = file_load_model(path, complaint);
    inspection->path = path;
    if (!model)
        return false;
    inspection->task = task_of_model(model);
    inspection->classes = nim_model_classes(model);
    inspection->functions = nim_model_functions(model);
    inspection->attributes = nim_model_attributes(model);
    for (int which = 0; which < LEARNED; which++)
        if (!fetch(inspection, which, complaint))
            return false;
    return fetch_terms(inspection, complaint) &&
           fetch_list(model, NOTE_UNITS, &inspection->units, complaint) &&
           fetch_list(model, NOTE_CLASS_ROWS, &inspection->rows, complaint) &&
           fetch_list(model, NOTE_ERRORS, &inspection->errors, complaint);
}

/* What a pair "name + more=columns" of the note of errors has behind the sign, or NULL. */
static const char *noted_errors(const struct inspection *inspection, const char *name,
                                const char *more) {
    size_t length = strlen(name), behind = strlen(more);
    for (size_t i = 0; i < inspection->errors.count; i++) {
        const char *pair = inspection->errors.item[i];
        if (strncmp(pair, name, length) == 0 && strncmp(pair + length, more, behind) == 0 &&
            pair[length + behind] == '=')
            return pair + length + behind + 1;
    }
    return NULL;
}

const char *inspection_errors(const struct inspection *inspection, size_t j,
                              char text[ERRORS_TEXT]) {
    const char *name = nim_model_attribute_name(inspection->model, j);
    const char *own = noted_errors(inspection, name, "");
    const char *other = noted_errors(inspection, name, NOTE_TAKEN_AWAY);
    snprintf(text, ERRORS_TEXT, "%s%s%s", own ? own : "", own && other ? ", " : "",
             other ? other : "");
    return own || other ? text : NULL;
}

const char *inspection_unit(const struct inspection *inspection, size_t j) {
    return j < inspection->units.count && *inspection->units.item[j] ? inspection->units.item[j]
                                                                     : NULL;
}

bool inspection_function_each(const struct inspection *inspection) {
    return inspection->task->predicts == PREDICTS_CLASS &&
           inspection->functions == inspection->classes;
}

bool inspection_has_temperature(const struct inspection *inspection) {
    return inspection->classes && inspection->task->predicts != PREDICTS_LABELS;
}

bool inspection_is_wide(const struct inspection *inspection) {
    char population[64];
    inspection_option(inspection, "population", population);
    return strcmp(population, "wide") == 0;
}

const char *inspection_population(const struct inspection *inspection) {
    size_t components = inspection->count[SHARES];
    return components == 0                  ? "flat"
           : inspection_is_wide(inspection) ? "wide"
           : components == 1                ? "gaussian"
                                            : "mixture";
}

void inspection_free(struct inspection *inspection) {
    for (int which = 0; which < LEARNED; which++)
        free(inspection->learned[which]);
    name_list_free(&inspection->units);
    name_list_free(&inspection->terms);
    name_list_free(&inspection->rows);
    name_list_free(&inspection->errors);
    nim_model_free(inspection->model);
}
