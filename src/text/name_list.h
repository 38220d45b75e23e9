/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Lists of names as typed by users: a,b,c. Blanks around a name are ignored. A name that contains a
 * comma or a quote is in quotes, with quotes inside doubled, as in CSV: "a,b",c.
 */

#include "text/complaint.h"

#include <stddef.h>

struct name_list {
    size_t count;
    char **item; /* each terminated, owned by the list */
};

/* Adds the names in `text`; `what` ("--features") begins the complaint about an invalid list. */
bool name_list_split(struct name_list *list, const char *text, const char *what,
                     struct complaint *complaint);

bool name_list_add(struct name_list *list, const char *text, size_t length,
                   struct complaint *complaint);

/* The list as text that name_list_split can read; to be freed. NULL when out of memory. */
char *name_list_join(const struct name_list *list);

/* For messages: the first names, "a, b, c, ... 5 more", as far as they fit. */
void name_list_show(const struct name_list *list, size_t most, char *text, size_t size);

/* Whether the list contains the name; case matters. */
bool name_list_has(const struct name_list *list, const char *name);

/* Leaves an empty list. */
void name_list_free(struct name_list *list);
