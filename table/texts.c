/* SPDX-License-Identifier: Apache-2.0 */
#include "table/texts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct texts_chunk {
    struct texts_chunk *before;
    size_t size;
    char text[];
};

enum { CHUNK = 64 * 1024 };

char *texts_take(struct texts *texts, size_t size) {
    if (!texts->chunk || texts->chunk->size - texts->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        if (room > SIZE_MAX - sizeof(struct texts_chunk))
            return NULL;
        struct texts_chunk *chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct texts_chunk){.before = texts->chunk, .size = room};
        texts->chunk = chunk;
        texts->used = 0;
    }
    char *text = texts->chunk->text + texts->used;
    texts->used += size;
    return text;
}

char *texts_copy(struct texts *texts, const char *text, size_t length) {
    char *copy = texts_take(texts, length + 1);
    if (copy) {
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void texts_reuse(struct texts *texts) {
    while (texts->chunk && texts->chunk->before) {
        struct texts_chunk *before = texts->chunk->before;
        free(texts->chunk);
        texts->chunk = before;
    }
    texts->used = 0;
}

void texts_free(struct texts *texts) {
    texts_reuse(texts);
    free(texts->chunk);
    *texts = (struct texts){0};
}
