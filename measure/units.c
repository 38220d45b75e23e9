/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of units, as products of powers. */
#include "measure/measure.h"

#include "text/ascii.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POWER = 1000 }; /* sums of powers do not overflow */

/* A symbol and its power: cm and -2 for "cm-2", "cm**-2", and the cm2 of "/cm2" or "/(s cm2)". */
struct factor {
    const char *symbol;
    size_t length;
    long power;
};

struct unit_reader {
    const char *next;
    bool inside;  /* a parenthesis */
    int group;    /* -1 inside a parenthesis that divides, otherwise 1 */
    bool unusual; /* not a product of powers of symbols, such as "10-3 erg" or "m(1/2)" */
};

/* Blanks and signs of a product; also the 1 of "1/s". */
static bool separates(const char *text) {
    return ascii_blank(*text) || *text == '.' || *text == '*' ||
           (text[0] == '1' && (ascii_blank(text[1]) || text[1] == '/'));
}

/* False at the end of the unit, and if it is unusual. */
static bool next_factor(struct unit_reader *reader, struct factor *factor) {
    const char *p = reader->next;
    int sign = reader->group;
    for (;; p++)
        if (*p == '/')
            sign = -sign;
        else if (*p == '(' || *p == ')') {
            reader->unusual = reader->unusual || reader->inside == (*p == '(');
            reader->inside = *p == '(';
            sign = reader->group = reader->inside ? sign : 1;
        } else if (!separates(p))
            break;
    *factor = (struct factor){p, strcspn(p, " \t.*/()^+-0123456789"), 1};
    reader->unusual = reader->unusual || (*p && !factor->length);
    if (!*p || reader->unusual)
        return false;
    p += factor->length;
    p += strncmp(p, "**", 2) == 0 ? 2 : *p == '^';
    if (strchr("+-0123456789", *p) && *p) {
        char *end;
        factor->power = strtol(p, &end, 10);
        reader->unusual = end == p || factor->power > MOST_POWER || factor->power < -MOST_POWER;
        p = end;
    }
    if (reader->unusual)
        return false;
    factor->power *= sign;
    reader->next = p;
    return true;
}

static long power_of(const char *unit, const struct factor *wanted) {
    struct unit_reader reader = {.next = unit, .group = 1};
    struct factor factor;
    long power = 0;
    while (next_factor(&reader, &factor))
        if (factor.length == wanted->length &&
            memcmp(factor.symbol, wanted->symbol, factor.length) == 0)
            power += factor.power;
    return power;
}

/* Whether every symbol of a unit has the same power in another; `usual` if both could be read. */
static bool has_powers_of(const char *unit, const char *other, bool *usual) {
    struct unit_reader reader = {.next = unit, .group = 1};
    struct factor factor;
    bool same = true;
    while (next_factor(&reader, &factor))
        same = same && power_of(unit, &factor) == power_of(other, &factor);
    *usual = *usual && !reader.unusual;
    return same;
}

int nim_units_agree(const char *one, const char *other) {
    bool usual = true,
         same = has_powers_of(one, other, &usual) && has_powers_of(other, one, &usual);
    return strcmp(one, other) == 0 || (usual && same);
}
