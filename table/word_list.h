/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Different texts, numbered in the order of their first occurrence, with a hash table. Start with
 * {0}. */

#include "table/table.h"
#include "table/text_pool.h"

struct word_list {
    struct text_pool texts;
    struct span *word; /* count */
    size_t count;
    size_t *slot; /* slots: 1 + the number of a word, or 0; at most half of them are used */
    size_t slots; /* a power of two */
};

/* The number of a word, which is added if it is new. False when out of memory. */
bool word_list_find(struct word_list *list, struct span word, size_t *number);
void word_list_free(struct word_list *list);
