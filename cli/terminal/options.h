/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The options of a command, with the library's texts for those of the library, and with --quiet and
 * --help at the end. Parsing, help, man pages and completion use these functions.
 */

#include "cli/terminal/command.h"

enum { MOST_OPTIONS = 128 };

struct option_list {
    size_t count;
    struct option option[MOST_OPTIONS];
};

void option_list_make(struct option_list *list, const struct command *command);

bool option_heading(const struct option *option);

/* The option of that name, or letter; NULL when there is none. */
const struct option *option_named(const struct option_list *list, const char *name, size_t length);
const struct option *option_lettered(const struct option_list *list, char letter);

/*
 * Where the allowed values are a list of names: the next of them, from a text that starts as
 * option->values; false at the end. The library's names have underscores; on the command line they
 * have hyphens, and both are accepted.
 */
enum { OPTION_CHOICE = 64 };
bool option_choice(const char **values, char choice[OPTION_CHOICE]);
bool option_allows(const struct option *option, const char *value);

/* How the library chooses the option, in its words; "" if it does not, or if the program has its
 * own text. */
enum { OPTION_RULES = 1024 };
void option_rules(const struct option *option, char text[OPTION_RULES]);

/* "latent, exact; default latent": the allowed values and the default; "" if there are neither. */
enum { OPTION_NOTE = 512 };
void option_note(const struct option *option, char text[OPTION_NOTE]);

/* Replaces one character of a value by another, truncated to `size`: the library's spelling, or
 * that of the command line. */
void option_respell(const char *value, char from, char to, char *text, size_t size);
