/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

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

/* The kind of a cell; blanks around it are ignored. *value is NaN unless it is a number. */
enum number_reading number_read(const char *text, size_t length, double *value);

/* The same if the NUMBER_MARGIN bytes before the end of the text can be read, even if the text is
 * shorter. Several times as fast for decimals that are not longer than that. */
enum { NUMBER_MARGIN = 16 };
enum number_reading number_read_quickly(const char *text, size_t length, double *value);

/* Whether a label or category is missing: nothing, or one of the words above, but not with a
 * capital letter alone, as in Na. */
bool text_is_missing(const char *text, size_t length);

/* Whether the whole text is one decimal number, with optional blanks; not infinity or NaN.
 */
bool number_parse(const char *text, double *value);

/* Whether it is an integer above 2^53 in digits, which a double cannot represent: it is an
 * identifier. */
bool number_is_name(const char *text, size_t length);

/* As number_parse, for a whole number from 0 to 2^53, which a double represents exactly. False for
 * anything else, including 2^53 + 1, which would be rounded. 1e6 is accepted. */
bool number_parse_whole(const char *text, double *value);

enum { NUMBER_LENGTH = 32 }; /* the longest text of a number */

/* Returns the length; no terminator. NaN is "nan", infinities are "inf" and "-inf". */
size_t number_write(double value, char text[NUMBER_LENGTH]);

/* The same, terminated. */
enum { NUMBER_TEXT = NUMBER_LENGTH + 1 };
void number_print(double value, char text[NUMBER_TEXT]);

/* Only the digits: |value| is 0.d1d2d3... times 10^*exponent. Returns their number. The value is
 * finite and not zero. */
enum { NUMBER_DIGITS = 20 };
size_t number_digits(double value, char digits[NUMBER_DIGITS], int *exponent);
