/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What every command has. */
static const struct option implicit[] = {
    {.name = "", .help = "General"},
    {.name = "quiet", .letter = 'q', .help = "Say nothing but errors."},
    {.name = "help", .letter = 'h', .help = "Print this help and end."},
};

enum { IMPLICIT = sizeof implicit / sizeof *implicit };

static size_t own_count(const struct command *command) {
    size_t count = 0;
    while (command->options[count].name)
        count++;
    return count;
}

static bool has_own(const struct command *command, const char *name) {
    for (size_t i = 0; command->options[i].name; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return true;
    return false;
}

/* The k-th option it borrows; NULL behind the last. */
static const struct option *borrowed_at(const struct command *command, size_t k) {
    const struct option *option = command->borrows ? command->borrows->options : NULL;
    for (; option && option->name; option++)
        if (option->engine && !has_own(command, option->name) && k-- == 0)
            return option;
    return NULL;
}

/* The heading counts too. */
static size_t borrowed_count(const struct command *command) {
    size_t count = 0;
    while (borrowed_at(command, count))
        count++;
    return count ? count + 1 : 0;
}

bool option_borrowed(const struct command *command, const char *name) {
    for (size_t k = 0; borrowed_at(command, k); k++)
        if (strcmp(borrowed_at(command, k)->name, name) == 0)
            return true;
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

size_t option_count(const struct command *command) {
    return own_count(command) + borrowed_count(command) + IMPLICIT - first_implicit(command);
}

static void fill_from_library(struct option *option) {
    for (size_t i = 0; i < nim_option_count(); i++) {
        nim_option_info info = nim_option_describe(i);
        if (strcmp(info.name, option->engine) != 0)
            continue;
        option->help = option->help ? option->help : info.help;
        option->fallback = option->fallback ? option->fallback : info.fallback;
        option->values = option->values ? option->values : info.values;
        return;
    }
    assert(false && "an option's engine is no option of the library");
}

struct option option_at(const struct command *command, size_t index) {
    size_t own = own_count(command), all = own + borrowed_count(command);
    if (index >= all)
        return implicit[index - all + first_implicit(command)];
    if (index == own)
        return (struct option){.name = "", .help = command->borrowed_heading};
    struct option option =
        index < own ? command->options[index] : *borrowed_at(command, index - own - 1);
    if (option.engine)
        fill_from_library(&option);
    return option;
}

bool option_heading(const struct option *option) {
    return option->name[0] == '\0';
}

bool option_named(const struct command *command, const char *name, size_t length,
                  struct option *option) {
    for (size_t i = 0; length && i < option_count(command); i++) {
        *option = option_at(command, i);
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return true;
    }
    return false;
}

bool option_lettered(const struct command *command, char letter, struct option *option) {
    for (size_t i = 0; letter && i < option_count(command); i++) {
        *option = option_at(command, i);
        if (option->letter == letter)
            return true;
    }
    return false;
}

size_t option_choices(const struct option *option) {
    if (!option->value || !option->values || strchr(option->values, ' '))
        return 0; /* a flag, or free text, or a range such as "1 .. 64" */
    size_t count = 1;
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
    const char *values = option->values;
    while (index--)
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
