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

/* U+0080 to U+009F, which terminals may obey too. */
static bool is_control(const char *text, size_t length) {
    unsigned char first = (unsigned char)text[0];
    return length == 1 ? first < 0x20 || first == 0x7f
                       : first == 0xc2 && (unsigned char)text[1] < 0xa0;
}

void make_one_line(char *text) {
    for (size_t left = strlen(text); left;) {
        size_t length = utf8_length(text, left), step = length ? length : 1;
        if (!length || is_control(text, length))
            memset(text, '?', step);
        text += step;
        left -= step;
    }
}
