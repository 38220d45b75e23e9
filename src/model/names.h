/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Notes, which are texts stored with a model under keys. */

#include <stdbool.h>
#include <stddef.h>

struct note_list {
    size_t count;
    struct {
        char *key, *text;
    } * note;
};

/* Adds a note under a new key; false when out of memory. */
bool note_list_add(struct note_list *list, const char *key, const char *text);

void note_list_free(struct note_list *list);
