/* SPDX-License-Identifier: Apache-2.0 */
#include "table/word_list.h"

#include "text/growing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 16 };

/* FNV-1a. */
static uint64_t hash_of(struct span word) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < word.length; i++)
        hash = (hash ^ (unsigned char)word.text[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Where the word is, or would be. */
static size_t *slot_of(const struct word_list *list, struct span word) {
    size_t at = (size_t)hash_of(word);
    for (;; at++) {
        size_t *slot = &list->slot[at & (list->slots - 1)];
        const struct span *known = *slot ? &list->word[*slot - 1] : NULL;
        if (!known || (known->length == word.length &&
                       (!word.length || memcmp(known->text, word.text, word.length) == 0)))
            return slot;
    }
}

static bool make_slots(struct word_list *list) {
    size_t slots = list->slots ? 2 * list->slots : FIRST_SLOTS;
    size_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(list->slot);
    list->slot = slot;
    list->slots = slots;
    for (size_t i = 0; i < list->count; i++)
        *slot_of(list, list->word[i]) = i + 1;
    return true;
}

static bool add_word(struct word_list *list, struct span word) {
    struct span *grown = grow_by_one(list->word, list->count, sizeof *list->word);
    if (!grown)
        return false;
    list->word = grown;
    const char *copy = text_pool_copy(&list->texts, word.text, word.length);
    if (copy)
        list->word[list->count++] = (struct span){copy, word.length};
    return copy != NULL;
}

bool word_list_find(struct word_list *list, struct span word, size_t *number) {
    if (2 * (list->count + 1) > list->slots && !make_slots(list))
        return false;
    size_t *slot = slot_of(list, word);
    if (!*slot) {
        if (!add_word(list, word))
            return false;
        *slot = list->count;
    }
    *number = *slot - 1;
    return true;
}

void word_list_free(struct word_list *list) {
    text_pool_free(&list->texts);
    free(list->word);
    free(list->slot);
    *list = (struct word_list){0};
}
