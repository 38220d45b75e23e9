/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/model_input.h"

#include "cli/model/fit_request.h"
#include "cli/rows/input_report.h"

#include <stdlib.h>

static bool set_options(nim_model *model, const struct arguments *arguments,
                        struct complaint *complaint) {
    static const char *const names[] = {"threads", "points", "tolerance"};
    nim_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (argument_given(arguments, names[i]) &&
            nim_model_set_option(model, names[i], argument_text(arguments, names[i]), &error) !=
                NIM_OK)
            return complain_of(complaint, &error);
    return true;
}

static bool load_model(struct loaded_model *loaded, const struct arguments *arguments,
                       const char *path, struct complaint *complaint) {
    nim_error error;
    loaded->model = file_load_model(path, complaint);
    return loaded->model && set_options(loaded->model, arguments, complaint) &&
           (nim_predictor_create(loaded->model, &loaded->predictor, &error) == NIM_OK ||
            file_complain(complaint, path, &error));
}

static bool open_table(struct table_input *input, const struct arguments *arguments,
                       struct table_request *request, struct complaint *complaint) {
    struct name_list conditions = {0};
    /* evaluate --folds --like: the rows are those the models were trained with. */
    const char *noted =
        argument_given(arguments, "like") ? fit_request_noted(request->model, REQUEST_WHERE) : NULL;
    request->format = file_format(arguments, "format");
    request->conditions = &conditions;
    bool fine = (noted ? name_list_split(&conditions, noted, "--where", complaint)
                       : argument_all(arguments, "where", &conditions, complaint)) &&
                table_input_open(input, request, complaint);
    request->conditions = NULL;
    name_list_free(&conditions);
    return fine;
}

bool model_table_open(const struct loaded_model *loaded, struct table_input *input,
                      const struct arguments *arguments, const char *table,
                      enum wanted_targets targets, struct complaint *complaint) {
    *input = (struct table_input){0};
    struct table_request request = {
        .path = table,
        .task = task_of_model(loaded->model),
        .model = loaded->model,
        .with_targets = targets != TARGETS_IGNORED,
        .targets_optional = targets == TARGETS_IF_THERE,
        .ignore_case = argument_given(arguments, "ignore-case") ||
                       fit_request_noted(loaded->model, REQUEST_IGNORE_CASE),
        .ignore_units = argument_given(arguments, "ignore-units"),
        .missing_value = argument_text(arguments, "missing-value"),
        .label = targets != TARGETS_IGNORED ? argument_text(arguments, "label") : NULL,
        .exposure = argument_text(arguments, "exposure"),
        .errors = argument_text(arguments, "errors")};
    if (request.exposure && request.task->predicts != PREDICTS_COUNT)
        return complain(complaint, BAD_USAGE,
                        "%s: --exposure cannot be used: the model predicts %s",
                        argument_command(arguments), request.task->many);
    return open_table(input, arguments, &request, complaint);
}

bool model_input_open(struct loaded_model *loaded, struct table_input *input,
                      const struct arguments *arguments, const char *model, const char *table,
                      enum wanted_targets targets, struct complaint *complaint) {
    *loaded = (struct loaded_model){0};
    *input = (struct table_input){0};
    if (file_is_model(table) && !file_is_model(model))
        return complain(complaint, BAD_USAGE, "%s: the model must come first: nimgp %s MODEL TABLE",
                        argument_command(arguments), argument_command(arguments));
    if (!load_model(loaded, arguments, model, complaint) ||
        !model_table_open(loaded, input, arguments, table, targets, complaint))
        return false;
    report_what_is_lost(input, loaded->model, arguments);
    return true;
}

bool classes_input_open(struct table_input *input, const struct arguments *arguments,
                        const struct name_list *classes, const char *table,
                        struct complaint *complaint) {
    char *names = name_list_join(classes);
    struct table_request request = {.path = table,
                                    .task = task_classify(),
                                    .with_targets = true,
                                    .without_features = true,
                                    .ignore_case = argument_given(arguments, "ignore-case"),
                                    .label = argument_text(arguments, "label"),
                                    .classes = names,
                                    .plain_classes = true};
    bool fine =
        names ? open_table(input, arguments, &request, complaint) : complain_of_memory(complaint);
    free(names);
    return fine;
}

void loaded_model_free(struct loaded_model *loaded) {
    nim_predictor_free(loaded->predictor);
    nim_model_free(loaded->model);
}
