/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/model/fit_request.h"

#include <stdlib.h>
#include <string.h>

static const char *const part_name[] = {
#define REQUEST_NAME(part, name) name,
    REQUEST_LIST(REQUEST_NAME)
#undef REQUEST_NAME
};

static const char *const part_key[] = {
#define REQUEST_KEY(part, name) "option." name,
    REQUEST_LIST(REQUEST_KEY)
#undef REQUEST_KEY
};

const char *fit_request_noted(const nim_model *model, enum request_part part) {
    return nim_model_note(model, part_key[part]);
}

void fit_request_free(struct fit_request *request) {
    for (enum request_part i = 0; i < REQUEST_PARTS; i++)
        free(request->text[i]);
    *request = (struct fit_request){0};
}

/* All conditions as one text. */
static char *join_conditions(const struct arguments *arguments, struct complaint *complaint) {
    struct name_list conditions = {0};
    bool fine = argument_all(arguments, "where", &conditions, complaint);
    char *text = fine ? name_list_join(&conditions) : NULL;
    name_list_free(&conditions);
    return text;
}

static char *part_given(const struct arguments *arguments, enum request_part part,
                        struct complaint *complaint) {
    if (part == REQUEST_WHERE)
        return join_conditions(arguments, complaint);
    return strdup(part == REQUEST_IGNORE_CASE ? "yes" : argument_text(arguments, part_name[part]));
}

bool fit_request_from_arguments(struct fit_request *request, const struct arguments *arguments,
                                struct complaint *complaint) {
    for (enum request_part i = 0; i < REQUEST_PARTS; i++)
        if (argument_given(arguments, part_name[i]) &&
            !(request->text[i] = part_given(arguments, i, complaint)))
            return complain_of_memory(complaint);
    return true;
}

bool fit_request_complete(struct fit_request *request, const nim_model *model,
                          struct complaint *complaint) {
    for (enum request_part i = 0; i < REQUEST_PARTS; i++) {
        const char *noted = fit_request_noted(model, i);
        if (!request->text[i] && noted && !(request->text[i] = strdup(noted)))
            return complain_of_memory(complaint);
    }
    return true;
}

bool fit_request_to_resume(struct fit_request *request, const struct arguments *arguments,
                           const nim_model *model, struct complaint *complaint) {
    if (!fit_request_from_arguments(request, arguments, complaint))
        return false;
    for (enum request_part i = 0; i < REQUEST_PARTS; i++) {
        const char *noted = fit_request_noted(model, i);
        if (request->text[i] && (!noted || strcmp(request->text[i], noted) != 0))
            return complain(complaint, BAD_USAGE,
                            "fit: --%s '%s' contradicts the training to be resumed, which was "
                            "started with %s%s%s; omit it",
                            part_name[i], request->text[i], noted ? "'" : "none",
                            noted ? noted : "", noted ? "'" : "");
    }
    return fit_request_complete(request, model, complaint);
}

bool fit_request_to_continue(struct fit_request *request, const struct arguments *arguments,
                             const nim_model *model, struct complaint *complaint) {
    if (!fit_request_from_arguments(request, arguments, complaint))
        return false;
    static const enum request_part fixed[] = {REQUEST_FEATURES, REQUEST_EXCLUDE, REQUEST_LOG,
                                              REQUEST_CLASSES};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (request->text[fixed[i]])
            return complain(complaint, BAD_USAGE,
                            "fit: --%s cannot be used with --from: the model's setting is kept",
                            part_name[fixed[i]]);
    return fit_request_complete(request, model, complaint);
}

bool fit_request_note(const struct fit_request *request, nim_model *model,
                      struct complaint *complaint) {
    nim_error error;
    for (enum request_part i = 0; i < REQUEST_PARTS; i++)
        if (nim_model_set_note(model, part_key[i], request->text[i], &error) != NIM_OK)
            return complain_of(complaint, &error);
    return true;
}
