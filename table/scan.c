/* SPDX-License-Identifier: Apache-2.0 */
#include "table/scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bit i of each: byte i of 64 is one. */
struct marks {
    uint64_t separators, newlines, quotes, nuls;
};

#if defined(__SSE2__)

static inline uint64_t equal(const __m128i bytes[4], char wanted) {
    __m128i pattern = _mm_set1_epi8(wanted);
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes[i], pattern))
                << (16 * i);
    return bits;
}

static inline struct marks mark(const char *text, char separator) {
    __m128i bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
    return (struct marks){equal(bytes, separator), equal(bytes, '\n'), equal(bytes, '"'),
                          equal(bytes, '\0')};
}

#else

/* Bit i: byte i of eight is zero. Seven bits plus 0x7f carry into the eighth unless they are zero;
 * a multiplication gathers the eighth bits. */
static inline uint64_t zero_bytes(uint64_t word) {
    const uint64_t seven = 0x7f7f7f7f7f7f7f7f;
    uint64_t zero = ~(((word & seven) + seven) | word | seven);
    return ((zero >> 7) * 0x0102040810204080) >> 56;
}

static inline struct marks mark(const char *text, char separator) {
    const uint64_t ones = 0x0101010101010101;
    struct marks marks = {0};
    for (int i = 0; i < 8; i++) {
        uint64_t word = 0;
        for (int k = 7; k >= 0; k--)
            word = word << 8 | (unsigned char)text[8 * i + k];
        marks.separators |= zero_bytes(word ^ (ones * (unsigned char)separator)) << (8 * i);
        marks.newlines |= zero_bytes(word ^ (ones * '\n')) << (8 * i);
        marks.quotes |= zero_bytes(word ^ (ones * '"')) << (8 * i);
        marks.nuls |= zero_bytes(word) << (8 * i);
    }
    return marks;
}

#endif

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
