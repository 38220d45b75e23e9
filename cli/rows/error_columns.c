/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/rows/error_columns.h"

#include "text/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are looked for. */
static const struct affix {
    const char *before, *after;
} error_rule[] = {{"", "_err"},   {"", "_error"}, {"e_", ""},   {"Unc_", ""},
                  {"sigma_", ""}, {"", "_unc"},   {"err_", ""}, {"", "_sigma"}};

enum { ERROR_RULES = sizeof error_rule / sizeof *error_rule };

static long find_affixed(const struct table *table, const char *name, const bool *excluded,
                         struct affix affix) {
    char wanted[512];
    int length = snprintf(wanted, sizeof wanted, "%s%s%s", affix.before, name, affix.after);
    if (length < 0 || (size_t)length >= sizeof wanted)
        return NO_COLUMN;
    long found = table_find(table, wanted);
    return found < 0 || (excluded && excluded[found]) ? NO_COLUMN : found;
}

/* `d` and the name is too common a beginning of other words to count unless nothing else is there,
 * and that column has no errors of its own. */
static void find_single(const struct table *table, const char *name, const bool *excluded,
                        long found[2]) {
    size_t count = 0;
    found[0] = found[1] = NO_COLUMN;
    for (size_t i = 0; i < ERROR_RULES && count < 2; i++) {
        long column = find_affixed(table, name, excluded, error_rule[i]);
        if (column != NO_COLUMN && (count == 0 || column != found[0]))
            found[count++] = column;
    }
    long delta = count ? NO_COLUMN : find_affixed(table, name, excluded, (struct affix){"d", ""});
    if (delta == NO_COLUMN)
        return;
    const char *own = table_column_name(table, (size_t)delta);
    for (size_t i = 0; i < ERROR_RULES; i++)
        if (find_affixed(table, own, excluded, error_rule[i]) != NO_COLUMN)
            return;
    found[0] = delta;
}

/* ---------------------------------------------------------------- pairs ----------------------- */

/* Both columns of a pair, if they are there and not the same. */
static bool find_both(const struct table *table, const char *name, const bool *excluded,
                      struct affix lower, struct affix upper, struct error_sides *sides) {
    sides->lower = find_affixed(table, name, excluded, lower);
    if (sides->lower == NO_COLUMN)
        return false;
    sides->upper = find_affixed(table, name, excluded, upper);
    return sides->upper != NO_COLUMN && sides->lower != sides->upper;
}

/* Endings of lower and upper errors, and what joins them to the name. */
static const char *const side_ending[][2] = {{"2", "1"},         {"lo", "hi"},   {"low", "high"},
                                             {"lower", "upper"}, {"down", "up"}, {"minus", "plus"},
                                             {"neg", "pos"},     {"l", "u"}};
static const char *const side_joint[] = {"_err_", "_err", "err_", "err", "_error_", "_error"};

enum {
    SIDE_ENDINGS = sizeof side_ending / sizeof *side_ending,
    SIDE_JOINTS = sizeof side_joint / sizeof *side_joint
};

static struct error_sides find_pair(const struct table *table, const char *name,
                                    const bool *excluded) {
    struct error_sides sides = NO_ERRORS;
    static const char *const ends[][2] = {{"_lo", "_hi"}, {"_lower", "_upper"}};
    if (find_both(table, name, excluded, (struct affix){"e_", ""}, (struct affix){"E_", ""},
                  &sides) ||
        find_both(table, name, excluded, (struct affix){"Unc_", "_1"}, (struct affix){"Unc_", "_2"},
                  &sides))
        return sides;
    for (size_t i = 0; i < SIDE_ENDINGS; i++)
        for (size_t k = 0; k < SIDE_JOINTS; k++) {
            char after[2][16];
            for (size_t s = 0; s < 2; s++)
                stpcpy(stpcpy(after[s], side_joint[k]), side_ending[i][s]);
            if (find_both(table, name, excluded, (struct affix){"", after[0]},
                          (struct affix){"", after[1]}, &sides))
                return sides;
        }
    for (size_t i = 0; i < 2; i++)
        if (find_both(table, name, excluded, (struct affix){"", ends[i][0]},
                      (struct affix){"", ends[i][1]}, &sides)) {
            sides.ends = true;
            return sides;
        }
    return NO_ERRORS;
}

/* Whether the column is named d and the name, the last rule. */
static bool is_delta(const struct table *table, long column, const char *name) {
    const char *own = table_column_name(table, (size_t)column);
    return (own[0] == 'd' || own[0] == 'D') && ascii_same(own + 1, name);
}

struct error_sides errors_find(const struct table *table, const char *name, const bool *excluded,
                               long *also) {
    struct error_sides pair = find_pair(table, name, excluded);
    long found[2];
    find_single(table, name, excluded, found);
    bool better = found[0] == NO_COLUMN || found[0] == pair.lower || found[0] == pair.upper ||
                  is_delta(table, found[0], name);
    bool both = pair.lower != NO_COLUMN && better;
    *also = both ? NO_COLUMN : found[1];
    return both ? pair : (struct error_sides){.lower = found[0], .upper = NO_COLUMN};
}

