/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/model/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_name[] = {
#define RECIPE_NAME(part, name) name,
    RECIPE_LIST(RECIPE_NAME)
#undef RECIPE_NAME
};

static const char *const part_key[] = {
#define RECIPE_KEY(part, name) "option." name,
    RECIPE_LIST(RECIPE_KEY)
#undef RECIPE_KEY
};

static bool no_memory(struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "out of memory");
}

const char *recipe_kept(const nim_model *model, enum recipe_part part) {
    return nim_model_note(model, part_key[part]);
}

void recipe_free(struct recipe *recipe) {
    for (enum recipe_part i = 0; i < RECIPE_PARTS; i++)
        free(recipe->text[i]);
    *recipe = (struct recipe){0};
}

/* All conditions as one text. */
static char *join_conditions(const struct arguments *arguments, struct complaint *complaint) {
    struct list conditions = {0};
    bool fine = true;
    for (size_t k = 0; fine && k < argument_count(arguments, "where"); k++) {
        const char *text = argument_nth(arguments, "where", k);
        fine = list_add(&conditions, text, strlen(text), complaint);
    }
    char *text = fine ? list_join(&conditions) : NULL;
    list_free(&conditions);
    return text;
}

static char *part_given(const struct arguments *arguments, enum recipe_part part,
                        struct complaint *complaint) {
    if (part == RECIPE_WHERE)
        return join_conditions(arguments, complaint);
    return strdup(part == RECIPE_IGNORE_CASE ? "yes" : argument_text(arguments, part_name[part]));
}

bool recipe_from_arguments(struct recipe *recipe, const struct arguments *arguments,
                           struct complaint *complaint) {
    for (enum recipe_part i = 0; i < RECIPE_PARTS; i++)
        if (argument_given(arguments, part_name[i]) &&
            !(recipe->text[i] = part_given(arguments, i, complaint)))
            return no_memory(complaint);
    return true;
}

bool recipe_to_resume(struct recipe *recipe, const struct arguments *arguments,
                      const nim_model *model, struct complaint *complaint) {
    if (!recipe_from_arguments(recipe, arguments, complaint))
        return false;
    for (enum recipe_part i = 0; i < RECIPE_PARTS; i++) {
        const char *kept = recipe_kept(model, i);
        if (recipe->text[i] && (!kept || strcmp(recipe->text[i], kept) != 0))
            return complain(complaint, BAD_USAGE,
                            "fit: --%s '%s' contradicts the training to be resumed, which was "
                            "started with %s%s%s; leave it out",
                            part_name[i], recipe->text[i], kept ? "'" : "none", kept ? kept : "",
                            kept ? "'" : "");
        if (!recipe->text[i] && kept && !(recipe->text[i] = strdup(kept)))
            return no_memory(complaint);
    }
    return true;
}

bool recipe_to_continue(struct recipe *recipe, const struct arguments *arguments,
                        const nim_model *model, struct complaint *complaint) {
    if (!recipe_from_arguments(recipe, arguments, complaint))
        return false;
    static const enum recipe_part fixed[] = {RECIPE_FEATURES, RECIPE_LOG, RECIPE_CLASSES};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (recipe->text[fixed[i]])
            return complain(complaint, BAD_USAGE,
                            "fit: --%s cannot go with --from: the model has its own",
                            part_name[fixed[i]]);
    for (enum recipe_part i = 0; i < RECIPE_PARTS; i++) {
        const char *kept = recipe_kept(model, i);
        if (!recipe->text[i] && kept && !(recipe->text[i] = strdup(kept)))
            return no_memory(complaint);
    }
    return true;
}

bool recipe_keep(const struct recipe *recipe, nim_model *model, struct complaint *complaint) {
    nim_error error;
    for (enum recipe_part i = 0; i < RECIPE_PARTS; i++)
        if (nim_model_set_note(model, part_key[i], recipe->text[i], &error) != NIM_OK)
            return complain_of(complaint, &error);
    return true;
}
