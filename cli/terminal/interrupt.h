/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Ctrl-C, SIGTERM and SIGHUP. The first signal only sets a flag. A command checks it between steps
 * or blocks of rows, so that it can end properly and leave no incomplete file. Slow system calls
 * return with EINTR. The second signal ends the program at once.
 *
 * A limit on the size of files is an error of writing, and no signal. A mapped file that becomes
 * shorter while it is read ends the program with a message.
 */

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);
