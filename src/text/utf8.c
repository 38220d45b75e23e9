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

uint32_t utf8_code(const char *text, size_t length) {
    static const unsigned char held[] = {0, 0x7f, 0x1f, 0x0f, 0x07}; /* bits of the first byte */
    uint32_t code = (unsigned char)text[0] & held[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

size_t utf8_write(uint32_t code, char *out) {
    static const unsigned char lead[] = {0x00, 0xc0, 0xe0, 0xf0};
    size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (char)(lead[more] | code >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    return more + 1;
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
