/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands. */
#include "cli/terminal/commands.h"

#include <string.h>

const struct command *const command_list[] = {
    &command_simulate, &command_check,   &command_fit,    &command_predict, &command_evaluate,
    &command_suggest,  &command_inspect, &command_report, &command_convert, NULL};

const struct command *command_named(const char *name) {
    for (size_t i = 0; command_list[i]; i++)
        if (strcmp(command_list[i]->name, name) == 0)
            return command_list[i];
    return NULL;
}
