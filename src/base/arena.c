/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* More than the machine has is promised by many systems, which end the process when it is used. */
static bool machine_has(size_t bytes) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page <= 0 || bytes / (size_t)page <= (size_t)pages;
}

bool arena_allocate(struct arena *arena) {
    if (arena->overflow || !machine_has(arena->used))
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
