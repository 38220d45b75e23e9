/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Parsing: --name VALUE, --name=VALUE, -o VALUE, -oVALUE. Names cannot be abbreviated, because a
 * new option would break scripts that do. "--" ends the options; "-" is an operand. Choices and the
 * library's options are checked here.
 */

#include "cli/terminal/command.h"

/* `words` are without the names of program and command, and must exist as long as the result. NULL
 * and a complaint if they are wrong. */
struct arguments *arguments_parse(const struct command *command, size_t count, char *const *words,
                                  struct complaint *complaint);
void arguments_free(struct arguments *arguments);

/* --help was found; the rest was not parsed. */
bool arguments_want_help(const struct arguments *arguments);
