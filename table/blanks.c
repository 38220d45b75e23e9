/* SPDX-License-Identifier: Apache-2.0 */
#include "table/blanks.h"

#include "text/blank.h"

#include <string.h>

/* Words up to the end of a line; *end is behind it, NULL if the text ends before. */
static size_t count_words(const char *text, size_t length, const char **end) {
    size_t words = 0;
    bool inside = false;
    *end = NULL;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            *end = text + i + 1;
            break;
        }
        words += !inside && !is_blank(text[i]);
        inside = !is_blank(text[i]);
    }
    return words;
}

bool blanks_separate(const char *text, size_t length) {
    const char *next, *end;
    size_t words = count_words(text, length, &next);
    for (const char *c = text; next && c < next; c++)
        if (strchr(",;\t\"", *c))
            return false;
    return words > 1 && next && count_words(next, length - (size_t)(next - text), &end) == words;
}

size_t blanks_squeeze(struct blanks *blanks, const char *from, size_t length, char *to) {
    char *start = to;
    for (size_t i = 0; i < length; i++) {
        char c = from[i];
        if (!blanks->quoted && is_blank(c)) {
            blanks->waiting = !blanks->line_starts;
            continue;
        }
        if (blanks->waiting && c != '\n')
            *to++ = ' ';
        blanks->waiting = false;
        blanks->quoted ^= c == '"';
        blanks->line_starts = c == '\n';
        *to++ = c;
    }
    return (size_t)(to - start);
}
