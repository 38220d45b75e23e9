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

static bool has_own(const struct command *command, const char *name) {
    for (size_t i = 0; command->options[i].name; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return true;
    return false;
}

/* Whether an option of the command it borrows from becomes its own. */
static bool borrows(const struct command *command, const struct option *option) {
    return option->engine && !has_own(command, option->name);
}

bool option_borrowed(const struct command *command, const char *name) {
    const struct option *option = command->borrows ? command->borrows->options : NULL;
    for (; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return borrows(command, option);
    return false;
}

/* A command with headings gets one over what every command has, too. */
static size_t first_implicit(const struct command *command) {
    if (command->borrows)
        return 0;
    for (size_t i = 0; command->options[i].name; i++)
        if (option_heading(&command->options[i]))
            return 0;
    return 1;
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

/* The next option as its table has it: the command's own, then the borrowed with a heading over
 * them, then what every command has. */
static bool step(struct option_walk *walk, struct option *option) {
    const struct command *command = walk->command;
    if (walk->part == OWN_OPTIONS) {
        *option = command->options[walk->place++];
        if (option->name)
            return true;
        walk->part = command->borrows ? BORROWED_OPTIONS : IMPLICIT_OPTIONS;
        walk->place = command->borrows ? 0 : first_implicit(command);
        if (command->borrows) {
            *option = (struct option){.name = "", .help = command->borrowed_heading};
            return true;
        }
    }
    while (walk->part == BORROWED_OPTIONS) {
        *option = command->borrows->options[walk->place++];
        if (option->name && borrows(command, option))
            return true;
        if (!option->name)
            *walk = (struct option_walk){
                .command = command, .part = IMPLICIT_OPTIONS, .place = first_implicit(command)};
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
