/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Start and end of the program: as one process (alone.c) or as one of several (mpi.c). */

/* Must be called first in main(). */
void launch(int *count, char ***words);

/* Must be called last; returns the exit code of this process. Ends other processes of the team that
 * have not reached their end. */
int land(int code);
