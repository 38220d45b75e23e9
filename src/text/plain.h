/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_PLAIN_H
#define NIMGP_TEXT_PLAIN_H

/*
 * Text and numbers the same way on every machine. The program never calls setlocale, so that
 * numbers have a point everywhere.
 */

#include <stdbool.h>
#include <stddef.h>

/* ASCII only. */
char plain_lower(char c);
bool plain_blank(char c);
bool plain_lowercase(char c);

/* Whether the text begins so; upper and lower case are the same. */
bool plain_starts(const char *text, const char *start);

/* "" for one, else "s". */
const char *plain_plural(size_t count);

/* Makes one line of it, whatever it holds: control characters become question marks. */
void plain_line(char *text);

/* The whole text is one decimal number, perhaps with blanks around it; infinity and NaN are none.
 */
bool plain_number(const char *text, double *number);

/* number_write (table/number.h), and a terminator. */
enum { PLAIN_NUMBER = 40 };
void plain_write(double number, char text[PLAIN_NUMBER]);

#endif
