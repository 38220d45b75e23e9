/* SPDX-License-Identifier: Apache-2.0 */
#include "table/base64.h"

#include "text/ascii.h"

/* The six bits of a letter, 64 when it is none. */
static uint32_t bits_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool base64_read(struct base64 *state, const char *text, size_t length, unsigned char *out,
                 size_t *made) {
    unsigned char *put = out;
    for (size_t i = 0; i < length; i++) {
        uint32_t bits = bits_of(text[i]);
        if (bits == 64 && ascii_blank(text[i]))
            continue;
        if (text[i] == '=' && state->held >= 2 && state->held + state->padded < 4) {
            state->padded++;
            continue;
        }
        if (bits == 64 || state->padded)
            return false;
        state->bits = state->bits << 6 | bits;
        if (++state->held >= 2) /* 12, 18, 24 bits: the next byte is whole */
            *put++ = (unsigned char)(state->bits >> (state->held == 2   ? 4
                                                     : state->held == 3 ? 2
                                                                        : 0));
        state->held %= 4;
    }
    *made = (size_t)(put - out);
    return true;
}

bool base64_is_whole(const struct base64 *state) {
    return state->held != 1 && (!state->padded || state->held + state->padded == 4);
}
