/* SPDX-License-Identifier: Apache-2.0 */
#include "text/ascii.h"

char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ascii_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool ascii_is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

bool ascii_starts(const char *text, const char *start) {
    while (*start && ascii_lower(*text) == ascii_lower(*start))
        text++, start++;
    return !*start;
}

const char *plural_s(size_t count) {
    return count == 1 ? "" : "s";
}

void make_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}
