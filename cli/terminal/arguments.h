/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_ARGUMENTS_H
#define CLI_TERMINAL_ARGUMENTS_H

/*
 * Parsing. --name VALUE, --name=VALUE, -o VALUE, -oVALUE; names in full, because scripts that rely
 * on a prefix break with the next option; "--" ends the options; "-" is an operand. Choices and the
 * library's options are checked here already.
 */

#include "cli/terminal/command.h"

/* `words` without the program's and the command's name; they must outlive the result. NULL and a
 * complaint when they are wrong. */
struct arguments *arguments_parse(const struct command *command, size_t count, char *const *words,
                                  struct complaint *complaint);
void arguments_free(struct arguments *arguments);

/* --help was met; the rest was not looked at. */
bool arguments_want_help(const struct arguments *arguments);

#endif
