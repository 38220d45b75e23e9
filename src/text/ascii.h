/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_ASCII_H
#define NIMGP_TEXT_ASCII_H

/* Text in ASCII, whatever the locale; other bytes are left as they are. */

#include <stdbool.h>
#include <stddef.h>

char ascii_lower(char c);
bool ascii_is_lower(char c);

/* A blank, tab, or end of line of any kind. */
bool ascii_blank(char c);

/* Whether two texts are the same but for upper and lower case. */
bool ascii_same(const char *a, const char *b);

/* Whether the text begins so; upper and lower case are the same. */
bool ascii_starts(const char *text, const char *start);

/* "" for one, else "s". */
const char *plural_s(size_t count);

/* Makes one line of it that does no harm to a terminal, whatever it holds: control characters and
 * bytes that are no UTF-8 become question marks. */
void make_one_line(char *text);

#endif
