/* SPDX-License-Identifier: Apache-2.0 */
#include "text/utf8.h"

#include <string.h>

size_t utf8_length(const char *text, size_t left) {
    const unsigned char *s = (const unsigned char *)text;
    if (!left)
        return 0;
    unsigned first = s[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && s[1] < 0xa0) || (first == 0xed && s[1] > 0x9f) ||
        (first == 0xf0 && s[1] < 0x90) || (first == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

bool utf8_valid(const char *text) {
    size_t left = strlen(text);
    while (left) {
        size_t length = utf8_length(text, left);
        if (!length)
            return false;
        text += length;
        left -= length;
    }
    return true;
}
