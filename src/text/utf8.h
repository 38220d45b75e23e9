/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_UTF8_H
#define NIMGP_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 character at `text`, of which `left` bytes may be looked at, or 0 where there
 * is none: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t utf8_length(const char *text, size_t left);

/* The code of the well formed character at `text`, of `length` bytes; and the other way round: its
 * bytes into `out`, at most four, and how many. */
uint32_t utf8_code(const char *text, size_t length);
size_t utf8_write(uint32_t code, char *out);

/* Whether all of a text is well formed UTF-8. */
bool utf8_valid(const char *text);

#endif
