/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_JSON_READER_H
#define NIMGP_TEXT_JSON_READER_H

/*
 * As much JSON as a model file's header needs: objects, arrays, strings and whole numbers, taken
 * one after the other by a reader that knows what must come next. Text is decoded in place.
 */

#include <stdbool.h>
#include <stddef.h>

struct json_reader {
    char *at, *end; /* what is left to read; *end may be written to */
};

/* Takes one of the characters { } [ ] , : after blanks; false when something else stands there. */
bool json_take(struct json_reader *json, char mark);

/* Takes a string, decoded and terminated; NULL when there is none or it is not well formed UTF-8
 * without zero bytes. */
char *json_take_string(struct json_reader *json);

/* Takes a whole number that fits. */
bool json_take_whole(struct json_reader *json, size_t *value);

/* Whether nothing but blanks is left. */
bool json_at_end(struct json_reader *json);

#endif
