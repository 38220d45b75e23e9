/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of threads for numbered units of work.
 *
 * Work is divided into units by the shape of the problem, never by the number of threads, and each
 * unit writes to its own memory. So results do not depend on which thread runs which unit.
 */
#pragma once

#include <stddef.h>

struct pool;

/* `worker` < pool_threads() selects the scratch memory of the thread. */
typedef void unit_function(void *context, size_t unit, size_t worker);

/* NULL if threads or memory are not available. With one thread, units run in the calling thread.
 */
struct pool *pool_create(size_t threads);
void pool_free(struct pool *pool);
size_t pool_threads(const struct pool *pool);

/* Runs units 0 .. count-1 and returns when all are done. */
void pool_run(struct pool *pool, size_t count, unit_function *function, void *context);

/* The number of processors that this process may use. */
size_t pool_processors(void);
