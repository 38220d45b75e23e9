/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_COMPLETION_H
#define CLI_TERMINAL_COMPLETION_H

/* Completion for bash, from the same tables as the help; the build calls this. */

#include <stdio.h>

void completion_bash(FILE *file);

#endif
