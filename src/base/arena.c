/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void *arena_bytes(struct arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2 - arena->used) {
        arena->overflow = true;
        return NULL;
    }
    void *start = arena->memory ? arena->memory + arena->used : NULL;
    arena->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

double *arena_doubles(struct arena *arena, size_t count) {
    return arena_bytes(arena, count, sizeof(double));
}

size_t *arena_sizes(struct arena *arena, size_t count) {
    return arena_bytes(arena, count, sizeof(size_t));
}

bool arena_allocate(struct arena *arena) {
    if (arena->overflow)
        return false;
    arena->size = arena->used ? arena->used : ALIGNMENT;
    arena->memory = aligned_alloc(ALIGNMENT, arena->size);
    arena->used = 0;
    if (arena->memory)
        memset(arena->memory, 0, arena->size);
    return arena->memory != NULL;
}

void arena_free(struct arena *arena) {
    free(arena->memory);
    *arena = (struct arena){0};
}
