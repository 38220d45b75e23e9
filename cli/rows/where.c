/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/where.h"

#include "cli/rows/columns.h"
#include "text/ascii.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum relation { EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, MORE, MORE_OR_EQUAL };

struct condition {
    size_t column;
    enum relation relation;
    char *value; /* as typed, without quotes; "" for a missing cell */
    double number;
    bool text; /* compare as text */
};

struct where {
    bool ignore_case;
    size_t count;
    struct condition *condition;
    double *numbers; /* a column of the current rows */
    size_t room;
};

/* ---------------------------------------------------------------- reading conditions ---------- */

/* Longer ones first: the first that fits is it. */
static const struct {
    const char *sign;
    enum relation relation;
} signs[] = {
    {"==", EQUAL}, {"!=", UNEQUAL}, {"<=", LESS_OR_EQUAL}, {">=", MORE_OR_EQUAL}, {"=", EQUAL},
    {"<", LESS},   {">", MORE}};

enum { SIGNS = sizeof signs / sizeof *signs };

static struct span without_blanks(const char *text, size_t length) {
    while (length && ascii_blank(*text))
        text++, length--;
    while (length && ascii_blank(text[length - 1]))
        length--;
    return (struct span){.text = text, .length = length};
}

static struct span without_quotes(struct span span) {
    char first = span.length ? span.text[0] : '\0';
    if (span.length >= 2 && (first == '\'' || first == '"') && span.text[span.length - 1] == first)
        return (struct span){.text = span.text + 1, .length = span.length - 2};
    return span;
}

/* Where the relation is: behind a quoted column, or the first there is; SIGNS when there is none.
 */
static size_t find_sign(const char *text, const char **place) {
    const char *start = text + strspn(text, " \t");
    if (*start == '\'' || *start == '"') {
        const char *end = strchr(start + 1, *start);
        start = end ? end + 1 : start;
    }
    for (; *start; start++)
        for (size_t i = 0; i < SIGNS; i++)
            if (strncmp(start, signs[i].sign, strlen(signs[i].sign)) == 0) {
                *place = start;
                return i;
            }
    return SIGNS;
}

static char *copy_of(struct span span) {
    char *copy = malloc(span.length + 1);
    if (copy) {
        memcpy(copy, span.text, span.length);
        copy[span.length] = '\0';
    }
    return copy;
}

/* Whether what stands for a value goes on with another condition, as in 1 and y > 2. A value all in
 * quotes does not. */
