/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_OPTIONS_H
#define CLI_TERMINAL_OPTIONS_H

/*
 * A command's options as a user meets them: with what the library says of those it knows filled in,
 * and with --quiet and --help at the end. Parsing, help, man pages and completion go through here.
 */

#include "cli/terminal/command.h"

/* Through the options of a command in their order: `struct option_walk walk = {.command =
 * command}`, then option_next until it is false. */
struct option_walk {
    const struct command *command;
    enum { OWN_OPTIONS, BORROWED_OPTIONS, IMPLICIT_OPTIONS } part;
    size_t place;
};
bool option_next(struct option_walk *walk, struct option *option);

/* Whether the command has it from another. */
bool option_borrowed(const struct command *command, const char *name);

bool option_heading(const struct option *option);

/* The option of that name, or letter; false when there is none. */
bool option_named(const struct command *command, const char *name, size_t length,
                  struct option *option);
bool option_lettered(const struct command *command, char letter, struct option *option);

/*
 * The values when they can be counted, else 0. The library's names have underscores; on the command
 * line they are spelled with hyphens, and both are understood.
 */
enum { OPTION_CHOICE = 64 };
size_t option_choices(const struct option *option);
void option_choice(const struct option *option, size_t index, char text[OPTION_CHOICE]);
bool option_allows(const struct option *option, const char *value);

/* "latent, exact; default latent": what may stand there and what does otherwise; "" when there is
 * nothing to say. */
enum { OPTION_NOTE = 512 };
void option_note(const struct option *option, char text[OPTION_NOTE]);

/* The library's spelling of a value, or the default's spelling on the command line: from one
 * character to the other, cut to `size`. */
void option_respell(const char *value, char from, char to, char *text, size_t size);

#endif
