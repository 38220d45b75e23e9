/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TABLE_STRINGS_H
#define CLI_TABLE_STRINGS_H

/* Many short texts that stay where they are and are freed all at once. Start with {0}. */

#include <stddef.h>

struct strings {
    struct strings_chunk *chunk; /* the latest; each knows the one before */
    size_t used;
};

/* Room for `size` bytes; NULL when out of memory. */
char *strings_take(struct strings *strings, size_t size);

/* A terminated copy; NULL when out of memory. */
char *strings_copy(struct strings *strings, const char *text, size_t length);

/* Forgets all texts but keeps some room. */
void strings_reuse(struct strings *strings);

void strings_free(struct strings *strings);

#endif
