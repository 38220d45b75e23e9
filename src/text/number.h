/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_NUMBER_H
#define NIMGP_TEXT_NUMBER_H

/*
 * Numbers as decimal text. Reading rounds correctly (the same bits as strtod in the C locale),
 * writing gives the shortest text that reads back the same. Neither depends on the locale.
 */

#include <stdbool.h>
#include <stddef.h>

enum number_reading {
    NUMBER_READ,    /* 12, -1.5, .5, 1e-9, inf, -Infinity */
    NUMBER_MISSING, /* nothing, NaN, NA, N/A, null (in any case of letters), -- */
    NUMBER_NOT      /* anything else */
};

/* What stands in a cell; blanks around it do not count. *value is NaN unless a number was read. */
enum number_reading number_read(const char *text, size_t length, double *value);

/* The same for a text before whose end at least NUMBER_MARGIN bytes may be looked at, whatever they
 * are: several times as fast for decimals no longer than that. */
enum { NUMBER_MARGIN = 16 };
enum number_reading number_read_quickly(const char *text, size_t length, double *value);

/* The whole text is one decimal number, perhaps with blanks around it; infinity and NaN are none.
 */
bool number_parse(const char *text, double *value);

/* An integer beyond 2^53 in plain digits, which a double need not hold: a name, not a quantity. */
bool number_is_name(const char *text, size_t length);

/* As number_parse, for a whole number from 0 to 2^53, which a double holds exactly: of anything
 * else it is false, also of 2^53 + 1, which would be rounded. 1e6 may be written so. */
bool number_parse_whole(const char *text, double *value);

enum { NUMBER_LENGTH = 32 }; /* no number is written longer than that */

/* Returns the length; no terminator. NaN is "nan", infinities are "inf" and "-inf". */
size_t number_write(double value, char text[NUMBER_LENGTH]);

/* The same, terminated. */
enum { NUMBER_TEXT = NUMBER_LENGTH + 1 };
void number_print(double value, char text[NUMBER_TEXT]);

/* Its digits alone: |value| is 0.d1d2d3... times 10^*exponent. Returns how many there are; of a
 * finite number other than zero. */
enum { NUMBER_DIGITS = 20 };
size_t number_digits(double value, char digits[NUMBER_DIGITS], int *exponent);

#endif
