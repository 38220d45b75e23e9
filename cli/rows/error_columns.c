/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/error_columns.h"

#include "text/ascii.h"

#include <stdio.h>
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
void error_columns_find(const struct table *table, const char *name, const bool *excluded,
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

/* What is left of a name's first `length` characters without the ending, or 0. */
static size_t without_ending(const char *name, size_t length, const char *ending) {
    size_t tail = strlen(ending);
    bool ends = length > tail && ascii_starts(name + length - tail, ending);
    return ends ? length - tail : 0;
}

bool is_one_sided_error(const struct table *table, const char *name) {
    static const char *const side[] = {"1",     "2",     "lo",   "hi", "low",  "high",
                                       "lower", "upper", "down", "up", "plus", "minus",
                                       "neg",   "pos",   "l",    "u"};
    static const char *const error[] = {"_err_", "_err", "err_", "err", "_error_", "_error"};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        for (size_t k = 0; k < sizeof error / sizeof *error; k++) {
            char value[512];
            size_t length = without_ending(name, strlen(name), side[i]);
            length = without_ending(name, length, error[k]);
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
