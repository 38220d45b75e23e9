/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One block of memory for all arrays of a handle.
 *
 * A layout function runs twice: with an arena without memory, which only adds up the sizes, and
 * with the real one. So the list of arrays is written once, and a step never allocates.
 */

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

/* Element i of a list of structures from an arena, to be filled in; while measuring, when there is
 * no list yet, a temporary one. */
#define ARENA_ELEMENT(list, i) ((list) ? &(list)[i] : &(__typeof__(*(list))){0})

/* Allocates zeroed memory of the measured size and starts over. False when out of memory, or if it
 * is more than the machine has. */
bool arena_allocate(struct arena *arena);
void arena_free(struct arena *arena);
