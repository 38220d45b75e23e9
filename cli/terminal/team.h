/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_TEAM_H
#define CLI_TERMINAL_TEAM_H

/*
 * The processes that run one command together; a program of its own unless main() was told of
 * others (launch.h). All do the same, and each knows all of it; the first one, the leader, talks
 * and writes files.
 */

#include "nimgp.h"
#include "text/complaint.h"

#include <stddef.h>

/* What connects them; they must outlive the program. */
void team_join(const nim_collectives *all);

/* NULL where there is no team. */
const nim_collectives *team_collectives(void);
size_t team_size(void);
bool team_leads(void);

/*
 * Where all must have come through so far before they go on together: false for all when one has
 * failed. Once in each process; the first that failed keeps its complaint, the others have one of
 * the same kind without text.
 */
bool team_agree(bool good, struct complaint *complaint);

/* Before this process tells why it failed: where all have failed alike one of them tells, and where
 * they have not agreed yet those that wait for it learn of it. */
void team_settle_complaint(struct complaint *complaint);

/* A table every process can read: standard input reaches only one. */
bool team_can_read(const char *path, struct complaint *complaint);

/* This process's share of `count` things: from *first up to the result. */
size_t team_share(size_t count, size_t *first);

/* array: `count` elements of `bytes` each, of which each process has filled in its share. */
bool team_gather(void *array, size_t count, size_t bytes, struct complaint *complaint);

#endif
