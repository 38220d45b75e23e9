/* SPDX-License-Identifier: Apache-2.0 */
#include "text/plain.h"

#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)PLAIN_NUMBER > (int)NUMBER_LENGTH, "room for a number and its end");

char plain_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool plain_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool plain_lowercase(char c) {
    return c >= 'a' && c <= 'z';
}

bool plain_starts(const char *text, const char *start) {
    while (*start && plain_lower(*text) == plain_lower(*start))
        text++, start++;
    return !*start;
}

const char *plain_plural(size_t count) {
    return count == 1 ? "" : "s";
}

void plain_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

bool plain_number(const char *text, double *number) {
    while (plain_blank(*text))
        text++;
    /* strtod also reads hexadecimal, infinity and NaN, in which nobody types a table's number. */
    size_t length = strspn(text, "+-.0123456789eE");
    if (!length)
        return false;
    char *end;
    *number = strtod(text, &end);
    if (end != text + length || !isfinite(*number))
        return false;
    while (plain_blank(*end))
        end++;
    return !*end;
}

void plain_write(double number, char text[PLAIN_NUMBER]) {
    text[number_write(number, text)] = '\0';
}
