/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals to doubles, correctly rounded. */
#define _GNU_SOURCE
#include "text/number.h"

#include "text/ascii.h"
#include "text/blank.h"
#include "text/powers_of_ten.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A parsed decimal: mantissa 10^exponent, and the position of its digits. */
struct decimal {
    bool negative;
    uint64_t mantissa; /* right only if there are at most 19 digits */
    long exponent;     /* of ten, for the digits read as one integer */
    size_t digits;     /* with leading zeros */
    const char *first; /* first digit or point */
    const char *last;  /* behind the last digit or point */
};

static bool is_digit(char c) {
    return (unsigned)(c - '0') < 10;
}

/* ---------------------------------------------------------------- digits ---------------------- */

/* Whether all eight bytes are '0' .. '9': then and only then both the byte and the byte plus six
 * have the high half 3. */
static bool are_eight_digits(uint64_t bytes) {
    return ((bytes & 0xf0f0f0f0f0f0f0f0) |
            (((bytes + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333;
}

/* Their value, in the byte order that files need, too (safetensors.c): neighbours are joined to
 * pairs, pairs to fours, fours to the eight. */
static uint64_t eight_digits(uint64_t bytes) {
    bytes -= 0x3030303030303030;
    bytes = bytes * 10 + (bytes >> 8);
    uint64_t even = (bytes & 0x000000ff000000ff) * 0x000f424000000064; /* 10^6, 10^2 */
    uint64_t odd = ((bytes >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
    return (even + odd) >> 32;
}

/* Appends digits to the mantissa as long as there are any; it wraps around when there are many. */
static inline const char *take_digits(const char *p, const char *end, uint64_t *mantissa) {
    uint64_t value = *mantissa, bytes;
    while (end - p >= 8) {
        memcpy(&bytes, p, sizeof bytes);
        if (!are_eight_digits(bytes))
            break;
        value = value * 100000000 + eight_digits(bytes);
        p += 8;
    }
    for (; p < end && is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *mantissa = value;
    return p;
}

/* The exponent after an e; NULL when there are no digits. Far more than any exponent is enough. */
static const char *take_exponent(const char *p, const char *end, long *exponent) {
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    long value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < 100000000)
            value = value * 10 + (*p - '0');
    *exponent += negative ? -value : value;
    return p;
}

static inline bool take_decimal(const char *p, const char *end, struct decimal *d) {
    d->negative = *p == '-';
    p += *p == '-' || *p == '+';
    d->first = p;
    d->mantissa = 0;
    d->exponent = 0;
    p = take_digits(p, end, &d->mantissa);
    d->digits = (size_t)(p - d->first);
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = take_digits(p, end, &d->mantissa);
        d->exponent = fraction - p;
        d->digits += (size_t)(p - fraction);
    }
    d->last = p;
    if (!d->digits)
        return false;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = take_exponent(p + 1, end, &d->exponent);
    return p == end;
}

/* ---------------------------------------------------------------- rounding -------------------- */

/*
 * mantissa 10^exponent, rounded, from the leading bits of the power alone (Lemire, "Number parsing
 * at a gigabyte per second", 2021). False in the rare case that these do not decide, and where the
 * result is no normal number. mantissa > 0.
 */
static bool round_product(uint64_t mantissa, long exponent, double *value) {
    if (exponent < LEAST_POWER || exponent > 308)
        return false;
    const struct power_of_ten *power = &powers_of_ten[exponent - LEAST_POWER];
    int zeros = __builtin_clzll(mantissa);
    mantissa <<= zeros;
    unsigned __int128 product = (unsigned __int128)mantissa * power->high;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    /* What `high` leaves out of the power adds less than `mantissa` to the low half. 9 bits of the
     * high half are rounded away: only when they are all ones can a carry change them for good. */
    if ((high & 0x1ff) == 0x1ff && low + mantissa < low) {
        unsigned __int128 rest = (unsigned __int128)mantissa * power->low;
        uint64_t carried = low + (uint64_t)(rest >> 64);
        high += carried < low;
        low = carried;
        if ((high & 0x1ff) == 0x1ff && low == UINT64_MAX && (uint64_t)rest + mantissa < mantissa)
            return false; /* 128 bits do not decide */
    }
    unsigned top = (unsigned)(high >> 63);
    uint64_t bits = high >> (top + 9); /* 54 of them: one more than a double holds */
    if (low == 0 && (high & 0x1ff) == 0 && (bits & 3) == 1)
        return false; /* perhaps half-way, with nothing to be seen below */
    bits = (bits + (bits & 1)) >> 1;
    long biased = floor_log2_of_power((int)exponent) + 64 + 1023 - zeros - (int)(top ^ 1);
    if (bits >> 53) {
        bits >>= 1;
        biased++;
    }
    if (biased < 1 || biased > 2046)
        return false;
    bits = (bits & 0xfffffffffffff) | ((uint64_t)biased << 52);
    memcpy(value, &bits, sizeof *value);
    return true;
}

/*
 * By the C library. A double and the points half-way between two have at most 767 significant
 * digits, so of digits beyond 800 it matters only whether one is not zero.
 */
static double round_slowly(const struct decimal *d) {
    enum { ENOUGH = 800 };
    char text[ENOUGH + 32];
    size_t length = 0;
    long exponent = d->exponent;
    bool more = false;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.' || (*p == '0' && !length))
            continue;
        if (length < ENOUGH) {
            text[length++] = *p;
        } else {
            more |= *p != '0';
            exponent++;
        }
    }
    if (!length)
        return 0;
    if (more) {
        text[length++] = '1';
        exponent--;
    }
    text[length++] = 'e';
    bool negative = exponent < 0;
    unsigned long size = negative ? 0 - (unsigned long)exponent : (unsigned long)exponent;
    if (size > 99999999)
        size = 99999999;
    text[length++] = negative ? '-' : '+';
    for (unsigned long unit = 10000000; unit; unit /= 10)
        text[length++] = (char)('0' + size / unit % 10);
    text[length] = '\0';
    /* The C locale is a constant of the C library: this neither allocates nor fails. */
    return strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* More digits than a 64-bit integer is sure to hold: the first 19 bound the value from both sides.
 */
static double round_long(const struct decimal *d) {
    uint64_t mantissa = 0;
    size_t taken = 0;
    long exponent = d->exponent;
    bool more = false;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.' || (*p == '0' && !taken))
            continue;
        if (taken < 19) {
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
            taken++;
        } else {
            more |= *p != '0';
            exponent++;
        }
    }
    double below, above;
    if (!mantissa)
        return 0;
    if (!round_product(mantissa, exponent, &below) ||
        (more && (!round_product(mantissa + 1, exponent, &above) || below != above)))
        return round_slowly(d);
    return below;
}

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline double round_decimal(const struct decimal *d) {
    double value;
    if (d->digits > 19)
        return round_long(d);
    /* Both factors are doubles without error, so one operation rounds once. */
    if (d->mantissa <= (uint64_t)1 << 53 && d->exponent >= -22 && d->exponent <= 22)
        return d->exponent < 0 ? (double)d->mantissa / exact_powers[-d->exponent]
                               : (double)d->mantissa * exact_powers[d->exponent];
    if (!d->mantissa)
        return 0;
    return round_product(d->mantissa, d->exponent, &value) ? value : round_slowly(d);
}

/* ---------------------------------------------------------------- words ----------------------- */

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static enum number_reading read_word(const char *text, size_t length, double *value) {
    static const char *const missing[] = {"nan", "na", "n/a", "null", "--", "+nan", "-nan"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (is_word(text, length, missing[i]))
            return NUMBER_MISSING;
    bool sign = *text == '-' || *text == '+';
    if (!is_word(text + sign, length - sign, "inf") &&
        !is_word(text + sign, length - sign, "infinity"))
        return NUMBER_NOT;
    *value = *text == '-' ? -INFINITY : INFINITY;
    return NUMBER_READ;
}

bool text_is_missing(const char *text, size_t length) {
    static const char *const words[] = {"NaN", "nan", "NAN",  "NA",   "na",
                                        "N/A", "n/a", "null", "NULL", "--"};
    size_t i = 0, count = sizeof words / sizeof *words;
    while (i < count && (strlen(words[i]) != length || memcmp(words[i], text, length) != 0))
        i++;
    return !length || i < count;
}

enum number_reading number_read(const char *text, size_t length, double *value) {
    const char *end = text + length;
    while (text < end && is_blank(*text))
        text++;
    while (text < end && is_blank(end[-1]))
        end--;
    *value = NAN;
    if (text == end)
        return NUMBER_MISSING;
    struct decimal decimal;
    if (!take_decimal(text, end, &decimal))
        return read_word(text, (size_t)(end - text), value);
    double size = round_decimal(&decimal);
    *value = decimal.negative ? -size : size;
    return NUMBER_READ;
}

/* ---------------------------------------------------------------- short ones ------------------ */

#if defined(__SSE2__)

/* 16 bytes from `i` on are 16 - i times 0 and i times 255. */
static const unsigned char step[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                       0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                       255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

static inline __m128i load(const void *bytes) {
    return _mm_loadu_si128((const __m128i *)bytes);
}

/* 16 digits: neighbours are joined to pairs, pairs to fours, fours to eights, eights to the result.
 */
static inline uint64_t sixteen_digits(__m128i digits) {
    __m128i left = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(255)), _mm_set1_epi16(10));
    __m128i pairs = _mm_add_epi16(left, _mm_srli_epi16(digits, 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & 0xffffffff) * 100000000 + (both >> 32);
}

/*
 * The last `length` of 16 bytes as a decimal without exponent, all bytes at once: '0' .. '9' become
 * their values and everything else zero, and what is before the point moves up by one into its
 * place. Bit i of a mask stands for byte i. False for any other text.
 */
static inline bool read_short(const char *end, size_t length, double *value) {
    __m128i bytes = load(end - 16);
    __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    __m128i are = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    __m128i inside = load(step + length);
    unsigned mask = (unsigned)_mm_movemask_epi8(inside);
    unsigned other = ~(unsigned)_mm_movemask_epi8(are) & mask;
    unsigned point = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))) & mask;
    bool negative = end[-(ptrdiff_t)length] == '-';
    unsigned sign = (unsigned)negative << (16 - length);
    if ((other & ~sign) != point || (point & (point - 1)) || other == mask)
        return false;
    digits = _mm_and_si128(_mm_and_si128(digits, are), inside);
    int places = 0;
    if (point) {
        int at = __builtin_ctz(point);
        __m128i fraction = _mm_and_si128(digits, load(step + 16 - at));
        __m128i whole = _mm_xor_si128(digits, fraction);
        digits = _mm_or_si128(fraction, _mm_slli_si128(whole, 1));
        places = 15 - at;
    }
    uint64_t mantissa = sixteen_digits(digits);
    if (mantissa > (uint64_t)1 << 53)
        return false;
    double size = (double)mantissa / exact_powers[places];
    *value = negative ? -size : size;
    return true;
}

enum number_reading number_read_quickly(const char *text, size_t length, double *value) {
    if (length - 1 < NUMBER_MARGIN && read_short(text + length, length, value))
        return NUMBER_READ;
    return number_read(text, length, value);
}

#else

enum number_reading number_read_quickly(const char *text, size_t length, double *value) {
    return number_read(text, length, value);
}

#endif

bool number_is_name(const char *text, size_t length) {
    size_t digits = 0;
    double value;
    for (size_t i = 0; i < length; i++) {
        digits += is_digit(text[i]);
        if (!is_digit(text[i]) && !is_blank(text[i]) && text[i] != '-' && text[i] != '+')
            return false;
    }
    return digits > 15 && number_read(text, length, &value) == NUMBER_READ &&
           fabs(value) > 9007199254740992.0;
}

/* ---------------------------------------------------------------- what people type ------------ */

bool number_parse(const char *text, double *value) {
    size_t length = strlen(text);
    while (length && ascii_blank(*text))
        text++, length--;
    while (length && ascii_blank(text[length - 1]))
        length--;
    return number_read(text, length, value) == NUMBER_READ && isfinite(*value);
}

bool number_parse_whole(const char *text, double *value) {
    static const char largest[] = "9007199254740992"; /* 2^53 */
    if (!number_parse(text, value) || !(*value >= 0.0 && *value <= 0x1p53) ||
        *value != floor(*value))
        return false;
    while (ascii_blank(*text))
        text++;
    size_t length = strspn(text, "0123456789");
    return *value < 0x1p53 || (length == strlen(largest) && strncmp(text, largest, length) == 0 &&
                               text[length] != '.');
}
