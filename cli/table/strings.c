/* SPDX-License-Identifier: Apache-2.0 */
#include "strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct strings_chunk {
    struct strings_chunk *before;
    size_t size;
    char text[];
};

enum { CHUNK = 64 * 1024 };

char *strings_take(struct strings *strings, size_t size) {
    if (!strings->chunk || strings->chunk->size - strings->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        if (room > SIZE_MAX - sizeof(struct strings_chunk))
            return NULL;
        struct strings_chunk *chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct strings_chunk){.before = strings->chunk, .size = room};
        strings->chunk = chunk;
        strings->used = 0;
    }
    char *text = strings->chunk->text + strings->used;
    strings->used += size;
    return text;
}

char *strings_copy(struct strings *strings, const char *text, size_t length) {
    char *copy = strings_take(strings, length + 1);
    if (copy) {
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void strings_reuse(struct strings *strings) {
    while (strings->chunk && strings->chunk->before) {
        struct strings_chunk *before = strings->chunk->before;
        free(strings->chunk);
        strings->chunk = before;
    }
    strings->used = 0;
}

void strings_free(struct strings *strings) {
    strings_reuse(strings);
    free(strings->chunk);
    *strings = (struct strings){0};
}
