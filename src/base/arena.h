/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block of memory for everything a handle needs.
 *
 * A layout function is run twice: over an arena without memory, which only adds up the sizes, and
 * over the real one. So the list of arrays is written once and a step never allocates.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    unsigned char *memory; /* NULL while only measuring */
    size_t used, size;
    bool overflow; /* a size did not fit into size_t */
};

/* `count` zeroed elements, 64-byte aligned; NULL while measuring. */
double *arena_doubles(struct arena *arena, size_t count);
size_t *arena_sizes(struct arena *arena, size_t count);
void *arena_bytes(struct arena *arena, size_t count, size_t size);

/* Gets zeroed memory for what has been measured and starts over. False when there is none. */
bool arena_allocate(struct arena *arena);
void arena_free(struct arena *arena);

#endif
