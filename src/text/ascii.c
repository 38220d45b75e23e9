/* SPDX-License-Identifier: Apache-2.0 */
#include "text/ascii.h"

#include "text/utf8.h"

#include <string.h>

char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ascii_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool ascii_is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

bool ascii_same(const char *a, const char *b) {
    while (*a && ascii_lower(*a) == ascii_lower(*b))
        a++, b++;
    return ascii_lower(*a) == ascii_lower(*b);
}

bool ascii_starts(const char *text, const char *start) {
    while (*start && ascii_lower(*text) == ascii_lower(*start))
        text++, start++;
    return !*start;
}

const char *plural_s(size_t count) {
    return count == 1 ? "" : "s";
}

bool is_control(const char *text, size_t length) {
    uint32_t code = length ? utf8_code(text, length) : 0;
    bool turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                 (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           turns;
}

void make_one_line(char *text) {
    for (size_t left = strlen(text); left;) {
        size_t length = utf8_length(text, left), step = length ? length : 1;
        if (is_control(text, length))
            memset(text, '?', step);
        text += step;
        left -= step;
    }
}
