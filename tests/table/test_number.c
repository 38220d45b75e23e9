/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text: reading gives the C library's bits on millions of random decimals and on the
 * hardest there are, points half-way between two doubles; writing is the shortest that reads back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { TRIES = 200000 };
#else
enum { TRIES = 1000000 };
#endif

/* ---------------------------------------------------------------- helpers --------------------- */

/* splitmix64 */
static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static int below(uint64_t *state, int most) {
    return (int)(random_bits(state) % (uint64_t)most);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Any finite double, every exponent as likely as any other. */
static double random_double(uint64_t *state) {
    double x;
    do {
        uint64_t bits = random_bits(state);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

/* Both ways of reading, which must agree. The text is copied to blocks of exactly its size, so that
 * a sanitizer detects any access beyond. Before it are letters that would make another number. */
static enum number_reading read_exactly(const char *text, size_t length, double *value) {
    char *copy = malloc(length ? length : 1), *padded = malloc(NUMBER_MARGIN + length);
    double other;
    assert_non_null(copy);
    assert_non_null(padded);
    memcpy(copy, text, length);
    memcpy(padded, "1.2-3e4567890.12", NUMBER_MARGIN);
    memcpy(padded + NUMBER_MARGIN, text, length);
    enum number_reading reading = number_read(copy, length, value);
    assert_int_equal(number_read_quickly(padded + NUMBER_MARGIN, length, &other), reading);
    if (memcmp(value, &other, sizeof other) != 0)
        fail_msg("'%.900s': %a in one way and %a in the other", text, *value, other);
    free(copy);
    free(padded);
    return reading;
}

/* These tests run in the C locale, so strtod is the reference. */
static void assert_reads_as_strtod(const char *text) {
    double got, wanted = strtod(text, NULL);
    if (read_exactly(text, strlen(text), &got) != NUMBER_READ)
        fail_msg("'%.60s' is not read as a number", text);
    if (bits_of(got) != bits_of(wanted))
        fail_msg("'%.900s': %a instead of %a", text, got, wanted);
}

/* ---------------------------------------------------------------- reading --------------------- */

static void random_doubles_in_any_precision(void **context) {
    (void)context;
    uint64_t state = 1;
    char text[900];
    for (int i = 0; i < TRIES; i++) {
        snprintf(text, sizeof text, "%.*e", below(&state, 30), random_double(&state));
        assert_reads_as_strtod(text);
    }
}

static void random_digits_and_exponents(void **context) {
    (void)context;
    uint64_t state = 2;
    char text[128];
    for (int i = 0; i < TRIES; i++) {
        int digits = 1 + below(&state, i % 4 ? 19 : 45), point = below(&state, digits + 1);
        size_t length = 0;
        if (below(&state, 3) == 0)
            text[length++] = below(&state, 2) ? '-' : '+';
        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[length++] = '.';
            text[length++] = (char)('0' + below(&state, below(&state, 2) ? 10 : 2));
        }
        text[length] = '\0';
        if (below(&state, 2)) {
            int most = (const int[]){5, 30, 330, 100000}[below(&state, 4)];
            sprintf(text + length, "%c%d", below(&state, 2) ? 'e' : 'E',
                    below(&state, 2 * most) - most);
        }
        assert_reads_as_strtod(text);
    }
}

/* What catalogues hold: few digits, no exponent. All of them up to 4 + 3 digits. */
static void short_decimals(void **context) {
    (void)context;
    char text[32];
    for (int whole = 0; whole < 1000; whole++)
        for (int part = 0; part < 1000; part++) {
            snprintf(text, sizeof text, "%s%d.%03d", part % 2 ? "-" : "", whole, part);
            assert_reads_as_strtod(text);
        }
}

/*
 * Half-way between neighbours, where one more digit decides. The exact decimal of the point has up
 * to 767 digits; it is written in full and far beyond, one unit less and one more in the last
 * digit, and cut short.
 */
static void half_way(double low, uint64_t *state) {
    char text[1200];
    double high = nextafter(low, INFINITY);
    if (!isfinite(high))
        return;
    long double middle = ((long double)low + (long double)high) / 2;
    int length = snprintf(text, sizeof text, "%.*Le", 1000, middle);
    char *e = memchr(text, 'e', (size_t)length);
    assert_non_null(e);
    char *last = e - 1;
    while (*last == '0')
        last--;
    assert_reads_as_strtod(text);
    char digit = *last;
    *last = (char)(digit - 1);
    assert_reads_as_strtod(text);
    *last = digit;
    *(e - 1) = '1'; /* far beyond all digits of the point itself */
    assert_reads_as_strtod(text);
    char cut[1200];
    int kept = 15 + below(state, 30);
    snprintf(cut, sizeof cut, "%.*s%s", kept + (*text == '-'), text, e);
    assert_reads_as_strtod(cut);
}

static void points_half_way(void **context) {
    (void)context;
    uint64_t state = 3;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (int i = 0; i < TRIES / 100; i++)
        half_way(random_double(&state), &state);
    for (int i = 0; i < TRIES / 200; i++) { /* subnormal */
        uint64_t bits = random_bits(&state) >> (12 + below(&state, 52));
        double x;
        memcpy(&x, &bits, sizeof x);
        half_way(x, &state);
    }
    for (int i = 0; i < TRIES / 200; i++) /* integers */
        half_way((double)(random_bits(&state) >> below(&state, 11)), &state);
}

static void extremes(void **context) {
    (void)context;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0e99999",
        "0e-999999999999",
        "1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "00000000000000000000000000000000000001.5",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "1e99999999999999",
        "1e-99999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "4.9406564584124654e-324",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.5e-324",
        "9007199254740993",
        "9007199254740992.9999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740991e22",
        "9007199254740993e-22",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000000000000000000000000000000001",
        "1000000000000000000000000000000000000000000000000000000000000000000000000e-72"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads_as_strtod(texts[i]);
}

/* Zeros by the thousand before, between and after digits, against the exponent that undoes them. */
static void many_zeros(void **context) {
    (void)context;
    static char text[10000];
    for (int zeros = 1; zeros < 9000; zeros += 97) {
        int length = sprintf(text, "0.%0*d", zeros, 0);
        sprintf(text + length, "123456789012345678901234567890e%d", zeros);
        assert_reads_as_strtod(text);
        length = sprintf(text, "7%0*d", zeros, 0);
        sprintf(text + length, "1e-%d", zeros);
        assert_reads_as_strtod(text);
    }
}

static void assert_reading(const char *text, enum number_reading wanted, double value) {
    double got = 1;
    enum number_reading reading = read_exactly(text, strlen(text), &got);
    if (reading != wanted)
        fail_msg("'%s' is read as %d instead of %d", text, (int)reading, (int)wanted);
    if (wanted != NUMBER_READ)
        assert_true(isnan(got));
    else
        assert_int_equal(bits_of(got), bits_of(value));
}

static void words(void **context) {
    (void)context;
    static const char *const missing[] = {"",   " ",   "\t \r", "NaN",  "nan", "NAN",  "-nan", "NA",
                                          "na", "N/A", "null",  "NULL", "--",  " -- ", "NaN\r"};
    static const char *const not [] = {"-",    "+",     ".",       "e5",  "1e",  "1e+",   "1e5.",
                                       "1..2", "1.2.3", "--1",     "+-1", "1 2", "1,5",   "0x10",
                                       "1e5x", "1d5",   "infinit", "abc", "n a", "1_000", "nan(1)",
                                       "none", "-.e1",  "\0011",   "1\n"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_reading(missing[i], NUMBER_MISSING, 0);
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        assert_reading(not [i], NUMBER_NOT, 0);
    assert_reading("inf", NUMBER_READ, INFINITY);
    assert_reading("-Inf", NUMBER_READ, -INFINITY);
    assert_reading("+Infinity", NUMBER_READ, INFINITY);
    assert_reading("  -1.5\t", NUMBER_READ, -1.5);
    assert_reading("3\r", NUMBER_READ, 3);
}

static bool is_name(const char *text) {
    return number_is_name(text, strlen(text));
}

static void names_in_digits(void **context) {
    (void)context;
    assert_true(is_name("5853498713190525696"));
    assert_true(is_name(" -5853498713190525697 "));
    assert_false(is_name("9007199254740992"));
    assert_false(is_name("0000000000000000000012"));
    assert_false(is_name("5853498713190525696.0"));
    assert_false(is_name("1e19"));
    assert_false(is_name("123456"));
    assert_false(is_name("1-2345678901234567890"));
}

/* ---------------------------------------------------------------- writing --------------------- */

static size_t significant(const char *text) {
    size_t digits = 0, zeros = 0;
    bool started = false;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        started |= *text != '0';
        digits += started;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits > zeros ? digits - zeros : 0;
}

/* Reads back the same; no shorter one does; and of those as short it is as close as printf's. */
static void assert_shortest(double x) {
    char text[NUMBER_LENGTH + 1], other[64];
    size_t length = number_write(x, text);
    assert_true(length <= NUMBER_LENGTH);
    text[length] = '\0';
    double back = strtod(text, NULL);
    if (bits_of(back) != bits_of(x))
        fail_msg("%a is written '%s'", x, text);
    int digits = (int)significant(text);
    if (x == 0)
        return;
    assert_in_range(digits, 1, 17);
    if (digits > 1) {
        snprintf(other, sizeof other, "%.*e", digits - 2, x);
        if (bits_of(strtod(other, NULL)) == bits_of(x))
            fail_msg("'%s' is longer than '%s'", text, other);
    }
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    long double mine = fabsl(strtold(text, NULL) - (long double)x);
    long double theirs = fabsl(strtold(other, NULL) - (long double)x);
    if (bits_of(strtod(other, NULL)) == bits_of(x) && mine > theirs * 1.01L)
        fail_msg("'%s' is further from %a than '%s'", text, x, other);
}

static void shortest_that_reads_back(void **context) {
    (void)context;
    uint64_t state = 4;
    for (int i = 0; i < TRIES / 2; i++)
        assert_shortest(random_double(&state));
    for (int i = 0; i < TRIES / 4; i++) /* what tables hold */
        assert_shortest(rint((double)random_bits(&state) / 4e12) / 1e4);
    for (int i = 0; i < TRIES / 4; i++) /* probabilities */
        assert_shortest((double)(random_bits(&state) >> 11) / 9007199254740992.0);
    for (int i = -1074; i <= 1023; i++) { /* powers of two and their neighbours */
        double x = ldexp(1, i);
        assert_shortest(x);
        assert_shortest(nextafter(x, 0));
        assert_shortest(-nextafter(x, INFINITY));
    }
    for (int i = 0; i < TRIES / 20; i++) { /* subnormal */
        uint64_t bits = random_bits(&state) >> (12 + below(&state, 52));
        double x;
        memcpy(&x, &bits, sizeof x);
        assert_shortest(x);
    }
}

static void assert_written(double x, const char *wanted) {
    char text[NUMBER_LENGTH + 1];
    text[number_write(x, text)] = '\0';
    assert_string_equal(text, wanted);
}

static void layout(void **context) {
    (void)context;
    assert_written(0, "0");
    assert_written(-0.0, "-0");
    assert_written(1, "1");
    assert_written(-17, "-17");
    assert_written(0.1, "0.1");
    assert_written(100, "100");
    assert_written(1e15, "1000000000000000");
    assert_written(1e16, "1e+16");
    assert_written(123456.789, "123456.789");
    assert_written(0.0001, "0.0001");
    assert_written(0.00001, "1e-05");
    assert_written(1.8393e-09, "1.8393e-09");
    assert_written(5e-324, "5e-324");
    assert_written(-DBL_MAX, "-1.7976931348623157e+308");
    assert_written(INFINITY, "inf");
    assert_written(-INFINITY, "-inf");
    assert_written(NAN, "nan");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_in_any_precision),
        cmocka_unit_test(random_digits_and_exponents),
        cmocka_unit_test(short_decimals),
        cmocka_unit_test(points_half_way),
        cmocka_unit_test(extremes),
        cmocka_unit_test(many_zeros),
        cmocka_unit_test(words),
        cmocka_unit_test(names_in_digits),
        cmocka_unit_test(shortest_that_reads_back),
        cmocka_unit_test(layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
