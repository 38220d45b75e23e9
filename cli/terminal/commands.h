/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All commands, in the order in which they are usually used. */

#include "cli/terminal/command.h"

extern const struct command *const command_list[]; /* up to NULL */

/* NULL when there is none of that name. */
const struct command *command_named(const char *name);
