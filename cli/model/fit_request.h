/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_MODEL_FIT_REQUEST_H
#define CLI_MODEL_FIT_REQUEST_H

/*
 * What a fit was told about its table, beyond the library's own options. It is kept in the model's
 * notes, as typed, so that going on with a training needs nothing said again.
 */

#include "cli/terminal/command.h"
#include "text/name_list.h"

#define REQUEST_LIST(X)                                                                            \
    X(LABEL, "label")                                                                              \
    X(EXPOSURE, "exposure")                                                                        \
    X(FEATURES, "features")                                                                        \
    X(EXCLUDE, "exclude")                                                                          \
    X(WEIGHTS, "weights")                                                                          \
    X(CLASS_WEIGHT, "class-weight")                                                                \
    X(MISSING_VALUE, "missing-value")                                                              \
    X(ERRORS, "errors")                                                                            \
    X(LOG, "log")                                                                                  \
    X(CLASSES, "classes")                                                                          \
    X(IGNORE_CASE, "ignore-case")                                                                  \
    X(WHERE, "where")                                                                              \
    X(VALIDATION, "validation")

enum request_part {
#define REQUEST_ENUM(part, name) REQUEST_##part,
    REQUEST_LIST(REQUEST_ENUM)
#undef REQUEST_ENUM
        REQUEST_PARTS
};

struct fit_request {
    char *text[REQUEST_PARTS]; /* NULL where nothing was said; flags are "yes", --where a list */
};

/* Facts a fit leaves in the notes besides: names of the table and of its label column(s), units of
 * the attributes, rows of each class, rows held out and what they showed. */
#define NOTE_TABLE "table"
#define NOTE_LABEL "label"
#define NOTE_UNITS "units"
#define NOTE_CLASS_ROWS "class_rows"
#define NOTE_HELD_OUT "held_out"
#define NOTE_VALIDATION "validation"

bool fit_request_from_arguments(struct fit_request *request, const struct arguments *arguments,
                                struct complaint *complaint);

/* As kept in the model. What is said on the command line must be the same. */
bool fit_request_to_resume(struct fit_request *request, const struct arguments *arguments,
                           const nim_model *model, struct complaint *complaint);

/* As kept in the model, unless said otherwise on the command line; what the model is made of
 * cannot be. */
bool fit_request_to_continue(struct fit_request *request, const struct arguments *arguments,
                             const nim_model *model, struct complaint *complaint);

bool fit_request_note(const struct fit_request *request, nim_model *model,
                      struct complaint *complaint);

/* What a model's notes say of one part, or NULL. */
const char *fit_request_noted(const nim_model *model, enum request_part part);

void fit_request_free(struct fit_request *request);

#endif
