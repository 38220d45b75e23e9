/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_COMMANDS_H
#define CLI_TERMINAL_COMMANDS_H

/* All commands, in the order in which they are usually used. */

#include "cli/terminal/command.h"

extern const struct command *const command_list[]; /* up to NULL */

/* NULL when there is none of that name. */
const struct command *command_named(const char *name);

#endif
