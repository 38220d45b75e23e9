/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/formula.h"

#include "cli/rows/columns.h"
#include "measure/judge.h"
#include "nimgp.h"
#include "text/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- names ----------------------- */

static char *trimmed(const char *start, const char *end) {
    while (start < end && ascii_blank(*start))
        start++;
    while (start < end && ascii_blank(end[-1]))
        end--;
    size_t length = (size_t)(end - start);
    char *text = malloc(length + 1);
    if (text) {
        memcpy(text, start, length);
        text[length] = '\0';
    }
    return text;
}

bool formula_inside(const char *name, enum form *form, char **inside, struct complaint *complaint) {
    static const struct {
        const char *start;
        enum form form;
    } known[] = {{"log(", FORM_LOG}, {"log10(", FORM_LOG10}};
    size_t length = strlen(name);
    *inside = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t start = strlen(known[i].start);
        if (length < start + 2 || strncmp(name, known[i].start, start) != 0 ||
            name[length - 1] != ')')
            continue;
        *form = known[i].form;
        *inside = trimmed(name + start, name + length - 1);
        return *inside || complain_of_memory(complaint);
    }
    return true;
}

/* What stands at both sides of a sign behind a column, to be freed; NULL where there is no such
 * sign. Columns may have signs in their names, so every sign is tried. */
static bool find_sides(const struct table *table, const char *name, char *sides[2],
                       struct complaint *complaint) {
    for (const char *sign = strchr(name, '-'); sign; sign = strchr(sign + 1, '-')) {
        sides[0] = trimmed(name, sign);
        sides[1] = trimmed(sign + 1, name + strlen(name));
        bool fine = sides[0] && sides[1];
        if (fine && table_find(table, sides[0]) >= 0 && *sides[1])
            return true;
        free(sides[0]);
        free(sides[1]);
        sides[0] = sides[1] = NULL;
        if (!fine)
            return complain_of_memory(complaint);
    }
    return true;
}

static bool read_difference(struct formula *formula, const struct table *table, char *sides[2],
                            struct complaint *complaint) {
    size_t minus = 0;
    formula->form = FORM_DIFFERENCE;
    bool fine = column_find(table, sides[0], &formula->column, complaint) &&
                column_find(table, sides[1], &minus, complaint);
    formula->minus = (long)minus;
    if (fine && minus == formula->column)
        fine = complain(complaint, BAD_USAGE, "feature '%s-%s' is always zero", sides[0], sides[1]);
    free(sides[0]);
    free(sides[1]);
    return fine;
}

/* The level behind a column and an equals sign, or NULL. Every sign is tried. */
static const char *find_level(struct formula *formula, const struct table *table, const char *name,
                              struct complaint *complaint, bool *fine) {
    *fine = true;
    for (const char *sign = strchr(name, '='); sign; sign = strchr(sign + 1, '=')) {
        char *column = trimmed(name, sign);
        long found = column ? table_find(table, column) : NO_COLUMN;
        free(column);
        if (!column)
            *fine = complain_of_memory(complaint);
        if (found < 0 || !sign[1])
            continue;
        formula->form = FORM_LEVEL;
        formula->column = (size_t)found;
        return sign + 1;
    }
    return NULL;
}

bool formula_has_level(const char *level, struct span cell) {
    int wanted, is;
    if (nim_is_truth(level, strlen(level), &wanted) && nim_is_truth(cell.text, cell.length, &is))
        return is == wanted;
    return strlen(level) == cell.length && memcmp(level, cell.text, cell.length) == 0;
}

bool formula_read(struct formula *formula, const struct table *table, const char *name,
                  struct complaint *complaint) {
    char *sides[2] = {NULL, NULL}, *inside;
    bool fine;
    *formula = (struct formula){.form = FORM_COLUMN, .minus = NO_COLUMN};
    if (table_find(table, name) != NO_COLUMN)
        return column_find(table, name, &formula->column, complaint);
    formula->level = find_level(formula, table, name, complaint, &fine);
    if (formula->level || !fine)
        return fine;
    if (!formula_inside(name, &formula->form, &inside, complaint) ||
        (!inside && !find_sides(table, name, sides, complaint)))
        return false;
    if (sides[0])
        return read_difference(formula, table, sides, complaint);
    fine = column_find(table, inside ? inside : name, &formula->column, complaint);
    free(inside);
    return fine;
}

char *formula_name(const struct formula *formula, const struct table *table) {
    static const char *const before[] = {"", "log(", "log10(", "", ""}, *const after[] = {
                                                                            "", ")", ")", "-", "="};
    const char *column = table_column_name(table, formula->column);
    const char *minus = formula->form == FORM_DIFFERENCE
                            ? table_column_name(table, (size_t)formula->minus)
                        : formula->level ? formula->level
                                         : "";
    size_t size = strlen(column) + strlen(minus) + 16;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s%s", before[formula->form], column, after[formula->form],
                 minus);
    return text;
}

/* ---------------------------------------------------------------- numbers --------------------- */

bool formula_take_log(enum form form, struct reading *x) {
    return nim_take_log(form == FORM_LOG10, 1, &x->value, &x->lower, &x->upper, &x->limit) != 0;
}

void formula_subtract(struct reading *a, const struct reading *b) {
    nim_take_difference(1, &a->value, &a->lower, &a->upper, &a->limit, &b->value, &b->lower,
                        &b->upper, &b->limit);
}