void errors_mark(const struct table *table, const char *name, bool *is_error) {
    struct error_sides pair = find_pair(table, name, NULL);
    long found[4] = {NO_COLUMN, NO_COLUMN, pair.lower, pair.upper};
    find_single(table, name, NULL, found);
    for (size_t k = 0; k < 4; k++)
        if (found[k] != NO_COLUMN)
            is_error[found[k]] = true;
}

/* The column whose name is this part of a text. */
static long find_part(const struct table *table, const char *start, const char *end) {
    char name[512];
    size_t length = (size_t)(end - start);
    if (length >= sizeof name)
        return NO_COLUMN;
    memcpy(name, start, length);
    name[length] = '\0';
    return table_find(table, name);
}

/* Names may hold colons themselves, so every one is tried. */
bool error_sides_read(const struct table *table, const char *text, struct error_sides *sides) {
    size_t length = strlen(text);
    *sides = (struct error_sides){.lower = table_find(table, text), .upper = NO_COLUMN};
    if (sides->lower >= 0)
        return true;
    sides->ends = length > 2 && text[0] == '[' && text[length - 1] == ']';
    const char *start = text + sides->ends, *end = text + length - sides->ends;
    for (const char *colon = start; colon < end; colon++)
        if (*colon == ':') {
            sides->lower = find_part(table, start, colon);
            sides->upper = find_part(table, colon + 1, end);
            if (sides->lower >= 0 && sides->upper >= 0)
                return true;
        }
    *sides = NO_ERRORS;
    return false;
}

char *error_sides_write(const struct table *table, const struct error_sides *sides) {
    const char *lower = sides->lower >= 0 ? table_column_name(table, (size_t)sides->lower) : "";
    const char *upper = sides->upper >= 0 ? table_column_name(table, (size_t)sides->upper) : "";
    size_t size = strlen(lower) + strlen(upper) + 4;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s%s%s", sides->ends ? "[" : "", lower, *upper ? ":" : "", upper,
                 sides->ends ? "]" : "");
    return text;
}

/* ---------------------------------------------------------------- limits, correlations -------- */

/* Numbers are told from measurements such as a speed and its limit by the name alone: the ending of
 * archives. */
static bool holds_limits(const struct table *table, size_t column) {
    const char *name = table_column_name(table, column);
    size_t length = strlen(name);
    return table_column(table, column)->kind == COLUMN_TEXT || table_column(table, column)->empty ||
           (length > 3 && ascii_same(name + length - 3, "lim"));
}

long limit_column_find(const struct table *table, const char *name, const bool *excluded) {
    static const struct affix rule[] = {{"", "_limit"}, {"l_", ""}, {"", "lim"}};
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        long found = find_affixed(table, name, excluded, rule[i]);
        if (found != NO_COLUMN)
            return holds_limits(table, (size_t)found) ? found : NO_COLUMN;
    }
    return NO_COLUMN;
}

bool is_correlation(const struct table *table, size_t column, size_t of[2]) {
    static const char ending[] = "_corr";
    const char *name = table_column_name(table, column);
    size_t length = strlen(name), tail = sizeof ending - 1;
    if (length <= tail || !ascii_same(name + length - tail, ending))
        return false;
    const char *end = name + length - tail;
    for (const char *joint = name + 1; joint < end; joint++) {
        long first = *joint == '_' ? find_part(table, name, joint) : NO_COLUMN;
        long second = first >= 0 ? find_part(table, joint + 1, end) : NO_COLUMN;
        if (second < 0 || second == first)
            continue;
        of[0] = (size_t)first;
        of[1] = (size_t)second;
        return true;
    }
    return false;
}

/* What is left of a name's first `length` characters without the ending, or 0. */
static size_t without_ending(const char *name, size_t length, const char *ending) {
    size_t tail = strlen(ending);
    bool ends = length > tail && ascii_starts(name + length - tail, ending);
    return ends ? length - tail : 0;
}

bool is_one_sided_error(const struct table *table, const char *name) {
    for (size_t i = 0; i < 2 * SIDE_ENDINGS; i++)
        for (size_t k = 0; k < SIDE_JOINTS; k++) {
            char value[512];
            size_t length = without_ending(name, strlen(name), side_ending[i / 2][i % 2]);
            length = without_ending(name, length, side_joint[k]);
            if (!length || length >= sizeof value)
                continue;
            memcpy(value, name, length);
            value[length] = '\0';
            if (table_find(table, value) >= 0)
                return true;
        }
    return false;
}

bool looks_like_error(const char *name) {
    size_t length = strlen(name);
    while (length &&
           ((name[length - 1] >= '0' && name[length - 1] <= '9') || name[length - 1] == '_'))
        length--;
    for (size_t i = 0; i < ERROR_RULES; i++) {
        const char *before = error_rule[i].before, *after = error_rule[i].after;
        size_t head = strlen(before), tail = strlen(after);
        if (strlen(name) > head && length > tail && ascii_starts(name, before) &&
            ascii_starts(name + length - tail, after))
            return true;
    }
    return false;
}
