/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Many short texts at fixed addresses that are freed together. Start with {0}. */

#include <stddef.h>

struct text_pool {
    struct text_pool_chunk *chunk; /* the latest; each has a pointer to the one before */
    size_t used;
};

/* Space for `size` bytes; NULL when out of memory. */
char *text_pool_take(struct text_pool *pool, size_t size);

/* A terminated copy; NULL when out of memory. */
char *text_pool_copy(struct text_pool *pool, const char *text, size_t length);

/* Removes all texts but keeps some memory for reuse. */
void text_pool_reuse(struct text_pool *pool);

void text_pool_free(struct text_pool *pool);
