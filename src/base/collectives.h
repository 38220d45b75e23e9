/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_BASE_COLLECTIVES_H
#define NIMGP_BASE_COLLECTIVES_H

/* Talk between the processes of a training, through what the caller handed in (nimgp.h). */

#include "base/status.h"

#include <stdbool.h>

/* Stretch number `rank` of `count` things cut into nearly equal parts, one for each process. */
static inline size_t part_start(size_t count, size_t rank, size_t processes) {
    return count * rank / processes;
}

/* Where there are no others (processes 0 or 1) these do nothing. A call that fails is
 * NIM_COMMUNICATION: most likely a process is gone. */
nim_status collective_sum(const nim_collectives *all, int64_t *values, size_t count,
                          nim_error *error);
nim_status collective_largest(const nim_collectives *all, int64_t *values, size_t count,
                              nim_error *error);

/* array: bytes in as many stretches as processes, of which every process has its own; then all of
 * them. */
nim_status collective_gather(const nim_collectives *all, void *array, const size_t *offset,
                             nim_error *error);

/* Every process says how it fares; all fail where one does. */
nim_status collective_agree(const nim_collectives *all, nim_status own, nim_error *error);

/* One process that wants to stop stops all. */
nim_status collective_agree_to_stop(const nim_collectives *all, bool *stop, nim_error *error);

#endif
