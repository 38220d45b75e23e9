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

/* ---------------------------------------------------------------- lists ----------------------- */

static bool has_own(const struct command *command, const char *engine) {
    for (const struct option *own = command->options; own->name; own++)
        if ((own->engine && strcmp(own->engine, engine) == 0) || strcmp(own->name, engine) == 0)
            return true;
    return false;
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

static void add(struct option_list *list, struct option option) {
    const nim_option_info *info = option.engine ? nim_option_named(option.engine) : NULL;
    assert(list->count < MOST_OPTIONS && !info == !option.engine);
    if (info) {
        option.help = option.help ? option.help : info->help;
        option.fallback = option.fallback ? option.fallback : info->fallback;
        option.values = option.values ? option.values : info->values;
    }
    option.closed = option.value && option.values && (!info || info->type == NIM_OPTION_CHOICE);
    list->option[list->count++] = option;
}

void option_list_make(struct option_list *list, const struct command *command) {
    bool headings = false;
    list->count = 0;
    for (const struct option *own = command->options; own->name; own++) {
        const nim_option_info *info;
        headings = headings || option_heading(own);
        if (!own->tier)
            add(list, *own);
        for (size_t i = 0; own->tier && (info = nim_option_describe(i)); i++)
            if ((unsigned)info->tier + 1 == own->tier && !has_own(command, info->name))
                add(list, from_library(i));
    }
    /* A command with headings gets one over what every command has, too. */
    for (size_t i = headings ? 0 : 1; i < IMPLICIT; i++)
        add(list, implicit[i]);
}

bool option_heading(const struct option *option) {
    return option->name[0] == '\0';
}

const struct option *option_named(const struct option_list *list, const char *name, size_t length) {
    for (size_t i = 0; length && i < list->count; i++)
        if (strlen(list->option[i].name) == length &&
            memcmp(list->option[i].name, name, length) == 0)
            return &list->option[i];
    return NULL;
}

const struct option *option_lettered(const struct option_list *list, char letter) {
    for (size_t i = 0; letter && i < list->count; i++)
        if (list->option[i].letter == letter)
            return &list->option[i];
    return NULL;
}

/* ---------------------------------------------------------------- values ---------------------- */

void option_respell(const char *value, char from, char to, char *text, size_t size) {
    size_t i = 0;
    for (; value[i] && i + 1 < size; i++)
        text[i] = value[i] == from ? to : value[i];
    text[i] = '\0';
}

bool option_choice(const char **values, char choice[OPTION_CHOICE]) {
    size_t length = strcspn(*values, ",");
    option_respell(*values, '_', '-', choice, length < OPTION_CHOICE ? length + 1 : OPTION_CHOICE);
    *values += length + strspn(*values + length, ", ");
    return length > 0;
}

bool option_allows(const struct option *option, const char *value) {
    char choice[OPTION_CHOICE], spelled[OPTION_CHOICE];
    if (!option->closed)
        return true;
    option_respell(value, '_', '-', spelled, sizeof spelled);
    for (const char *values = option->values; option_choice(&values, choice);)
        if (strcmp(choice, spelled) == 0)
            return strlen(value) < sizeof spelled;
    return false;
}

void option_rules(const struct option *option, char text[OPTION_RULES]) {
    const nim_option_info *info = option->engine ? nim_option_named(option->engine) : NULL;
    text[0] = '\0';
    if (info && option->help == info->help && option->fallback == info->fallback)
        nim_option_rules(info->name, text, OPTION_RULES);
}

void option_note(const struct option *option, char text[OPTION_NOTE]) {
    char fallback[OPTION_CHOICE], from = option->closed ? '_' : '\0';
    text[0] = '\0';
    if (!option->value)
        return;
    if (option->values)
        option_respell(option->values, from, '-', text, OPTION_NOTE);
    if (!option->fallback)
        return;
    size_t used = strlen(text);
    option_respell(option->fallback, from, '-', fallback, sizeof fallback);
    snprintf(text + used, OPTION_NOTE - used, "%sdefault %s", used ? "; " : "", fallback);
}
