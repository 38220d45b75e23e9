/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_MODEL_RECIPE_H
#define CLI_MODEL_RECIPE_H

/*
 * What a fit was told about its table, beyond the library's own options. It is kept in the model's
 * notes, as typed, so that going on with a training needs nothing said again.
 */

#include "cli/terminal/command.h"
#include "text/list.h"

#define RECIPE_LIST(X)                                                                             \
    X(LABEL, "label")                                                                              \
    X(EXPOSURE, "exposure")                                                                        \
    X(FEATURES, "features")                                                                        \
    X(ERRORS, "errors")                                                                            \
    X(LOG, "log")                                                                                  \
    X(CLASSES, "classes")                                                                          \
    X(IGNORE_CASE, "ignore-case")                                                                  \
    X(WHERE, "where")                                                                              \
    X(VALIDATION, "validation")

enum recipe_part {
#define RECIPE_ENUM(part, name) RECIPE_##part,
    RECIPE_LIST(RECIPE_ENUM)
#undef RECIPE_ENUM
        RECIPE_PARTS
};

struct recipe {
    char *text[RECIPE_PARTS]; /* NULL where nothing was said; flags are "yes", --where a list */
};

/* Facts a fit leaves in the notes besides: names of the table and of its label column(s), units of
 * the attributes, rows of each class, rows held out and what they showed. */
#define NOTE_TABLE "table"
#define NOTE_LABEL "label"
#define NOTE_UNITS "units"
#define NOTE_CLASS_ROWS "class_rows"
#define NOTE_HELD_OUT "held_out"
#define NOTE_VALIDATION "validation"

bool recipe_from_arguments(struct recipe *recipe, const struct arguments *arguments,
                           struct complaint *complaint);

/* As kept in the model. What is said on the command line must be the same. */
bool recipe_to_resume(struct recipe *recipe, const struct arguments *arguments,
                      const nim_model *model, struct complaint *complaint);

/* As kept in the model, unless said otherwise on the command line; what the model is made of
 * cannot be. */
bool recipe_to_continue(struct recipe *recipe, const struct arguments *arguments,
                        const nim_model *model, struct complaint *complaint);

bool recipe_keep(const struct recipe *recipe, nim_model *model, struct complaint *complaint);

/* What a model's notes say of one part, or NULL. */
const char *recipe_kept(const nim_model *model, enum recipe_part part);

void recipe_free(struct recipe *recipe);

#endif
