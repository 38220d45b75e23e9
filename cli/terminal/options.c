/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What every command has. */
static const struct option implicit[] = {
    {.name = "", .help = "General"},
    {.name = "quiet", .letter = 'q', .help = "Print nothing but errors."},
    {.name = "help", .letter = 'h', .help = "Print this help and exit."},
};

enum { IMPLICIT = sizeof implicit / sizeof *implicit };

static bool has_own(const struct command *command, const char *engine) {
    for (const struct option *own = command->options; own->name; own++)
        if ((own->engine && strcmp(own->engine, engine) == 0) || strcmp(own->name, engine) == 0)
            return true;
    return false;
}

/* A command with headings gets one over what every command has, too. */
static size_t first_implicit(const struct command *command) {
    for (size_t i = 0; command->options[i].name; i++)
        if (option_heading(&command->options[i]))
            return 0;
    return 1;
}

/* An option of the library as one of the program, whose names have hyphens. */
static struct option from_library(size_t index) {
    static char spelled[64][OPTION_CHOICE]; /* the same whenever it is written */
    static const char *const value[] = {
        [NIM_OPTION_CHOICE] = "NAME", [NIM_OPTION_WHOLE] = "N", [NIM_OPTION_REAL] = "X"};
    const nim_option_info *info = nim_option_describe(index);
    assert(index < sizeof spelled / sizeof *spelled);
    option_respell(info->name, '_', '-', spelled[index], sizeof spelled[index]);
    return (struct option){
        .name = spelled[index], .value = value[info->type], .engine = info->name, .borrowed = true};
}

static void fill_from_library(struct option *option) {
    const nim_option_info *info = nim_option_named(option->engine);
    assert(info && "an option's engine is no option of the library");
    option->help = option->help ? option->help : info->help;
    option->fallback = option->fallback ? option->fallback : info->fallback;
    if (option->values)
        return;
    option->values = info->values;
    if (info->type == NIM_OPTION_CHOICE || info->type == NIM_OPTION_FLAG)
        option->choices = info->choices;
}

/* The next option of a tier; false if there is no more. */
static bool step_tier(struct option_walk *walk, struct option *option, unsigned tier) {
    const nim_option_info *info;
    while ((info = nim_option_describe(walk->index++)))
        if ((unsigned)info->tier + 1 == tier && !has_own(walk->command, info->name)) {
            *option = from_library(walk->index - 1);
            return true;
        }
    walk->index = 0;
    return false;
}

/* The next option as its table has it, then what every command has. */
static bool step(struct option_walk *walk, struct option *option) {
    const struct command *command = walk->command;
    while (!walk->own_are_over) {
        const struct option *own = &command->options[walk->place];
        if (own->tier && step_tier(walk, option, own->tier))
            return true;
        walk->place++;
        *option = *own;
        if (own->name && !own->tier)
            return true;
        if (!own->name) {
            walk->own_are_over = true;
            walk->place = first_implicit(command);
        }
    }
    if (walk->place < IMPLICIT)
        *option = implicit[walk->place];
    return walk->place++ < IMPLICIT;
}

bool option_next(struct option_walk *walk, struct option *option) {
    if (!step(walk, option))
        return false;
    if (option->engine)
        fill_from_library(option);
    return true;
}

bool option_heading(const struct option *option) {
    return option->name[0] == '\0';
}

bool option_named(const struct command *command, const char *name, size_t length,
                  struct option *option) {
    struct option_walk walk = {.command = command};
    bool found = false;
    while (length && !found && step(&walk, option))
        found = strlen(option->name) == length && memcmp(option->name, name, length) == 0;
    if (found && option->engine)
        fill_from_library(option);
    return found;
}

bool option_lettered(const struct command *command, char letter, struct option *option) {
    struct option_walk walk = {.command = command};
    bool found = false;
    while (letter && !found && step(&walk, option))
        found = option->letter == letter;
    if (found && option->engine)
        fill_from_library(option);
    return found;
}

size_t option_choices(const struct option *option) {
    size_t count = 0;
    while (option->value && option->choices && option->choices[count])
        count++;
    if (count || !option->value || !option->values || option->engine)
        return count; /* none for a flag, free text or a number */
    count = 1;
    for (const char *c = option->values; *c; c++)
        count += *c == '|';
    return count;
}

void option_respell(const char *value, char from, char to, char *text, size_t size) {
    size_t i = 0;
    for (; value[i] && i + 1 < size; i++)
        text[i] = value[i] == from ? to : value[i];
    text[i] = '\0';
}

void option_choice(const struct option *option, size_t index, char text[OPTION_CHOICE]) {
    const char *values = option->choices ? option->choices[index] : option->values;
    while (!option->choices && index--)
        values += strcspn(values, "|") + 1;
    snprintf(text, OPTION_CHOICE, "%.*s", (int)strcspn(values, "|"), values);
    if (option->engine)
        option_respell(text, '_', '-', text, OPTION_CHOICE);
}

bool option_allows(const struct option *option, const char *value) {
    size_t count = option_choices(option);
    char choice[OPTION_CHOICE], spelled[OPTION_CHOICE];
    if (!count)
        return true;
    if (strlen(value) >= sizeof spelled)
        return false;
    option_respell(value, option->engine ? '_' : '\0', '-', spelled, sizeof spelled);
    for (size_t i = 0; i < count; i++) {
        option_choice(option, i, choice);
        if (strcmp(choice, spelled) == 0)
            return true;
    }
    return false;
}

void option_rules(const struct option *option, char text[OPTION_RULES]) {
    const nim_option_info *info = option->engine ? nim_option_named(option->engine) : NULL;
    text[0] = '\0';
    if (info && option->help == info->help && option->fallback == info->fallback)
        nim_option_rules(info->name, text, OPTION_RULES);
}

void option_note(const struct option *option, char text[OPTION_NOTE]) {
    char piece[OPTION_CHOICE];
    size_t choices = option_choices(option), used = 0;
    text[0] = '\0';
    if (!option->value)
        return;
    for (size_t i = 0; i < choices; i++) {
        option_choice(option, i, piece);
        snprintf(text + used, OPTION_NOTE - used, "%s%s", i ? ", " : "", piece);
        used = strlen(text);
    }
    if (!choices && option->values)
        snprintf(text, OPTION_NOTE, "%s", option->values);
    used = strlen(text);
    if (!option->fallback)
        return;
    bool respelled = choices && option->engine;
    option_respell(option->fallback, respelled ? '_' : '\0', '-', piece, sizeof piece);
    snprintf(text + used, OPTION_NOTE - used, "%sdefault %s", used ? "; " : "", piece);
}
