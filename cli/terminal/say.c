/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard error. */
#include "cli/terminal/command.h"

#include "cli/terminal/team.h"
#include "text/ascii.h"

#include <stdarg.h>
#include <stdio.h>

void say(const struct arguments *arguments, const char *format, ...) {
    if (argument_given(arguments, "quiet") || !team_leads())
        return;
    char line[2048]; /* one write a line, so that lines of several programs do not mix */
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    make_one_line(line);
    fprintf(stderr, "nimgp: %s\n", line);
}
