/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_INTERRUPT_H
#define CLI_TERMINAL_INTERRUPT_H

/*
 * Ctrl-C, and being told to end (SIGTERM, SIGHUP). The first one only raises a flag: a command that
 * looks at it between steps or blocks of rows can finish properly and leave no half-written file.
 * Slow system calls return with EINTR. The second one ends the program on the spot.
 */

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);

#endif
