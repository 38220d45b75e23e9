/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_MODEL_TASK_H
#define CLI_MODEL_TASK_H

/* What a model is for: the tasks a user names, and what each predicts. Which likelihoods serve it
 * the library says (nim_likelihood_target). */

#include "cli/terminal/command.h"
#include "score/predicts.h"

struct task {
    const char *name; /* as on the command line */
    nim_target target;
    enum predicts predicts;
    const char *column;     /* where the target stands unless said otherwise; NULL: must be said */
    const char *role;       /* what the target is called: "label" or "target" */
    const char *one, *many; /* what there are several of: "class", "classes" */
};

#define TASK_OPTIONS                                                                               \
    {.name = "task",                                                                               \
     .value = "TASK",                                                                              \
     .values = "classify|regress|count|ordinal|multilabel",                                        \
     .help = "What to predict: a class, a number, a count, an ordered level, or a set of labels. " \
             "Default: the task of --likelihood, otherwise classify.",                             \
     .complete = COMPLETE_VALUES},                                                                 \
        {.name = "likelihood",                                                                     \
         .value = "NAME",                                                                          \
         .engine = "likelihood",                                                                   \
         .fallback = "the task's",                                                                 \
         .help = "How the target depends on the latent functions. Each likelihood is for one "     \
                 "task; the first in the list for a task is the default of that task.",            \
         .complete = COMPLETE_VALUES},                                                             \
    {                                                                                              \
        .name = "functions", .value = "N", .engine = "functions"                                   \
    }

/* Whether there are classes, levels or labels, which have names and probabilities. */
bool task_has_classes(const struct task *task);

/* Whether a row has one of them, not several. */
bool task_has_one_class(const struct task *task);

/*
 * The task of a command line and of `options`, which have been told what was given; the likelihood
 * is set if it was not. `model` is one to go on with, or NULL. Options that only other tasks have
 * are refused.
 */
bool task_settle(const struct task **task, const struct arguments *arguments, nim_options *options,
                 const nim_model *model, struct complaint *complaint);

const struct task *task_of_model(const nim_model *model);

/* The one that labels without a model belong to. */
const struct task *task_classify(void);

#endif
