/* SPDX-License-Identifier: Apache-2.0 */
#include "text/number.h"

#include "text/powers_of_ten.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* digits 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/*
 * floor(g factor / 2^64) for the 128-bit g, with the lowest bit set where something was cut off:
 * "round to odd" keeps on which side of any even number the product is.
 */
static uint64_t multiply(const struct power_of_ten *g, uint64_t factor) {
    uint64_t rest = (uint64_t)(((unsigned __int128)g->low * factor) >> 64);
    unsigned __int128 product = (unsigned __int128)g->high * factor + rest;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* 10^k rounded up to 128 bits. */
static struct power_of_ten power_above(int k) {
    struct power_of_ten g = powers_of_ten[k - LEAST_POWER];
    g.low += k < 0 || k > 55; /* those between are exact */
    return g;
}

/*
 * The shortest decimal within the interval that rounds to c 2^q, the closest of these
 * (R. Giulietti, "The Schubfach way to render doubles", 2020). All bounds are scaled by four, so
 * that the ends of the interval, half a unit away, are integers.
 */
static struct decimal shortest(uint64_t c, int q, bool closer_below) {
    bool even = c % 2 == 0; /* the ends themselves round to an even c */
    int k = (q * 1262611 - (closer_below ? 524031 : 0)) >> 22; /* floor(log10 of the interval) */
    int shift = q + floor_log2_of_power(-k) + 1;
    struct power_of_ten g = power_above(-k);
    uint64_t low = multiply(&g, (4 * c - 2 + closer_below) << shift) + !even;
    uint64_t middle = multiply(&g, (4 * c) << shift);
    uint64_t high = multiply(&g, (4 * c + 2) << shift) - !even;

    uint64_t s = middle / 4;
    if (s >= 10) { /* one digit less */
        uint64_t tens = s / 10;
        bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above)
            return (struct decimal){tens + above, k + 1};
    }
    bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above)
        return (struct decimal){s + above, k};
    bool up = middle > 4 * s + 2 || (middle == 4 * s + 2 && s % 2);
    return (struct decimal){s + up, k};
}

static struct decimal decimal_of(double size) {
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffff;
    int biased = (int)(bits >> 52);
    uint64_t c = biased ? fraction | 0x10000000000000 : fraction;
    int q = (biased ? biased : 1) - 1075;
    struct decimal d = q <= 0 && q > -53 && !(c & (((uint64_t)1 << -q) - 1))
                           ? (struct decimal){c >> -q, 0} /* an integer: all digits are its own */
                           : shortest(c, q, !fraction && biased > 1);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static char *put_zeros(char *p, int count) {
    for (; count > 0; count--)
        *p++ = '0';
    return p;
}

static char *put(char *p, const char *from, int count) {
    memcpy(p, from, (size_t)count);
    return p + count;
}

static char *put_exponent(char *p, int exponent) {
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    int size = exponent < 0 ? -exponent : exponent;
    if (size >= 100)
        *p++ = (char)('0' + size / 100);
    *p++ = (char)('0' + size / 10 % 10);
    *p++ = (char)('0' + size % 10);
    return p;
}

/* `count` digits, the first standing for 10^leading: plain from 0.0001 up to 1e16, as Python has
 * it.
 */
static char *lay_out(char *p, const char *digits, int count, int leading) {
    if (leading < -4 || leading > 15) {
        *p++ = digits[0];
        if (count > 1) {
            *p++ = '.';
            p = put(p, digits + 1, count - 1);
        }
        return put_exponent(p, leading);
    }
    if (leading < 0) {
        *p++ = '0';
        *p++ = '.';
        return put(put_zeros(p, -1 - leading), digits, count);
    }
    if (count <= leading + 1)
        return put_zeros(put(p, digits, count), leading + 1 - count);
    p = put(p, digits, leading + 1);
    *p++ = '.';
    return put(p, digits + leading + 1, count - leading - 1);
}

size_t number_digits(double value, char digits[NUMBER_DIGITS], int *exponent) {
    struct decimal d = decimal_of(fabs(value));
    size_t count = 0;
    for (uint64_t rest = d.digits; rest; rest /= 10)
        count++;
    assert(count); /* the value is not zero */
    for (size_t i = count; i--; d.digits /= 10)
        digits[i] = (char)('0' + d.digits % 10);
    *exponent = d.exponent + (int)count;
    return count;
}

size_t number_write(double value, char text[NUMBER_LENGTH]) {
    char *p = text, digits[NUMBER_DIGITS];
    int exponent;
    if (isnan(value)) {
        memcpy(text, "nan", 3);
        return 3;
    }
    if (signbit(value))
        *p++ = '-';
    if (isinf(value) || value == 0.0) {
        p = isinf(value) ? put(p, "inf", 3) : put(p, "0", 1);
        return (size_t)(p - text);
    }
    size_t count = number_digits(value, digits, &exponent);
    p = lay_out(p, digits, (int)count, exponent - 1);
    return (size_t)(p - text);
}

void number_print(double value, char text[NUMBER_TEXT]) {
    text[number_write(value, text)] = '\0';
}
