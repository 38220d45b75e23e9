/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_H
#define JSON_H

/*
 * As much JSON as a model file's header needs: objects, arrays, strings and whole numbers, taken
 * one after the other by a reader that knows what must come next. Text is decoded in place.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json {
    char *at, *end; /* what is left to read; *end may be written to */
};

/* Takes one of the characters { } [ ] , : after blanks; false when something else stands there. */
bool json_take(struct json *json, char mark);

/* Takes a string, decoded and terminated; NULL when there is none or it is not well formed UTF-8
 * without zero bytes. */
char *json_string(struct json *json);

/* Takes a whole number that fits. */
bool json_whole(struct json *json, size_t *value);

/* Whether nothing but blanks is left. */
bool json_done(struct json *json);

/* Whether text is well formed UTF-8. */
bool utf8_valid(const char *text);

/* Writes a string in quotes, with all that must be escaped. */
void json_quote(FILE *file, const char *text);

#endif
