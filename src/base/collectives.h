/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Communication between the processes of a training, through the caller's functions (nimgp.h). */

#include "base/status.h"

#include <stdbool.h>

/* The start of part `rank` if `count` things are divided into nearly equal parts, one per process.
 */
static inline size_t part_start(size_t count, size_t rank, size_t processes) {
    return count * rank / processes;
}

/* With a single process (processes 0 or 1) these functions do nothing. A call that fails returns
 * NIM_COMMUNICATION; most likely another process has ended. */
nim_status collective_sum(const nim_collectives *all, int64_t *values, size_t count,
                          nim_error *error);
nim_status collective_largest(const nim_collectives *all, int64_t *values, size_t count,
                              nim_error *error);

/* values: one part of numbers per process. Afterwards each process has the sums of its own part;
 * the other parts are undefined. */
nim_status collective_sum_parts(const nim_collectives *all, int64_t *values, const size_t *offset,
                                nim_error *error);

/* array: one part of bytes per process. Before the call each process has its own part, after it
 * all parts. */
nim_status collective_gather(const nim_collectives *all, void *array, const size_t *offset,
                             nim_error *error);

/* Exchanges the status of all processes; fails in all of them if one has failed. */
nim_status collective_agree(const nim_collectives *all, nim_status own, nim_error *error);

/* Whether it is so in any process. */
nim_status collective_any(const nim_collectives *all, bool *so, nim_error *error);
