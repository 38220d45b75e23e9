/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_MANUAL_H
#define CLI_TERMINAL_MANUAL_H

/* Man pages (troff with the man macros) from the same tables as the help; the build calls this. */

#include "cli/terminal/command.h"

#include <stdio.h>

void manual_overview(FILE *file);
void manual_command(FILE *file, const struct command *command);

#endif
