/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_TEXT_POOL_H
#define TABLE_TEXT_POOL_H

/* Many short pool that stay where they are and are freed all at once. Start with {0}. */

#include <stddef.h>

struct text_pool {
    struct text_pool_chunk *chunk; /* the latest; each knows the one before */
    size_t used;
};

/* Room for `size` bytes; NULL when out of memory. */
char *text_pool_take(struct text_pool *pool, size_t size);

/* A terminated copy; NULL when out of memory. */
char *text_pool_copy(struct text_pool *pool, const char *text, size_t length);

/* Forgets all pool but keeps some room. */
void text_pool_reuse(struct text_pool *pool);

void text_pool_free(struct text_pool *pool);

#endif
