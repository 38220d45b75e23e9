/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the JSON of model file headers: objects, arrays, strings and whole numbers. The caller
 * takes one element after the other and knows which must come next. Text is decoded in place.
 */

#include <stdbool.h>
#include <stddef.h>

struct json_reader {
    char *at, *end; /* the rest of the text; *end is writable */
};

/* Takes one of the characters { } [ ] , : after blanks; false if the next character is another. */
bool json_take(struct json_reader *json, char mark);

/* Takes a string, decoded and terminated; NULL if there is none, or if it is not valid UTF-8 or
 * contains a zero byte. */
char *json_take_string(struct json_reader *json);

/* Takes a whole number that fits. */
bool json_take_whole(struct json_reader *json, size_t *value);

/* Whether nothing but blanks is left. */
bool json_at_end(struct json_reader *json);
