/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_HELP_H
#define CLI_TERMINAL_HELP_H

/* What the program says of itself, from the commands' tables. */

#include "cli/terminal/command.h"

#include <stdio.h>

void help_overview(FILE *file);
void help_command(FILE *file, const struct command *command);

/* What the program is for, as paragraphs. */
extern const char program_description[];

#endif
