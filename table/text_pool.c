/* SPDX-License-Identifier: Apache-2.0 */
#include "table/text_pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text_pool_chunk {
    struct text_pool_chunk *before;
    size_t size;
    char text[];
};

enum { CHUNK = 64 * 1024 };

char *text_pool_take(struct text_pool *pool, size_t size) {
    if (!pool->chunk || pool->chunk->size - pool->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        if (room > SIZE_MAX - sizeof(struct text_pool_chunk))
            return NULL;
        struct text_pool_chunk *chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct text_pool_chunk){.before = pool->chunk, .size = room};
        pool->chunk = chunk;
        pool->used = 0;
    }
    char *text = pool->chunk->text + pool->used;
    pool->used += size;
    return text;
}

char *text_pool_copy(struct text_pool *pool, const char *text, size_t length) {
    char *copy = text_pool_take(pool, length + 1);
    if (copy) {
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void text_pool_reuse(struct text_pool *pool) {
    while (pool->chunk && pool->chunk->before) {
        struct text_pool_chunk *before = pool->chunk->before;
        free(pool->chunk);
        pool->chunk = before;
    }
    pool->used = 0;
}

void text_pool_free(struct text_pool *pool) {
    text_pool_reuse(pool);
    free(pool->chunk);
    *pool = (struct text_pool){0};
}
