/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The text of --help, from the tables of the commands. */

#include "cli/terminal/command.h"

#include <stdio.h>

void help_overview(FILE *file);
void help_command(FILE *file, const struct command *command);
