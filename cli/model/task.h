/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tasks: what a model predicts, by the names on the command line. The library assigns likelihoods
 * to targets (nim_likelihood_target). */

#include "cli/terminal/command.h"
#include "score/predicts.h"

struct task {
    const char *name; /* as on the command line */
    nim_target target;
    enum predicts predicts;
    const char *column;     /* default column of the target; NULL: must be given */
    const char *role;       /* what the target is called: "label" or "target" */
    const char *one, *many; /* singular and plural: "class", "classes" */
};

#define TASK_OPTIONS                                                                               \
    {.name = "task",                                                                               \
     .value = "TASK",                                                                              \
     .values = "classify, regress, count, ordinal, multilabel",                                    \
     .help = "What to predict: a class, a number, a count, an ordered level, or a set of labels. " \
             "Default: the task of --likelihood, otherwise classify."},                            \
    {                                                                                              \
        .name = "likelihood", .value = "NAME", .engine = "likelihood", .fallback = "the task's",   \
        .help = "How the target depends on the latent functions. Each likelihood is for one "      \
                "task; the first in the list for a task is the default of that task."              \
    }

/* Whether there are classes, levels or labels, which have names and probabilities. */
bool task_has_classes(const struct task *task);

/* Whether a row has one of them, not several. */
bool task_has_one_class(const struct task *task);

/*
 * The task of a command line and of `options`, in which the given options are set; sets the
 * likelihood if it was not given. `model` is the one to continue, or NULL. Options of other tasks
 * are refused.
 */
bool task_settle(const struct task **task, const struct arguments *arguments, nim_options *options,
                 const nim_model *model, struct complaint *complaint);

const struct task *task_of_model(const nim_model *model);

/* The task for labels without a model. */
const struct task *task_classify(void);