static bool holds_two(struct span value) {
    static const char *const words[] = {" and ", "&&"};
    const char *start = value.text, *place;
    if (value.length && (*start == '\'' || *start == '"')) {
        const char *end = strchr(start + 1, *start);
        start = end ? end : start;
    }
    for (; *start; start++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (ascii_starts(start, words[i]) && find_sign(start, &place) != SIGNS)
                return true;
    return false;
}

/* The column's name and the condition's relation and value. */
static bool read_condition(const char *text, char **column, struct condition *condition,
                           struct complaint *complaint) {
    const char *place = text;
    size_t sign = find_sign(text, &place);
    struct span name = without_quotes(without_blanks(text, (size_t)(place - text)));
    if (sign == SIGNS || !name.length)
        return complain(complaint, BAD_USAGE,
                        "--where: '%s' is not COLUMN OP VALUE with OP one of = != < <= > >=", text);
    place += strlen(signs[sign].sign);
    if (strcmp(signs[sign].sign, "=") == 0 && (*place == '>' || *place == '<'))
        return complain(complaint, BAD_USAGE, "--where: '%s': write %c= for =%c", text, *place,
                        *place);
    struct span bare = without_blanks(place, strlen(place)), value = without_quotes(bare);
    if (holds_two(bare))
        return complain(complaint, BAD_USAGE,
                        "--where: '%s': expected one condition; give --where twice for two", text);
    if (!bare.length)
        return complain(complaint, BAD_USAGE,
                        "--where: '%s': the value is missing; write '' for a missing cell", text);
    condition->relation = signs[sign].relation;
    condition->value = copy_of(value);
    *column = copy_of(name);
    if (!condition->value || !*column)
        return complain_of_memory(complaint);
    return true;
}

/* What the condition means for this table's column. */
static bool bind(struct condition *condition, const char *text, const struct table *table,
                 struct complaint *complaint) {
    const struct column *column = table_column(table, condition->column);
    bool equality = condition->relation == EQUAL || condition->relation == UNEQUAL;
    condition->text = column->kind == COLUMN_TEXT;
    if (!*condition->value && !equality)
        return complain(complaint, BAD_USAGE,
                        "--where: '%s': a missing cell ('') can only be compared by = or !=", text);
    if (condition->text || !*condition->value)
        return true;
    if (!number_parse(condition->value, &condition->number))
        return complain(complaint, BAD_INPUT,
                        "%s: column %s has numbers, but --where '%s' compares it with text",
                        table_path(table), column->name, text);
    return true;
}

struct where *where_create(const struct name_list *conditions, const struct table *table,
                           bool ignore_case, struct complaint *complaint) {
    struct where *where = calloc(1, sizeof *where);
    if (where)
        where->condition = calloc(conditions->count + 1, sizeof *where->condition);
    bool good = where && where->condition;
    if (!good)
        complain_of_memory(complaint);
    for (size_t i = 0; good && i < conditions->count; i++) {
        const char *text = conditions->item[i];
        struct condition *condition = &where->condition[where->count++];
        char *column = NULL;
        good = read_condition(text, &column, condition, complaint) &&
               column_find(table, column, &condition->column, complaint) &&
               bind(condition, text, table, complaint);
        free(column);
    }
    if (good) {
        where->ignore_case = ignore_case;
        return where;
    }
    where_free(where);
    return NULL;
}

void where_free(struct where *where) {
    if (!where)
        return;
    for (size_t i = 0; i < where->count; i++)
        free(where->condition[i].value);
    free(where->condition);
    free(where->numbers);
    free(where);
}

bool where_any(const struct where *where) {
    return where->count > 0;
}

/* ---------------------------------------------------------------- looking at rows ------------- */

/* `order` is below, at or above zero as the cell is less than, equal to or more than the value. */
static bool holds(enum relation relation, int order) {
    switch (relation) {
    case EQUAL:
        return order == 0;
    case UNEQUAL:
        return order != 0;
    case LESS:
        return order < 0;
    case LESS_OR_EQUAL:
        return order <= 0;
    case MORE:
        return order > 0;
    case MORE_OR_EQUAL:
        return order >= 0;
    }
    return false;
}

static bool number_holds(const struct condition *condition, double x) {
    if (!*condition->value)
        return isnan(x) == (condition->relation == EQUAL);
    if (isnan(x))
        return condition->relation == UNEQUAL;
    return holds(condition->relation, (x > condition->number) - (x < condition->number));
}

static int compare_text(struct span cell, const char *value, bool ignore_case) {
    size_t i = 0;
    for (; i < cell.length && value[i]; i++) {
        char a = ignore_case ? ascii_lower(cell.text[i]) : cell.text[i];
        char b = ignore_case ? ascii_lower(value[i]) : value[i];
        if (a != b)
            return (unsigned char)a < (unsigned char)b ? -1 : 1;
    }
    return i < cell.length ? 1 : value[i] ? -1 : 0;
}

static bool apply_text(const struct where *where, const struct condition *condition,
                       struct table *table, size_t rows, uint8_t *keep,
                       struct complaint *complaint) {
    for (size_t i = 0; i < rows; i++) {
        struct span cell;
        if (!keep[i])
            continue;
        if (!table_text(table, i, condition->column, &cell, complaint))
            return false;
        keep[i] =
            holds(condition->relation, compare_text(cell, condition->value, where->ignore_case));
    }
    return true;
}

static bool apply_numbers(struct where *where, const struct condition *condition,
                          struct table *table, size_t rows, uint8_t *keep,
                          struct complaint *complaint) {
    if (rows > where->room) {
        free(where->numbers);
        where->numbers = malloc(rows * sizeof *where->numbers);
        where->room = where->numbers ? rows : 0;
        if (!where->numbers)
            return complain_of_memory(complaint);
    }
    if (!table_numbers(table, condition->column, where->numbers, 1, complaint))
        return false;
    for (size_t i = 0; i < rows; i++)
        keep[i] = keep[i] && number_holds(condition, where->numbers[i]);
    return true;
}

bool where_mask(struct where *where, struct table *table, size_t rows, uint8_t *keep,
                struct complaint *complaint) {
    memset(keep, 1, rows);
    for (size_t i = 0; i < where->count; i++) {
        const struct condition *condition = &where->condition[i];
        bool good = condition->text ? apply_text(where, condition, table, rows, keep, complaint)
                                    : apply_numbers(where, condition, table, rows, keep, complaint);
        if (!good)
            return false;
    }
    return true;
}
