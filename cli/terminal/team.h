/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The processes that run one command together; a single process unless launch.h has added others.
 * All run the same command on the same data and divide the steps of a training and the rows of a
 * prediction. Only the first one, the leader, prints messages and writes files.
 */

#include "nimgp.h"
#include "text/complaint.h"

#include <stddef.h>

/* Sets the communication functions, which must exist until the program ends. */
void team_join(const nim_collectives *all);

/* NULL for a single process. */
const nim_collectives *team_collectives(void);
size_t team_size(void);
bool team_leads(void);

/*
 * A point that all processes must reach without failure: returns false in all of them if one has
 * failed. Called once in each process. The first process that failed keeps its complaint; the
 * others get one of the same kind without text.
 */
bool team_agree(bool good, struct complaint *complaint);

/* What the leader passes, in all processes; false if they cannot communicate. */
bool team_follow(bool leaders);

/* Called before this process prints why it failed. If all have failed in the same way, only one
 * prints. If the others are still waiting in team_agree, it informs them. */
void team_settle_complaint(struct complaint *complaint);

/* Fails if not every process can read the table: standard input is available to one process only.
 */
bool team_can_read(const char *path, struct complaint *complaint);

/* The part of `count` things of this process: from *first up to the result. */
size_t team_share(size_t count, size_t *first);

/* array: `count` elements of `bytes` each; each process has filled in its part, and gets all. */
bool team_gather(void *array, size_t count, size_t bytes, struct complaint *complaint);
