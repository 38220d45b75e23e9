/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* What the program says of itself, from the commands' tables. */

#include "command.h"

#include <stdio.h>

void help_overview(FILE *file);
void help_command(FILE *file, const struct command *command);

/* What the program is for, as paragraphs. */
extern const char program_description[];

/* The exit codes, one each up to one whose text is NULL: help and manual print them. */
struct exit_meaning {
    int code;
    const char *text;
};
extern const struct exit_meaning exit_meanings[];

#endif
