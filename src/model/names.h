/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texts stored with a model: names of attributes and classes, and notes under keys. */

#include <stdbool.h>
#include <stddef.h>

/* A list of owned strings; NULL for names that were not given. */
struct text_list {
    size_t count;
    char **text;
};

struct note_list {
    size_t count;
    struct {
        char *key, *text;
    } * note;
};

bool text_list_create(struct text_list *list, size_t count);
void text_list_free(struct text_list *list);

/* Stores a copy of `text` at `index`; false when out of memory. */
bool text_list_set(struct text_list *list, size_t index, const char *text);

/* Adds a note under a new key; false when out of memory. */
bool note_list_add(struct note_list *list, const char *key, const char *text);

void note_list_free(struct note_list *list);
