/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_TEXTS_H
#define TABLE_TEXTS_H

/* Many short texts that stay where they are and are freed all at once. Start with {0}. */

#include <stddef.h>

struct texts {
    struct texts_chunk *chunk; /* the latest; each knows the one before */
    size_t used;
};

/* Room for `size` bytes; NULL when out of memory. */
char *texts_take(struct texts *texts, size_t size);

/* A terminated copy; NULL when out of memory. */
char *texts_copy(struct texts *texts, const char *text, size_t length);

/* Forgets all texts but keeps some room. */
void texts_reuse(struct texts *texts);

void texts_free(struct texts *texts);

#endif
