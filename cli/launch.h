/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

/* How the program starts and ends: alone (alone.c) or as one of many (mpi.c). */

/* First of all in main(). */
void launch(int *count, char ***words);

/* Last of all; returns the exit code of this process. Where others of the team do not come to
 * their end as well, they are ended. */
int land(int code);

#endif
