/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The options of a command, with the library's texts for those of the library, and with --quiet and
 * --help at the end. Parsing, help, man pages and completion use these functions.
 */

#include "cli/terminal/command.h"

/* Iterates over the options of a command: `struct option_walk walk = {.command = command}`, then
 * option_next until it is false. */
struct option_walk {
    const struct command *command;
    bool own_are_over;
    size_t place, index; /* in a list of options, and in the library's */
};
bool option_next(struct option_walk *walk, struct option *option);

bool option_heading(const struct option *option);

/* The option of that name, or letter; false when there is none. */
bool option_named(const struct command *command, const char *name, size_t length,
                  struct option *option);
bool option_lettered(const struct command *command, char letter, struct option *option);

/*
 * The allowed values if they are a finite list, otherwise 0. The library's names have underscores;
 * on the command line they have hyphens, and both are accepted.
 */
enum { OPTION_CHOICE = 64 };
size_t option_choices(const struct option *option);
void option_choice(const struct option *option, size_t index, char text[OPTION_CHOICE]);
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
