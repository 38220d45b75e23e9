/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* ASCII text, independent of the locale; other bytes are not changed. */

#include <stdbool.h>
#include <stddef.h>

char ascii_lower(char c);
bool ascii_is_lower(char c);

/* A blank, tab, or end of line of any kind. */
bool ascii_blank(char c);

/* Whether two texts are equal, ignoring case. */
bool ascii_same(const char *a, const char *b);

/* Whether the text begins with this, ignoring case. */
bool ascii_starts(const char *text, const char *start);

/* "" for one, else "s". */
const char *plural_s(size_t count);

/* Whether a terminal may obey this UTF-8 character instead of showing it: control characters, also
 * U+0080 to U+009F, ends of lines, and those that turn the direction of writing. A length of 0
 * means bytes that are no character; they are. */
bool is_control(const char *text, size_t length);

/* Makes the text safe to print on a terminal as one line: control characters and bytes that are not
 * UTF-8 become question marks. */
void make_one_line(char *text);
