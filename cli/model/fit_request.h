/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The options of a fit about its table, which are not options of the library. They are stored in
 * the model's notes, as typed, so that they need not be repeated when a training continues.
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
    char *text[REQUEST_PARTS]; /* NULL if not given; flags are "yes", --where is a list */
};

/* Other notes of a fit: names of the table and of its label column(s), units of the attributes,
 * rows of each class, held-out rows and their scores. */
#define NOTE_TABLE "table"
#define NOTE_LABEL "label"
#define NOTE_UNITS "units"
#define NOTE_CLASS_ROWS "class_rows"
#define NOTE_HELD_OUT "held_out"
#define NOTE_VALIDATION "validation"

bool fit_request_from_arguments(struct fit_request *request, const struct arguments *arguments,
                                struct complaint *complaint);

/* Reads the options from the model. Those on the command line must be the same. */
bool fit_request_to_resume(struct fit_request *request, const struct arguments *arguments,
                           const nim_model *model, struct complaint *complaint);

/* Reads the options from the model, unless they are on the command line. Options that define the
 * model cannot change. */
bool fit_request_to_continue(struct fit_request *request, const struct arguments *arguments,
                             const nim_model *model, struct complaint *complaint);

/* Takes what is not given from the model. */
bool fit_request_complete(struct fit_request *request, const nim_model *model,
                          struct complaint *complaint);

bool fit_request_note(const struct fit_request *request, nim_model *model,
                      struct complaint *complaint);

/* The text of one option in a model's notes, or NULL. */
const char *fit_request_noted(const nim_model *model, enum request_part part);

void fit_request_free(struct fit_request *request);
