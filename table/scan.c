/* SPDX-License-Identifier: Apache-2.0 */
#include "table/scan.h"

#include <string.h>

/* Bytes that are compared at once, which all processors with vectors can. */
typedef uint8_t lane __attribute__((vector_size(16)));

/* Bit i: byte i of the lane is `wanted`. Of eight bytes that are all ones or zeros, one bit each is
 * left, and a multiplication adds them up in the highest byte. */
static inline uint64_t equal(lane text, char wanted) {
    static const uint8_t one[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint64_t half[2], each;
    lane same = (lane)(text == (uint8_t)wanted);
    memcpy(half, &same, sizeof half);
    memcpy(&each, one, sizeof each);
    for (int i = 0; i < 2; i++)
        half[i] = (half[i] & each) * 0x0101010101010101 >> 56;
    return half[0] | half[1] << 8;
}

/* Bit i of each: byte i of 64 is one. */
struct marks {
    uint64_t separators, newlines, quotes, nuls;
};

static inline struct marks mark(const char *text, char separator) {
    struct marks marks = {0};
    for (int i = 0; i < 64; i += (int)sizeof(lane)) {
        lane part;
        memcpy(&part, text + i, sizeof part);
        marks.separators |= equal(part, separator) << i;
        marks.newlines |= equal(part, '\n') << i;
        marks.quotes |= equal(part, '"') << i;
        marks.nuls |= equal(part, '\0') << i;
    }
    return marks;
}

/* The positions of the bits set, eight at a time: writing a few too many is cheaper than asking. */
static inline uint32_t *write_positions(uint32_t *out, uint64_t bits, uint32_t base) {
    uint32_t *end = out + __builtin_popcountll(bits);
    while (bits) {
        for (int i = 0; i < 8; i++) {
            out[i] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
            bits &= bits - 1;
        }
        out += 8;
    }
    return end;
}

struct scan scan_text(const char *text, size_t from, size_t to, char separator,
                      uint32_t *positions) {
    struct scan scan = {0};
    uint32_t *out = positions;
    uint64_t quotes = 0, nuls = 0;
    for (size_t at = from; at < to; at += 64) {
        struct marks marks = mark(text + at, separator);
        uint64_t inside = to - at >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (to - at)) - 1;
        quotes |= marks.quotes & inside;
        nuls |= marks.nuls & inside;
        scan.newlines += (size_t)__builtin_popcountll(marks.newlines & inside);
        out = write_positions(out, (marks.separators | marks.newlines | marks.quotes) & inside,
                              (uint32_t)at);
    }
    scan.count = (size_t)(out - positions);
    scan.quotes = quotes != 0;
    scan.nul = nuls != 0;
    return scan;
}

size_t scan_count_lines(const char *text, size_t length) {
    size_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}
