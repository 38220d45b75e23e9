/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 character at `text`, of which `left` bytes may be read, or 0 if it is not
 * valid: overlong forms, surrogates and codes above U+10FFFF are not. */
size_t utf8_length(const char *text, size_t left);

/* The code of the valid character of `length` bytes at `text`; and the inverse, which writes at
 * most four bytes to `out` and returns their number. */
uint32_t utf8_code(const char *text, size_t length);
size_t utf8_write(uint32_t code, char *out);

/* Whether all of a text is well formed UTF-8. */
bool utf8_valid(const char *text);
