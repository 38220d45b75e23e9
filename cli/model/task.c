/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/model/task.h"

#include "cli/terminal/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct task task_list[] = {
    {.name = "classify",
     .target = NIM_TARGET_CLASS,
     .predicts = PREDICTS_CLASS,
     .column = "class",
     .role = "label",
     .one = "class",
     .many = "classes"},
    {.name = "regress",
     .target = NIM_TARGET_NUMBER,
     .predicts = PREDICTS_NUMBER,
     .column = "y",
     .role = "target",
     .one = "number",
     .many = "numbers"},
    {.name = "count",
     .target = NIM_TARGET_COUNT,
     .predicts = PREDICTS_COUNT,
     .column = "count",
     .role = "target",
     .one = "count",
     .many = "counts"},
    {.name = "ordinal",
     .target = NIM_TARGET_LEVEL,
     .predicts = PREDICTS_LEVEL,
     .column = "level",
     .role = "label",
     .one = "level",
     .many = "levels"},
    {.name = "multilabel",
     .target = NIM_TARGET_LABELS,
     .predicts = PREDICTS_LABELS,
     .role = "label",
     .one = "label",
     .many = "labels"},
};

enum { TASKS = sizeof task_list / sizeof *task_list };

/* Options that only one task has. */
static const struct {
    const char *option;
    enum predicts predicts[2];
    const char *whose;
} foreign[] = {
    {"exposure", {PREDICTS_COUNT, PREDICTS_COUNT}, "--task count"},
    {"classes", {PREDICTS_CLASS, PREDICTS_LEVEL}, "--task classify and ordinal"},
};

bool task_has_classes(const struct task *task) {
    return predicts_classes(task->predicts);
}

bool task_has_one_class(const struct task *task) {
    return predicts_one_class(task->predicts);
}

const struct task *task_classify(void) {
    return &task_list[0];
}

static const struct task *task_of_target(nim_target target) {
    for (size_t i = 0; i < TASKS; i++)
        if (task_list[i].target == target)
            return &task_list[i];
    assert(false && "a target of the library has no task");
    return NULL;
}

const struct task *task_of_model(const nim_model *model) {
    return task_of_target(nim_model_target(model));
}

static const struct task *task_named(const char *name) {
    for (size_t i = 0; i < TASKS; i++)
        if (strcmp(task_list[i].name, name) == 0)
            return &task_list[i];
    return NULL; /* parsing lets none but these pass */
}

/* The library's likelihoods that serve a task, as "a, b", the default first. */
static const char *task_likelihoods(const struct task *task, char *names, size_t size) {
    const char *const *name = nim_option_named("likelihood")->choices;
    size_t used = 0;
    names[0] = '\0';
    for (; *name && used < size; name++)
        if (nim_likelihood_target(*name) == task->target)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", *name);
    return names;
}

static bool refuse_foreign(const struct task *task, const struct arguments *arguments,
                           struct complaint *complaint) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (argument_given(arguments, foreign[i].option) &&
            foreign[i].predicts[0] != task->predicts && foreign[i].predicts[1] != task->predicts)
            return complain(complaint, BAD_USAGE, "fit: --%s is for %s, not for %s",
                            foreign[i].option, foreign[i].whose, task->name);
    return true;
}

static bool complain_of_pair(const struct task *task, const char *likelihood,
                             struct complaint *complaint) {
    char spelled[64], names[256], known[256];
    option_respell(likelihood, '_', '-', spelled, sizeof spelled);
    option_respell(task_likelihoods(task, names, sizeof names), '_', '-', known, sizeof known);
    return complain(complaint, BAD_USAGE, "fit: --task %s contradicts --likelihood %s; expected %s",
                    task->name, spelled, known);
}

bool task_settle(const struct task **task, const struct arguments *arguments, nim_options *options,
                 const nim_model *model, struct complaint *complaint) {
    const char *wish = argument_text(arguments, "task");
    const struct task *wished = wish ? task_named(wish) : NULL;
    char likelihood[64] = "";
    nim_error error;
    nim_options_get(model ? nim_model_options(model) : options, "likelihood", likelihood,
                    sizeof likelihood, NULL);
    if (wished && !model && !argument_given(arguments, "likelihood")) {
        *task = wished;
        char names[256];
        task_likelihoods(wished, names, sizeof names);
        snprintf(likelihood, sizeof likelihood, "%.*s", (int)strcspn(names, ","), names);
        if (nim_options_set(options, "likelihood", likelihood, &error) != NIM_OK)
            return complain_of(complaint, &error);
    } else {
        *task = model ? task_of_model(model) : task_of_target(nim_likelihood_target(likelihood));
    }
    if (wished && wished != *task)
        return model ? complain(complaint, BAD_USAGE,
                                "fit: --task %s contradicts the model, which is for %s", wish,
                                (*task)->name)
                     : complain_of_pair(wished, likelihood, complaint);
    return refuse_foreign(*task, arguments, complaint);
}
