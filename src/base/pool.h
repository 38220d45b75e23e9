/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few threads that work through numbered units.
 *
 * Work is cut into units by the shape of the problem, never by the number of threads, and each unit
 * writes to places of its own; so results do not depend on who does which unit.
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

struct pool;

/* `worker` < pool_threads(): for scratch memory of its own. */
typedef void unit_function(void *context, size_t unit, size_t worker);

/* NULL when threads or memory cannot be had. One thread needs no others: units run in the caller.
 */
struct pool *pool_create(size_t threads);
void pool_free(struct pool *pool);
size_t pool_threads(const struct pool *pool);

/* Runs units 0 .. count-1 and returns when all are done. */
void pool_run(struct pool *pool, size_t count, unit_function *function, void *context);

/* How many processors this process may use. */
size_t pool_processors(void);

#endif
