/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/missing_values.h"

#include "text/ascii.h"
#include "text/growing.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct missing_values *missing, long column, double value,
                struct complaint *complaint) {
    struct missing_value *grown = grow_by_one(missing->item, missing->count, sizeof *grown);
    if (!grown)
        return complain_of_memory(complaint);
    missing->item = grown;
    grown[missing->count++] = (struct missing_value){column, value};
    return true;
}

static bool read_item(struct missing_values *missing, char *item, const struct table *table,
                      struct complaint *complaint) {
    char *sign = strrchr(item, '='), *number = sign ? sign + 1 : item;
    double value;
    long column = NO_COLUMN;
    if (!number_parse(number, &value))
        return complain(complaint, BAD_USAGE, "--missing-value: '%s' is not a number", number);
    if (sign) {
        *sign = '\0';
        column = table_find(table, item);
        *sign = '=';
    }
    return (sign && column < 0) || add(missing, column, value, complaint);
}

bool missing_values_read(struct missing_values *missing, const char *text,
                         const struct table *table, struct complaint *complaint) {
    struct name_list items = {0};
    if (ascii_same(text, "none"))
        return true;
    bool fine = name_list_split(&items, text, "--missing-value", complaint);
    for (size_t i = 0; fine && i < items.count; i++)
        fine = read_item(missing, items.item[i], table, complaint);
    name_list_free(&items);
    return fine;
}

/* ---------------------------------------------------------------- finding --------------------- */

static void mark(bool *used, long column) {
    if (column >= 0)
        used[column] = true;
}

static void mark_used(bool *used, const struct columns *columns, long target) {
    mark(used, target);
    if (columns->target) {
        mark(used, columns->target->value.errors.lower);
        mark(used, columns->target->value.errors.upper);
    }
    for (size_t j = 0; j < columns->count; j++) {
        const struct measured *measured[] = {&columns->feature[j].value,
                                             &columns->feature[j].minus};
        for (int k = 0; k < 2; k++) {
            mark(used, measured[k]->column);
            mark(used, measured[k]->errors.lower);
            mark(used, measured[k]->errors.upper);
        }
    }
}

static bool is_known(const struct missing_values *missing, double value) {
    for (size_t k = 0; k < missing->count; k++)
        if (missing->item[k].value == value)
            return true;
    return false;
}

/* Adds a number for the columns where it is a sentinel; once if these are all. */
static bool add_found(struct missing_values *missing, struct name_list *text, double value,
                      const nim_judge *judge, const bool *used, const struct table *table,
                      struct complaint *complaint) {
    char number[NUMBER_TEXT], item[1024];
    bool all = true, fine = true;
    number_print(value, number);
    for (size_t i = 0; i < table_columns(table); i++)
        all = all && (!used[i] || nim_judge_is_sentinel(judge, i, value));
    for (size_t i = 0; fine && !all && i < table_columns(table); i++) {
        if (!used[i] || !nim_judge_is_sentinel(judge, i, value))
            continue;
        int length = snprintf(item, sizeof item, "%s=%s", table_column_name(table, i), number);
        fine = length >= (int)sizeof item || (add(missing, (long)i, value, complaint) &&
                                              name_list_add(text, item, (size_t)length, complaint));
    }
    return !all ? fine
                : add(missing, NO_COLUMN, value, complaint) &&
                      name_list_add(text, number, strlen(number), complaint);
}

/* "mag_u (714 cells are 99)" */
static bool describe(struct name_list *cells, const char *name,
                     const struct nim_column_facts *facts, struct complaint *complaint) {
    char text[512], number[NUMBER_TEXT];
    size_t used = (size_t)snprintf(text, 256, "%s (", name);
    used = used < 256 ? used : 255;
    for (size_t k = 0; k < facts->sentinels; k++) {
        number_print(facts->sentinel[k], number);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%zu cell%s %s %s", k ? ", " : "",
                             facts->sentinel_cells[k], plural_s(facts->sentinel_cells[k]),
                             facts->sentinel_cells[k] == 1 ? "is" : "are", number);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, ")");
    return name_list_add(cells, text, used, complaint);
}

bool missing_values_find(struct missing_values *missing, const nim_judge *judge,
                         const struct columns *columns, const struct table *table, long target,
                         struct complaint *complaint) {
    size_t count = table_columns(table);
    bool *used = calloc(count + 1, sizeof *used), fine = used || complain_of_memory(complaint);
    struct name_list text = {0};
    if (fine)
        mark_used(used, columns, target);
    for (size_t i = 0; fine && i < count; i++) {
        struct nim_column_facts facts;
        if (!used[i])
            continue;
        nim_judge_facts(judge, i, &facts);
        fine = !facts.sentinels ||
               describe(&missing->cells, table_column_name(table, i), &facts, complaint);
        for (size_t k = 0; fine && k < facts.sentinels; k++)
            fine = is_known(missing, facts.sentinel[k]) ||
                   add_found(missing, &text, facts.sentinel[k], judge, used, table, complaint);
    }
    if (fine && text.count)
        fine = (missing->found = name_list_join(&text)) || complain_of_memory(complaint);
    name_list_free(&text);
    free(used);
    return fine;
}

/* ---------------------------------------------------------------- using ----------------------- */

void missing_values_drop(const struct missing_values *missing, size_t column, double *value,
                         size_t count) {
    for (size_t k = 0; k < missing->count; k++)
        if (missing->item[k].column == NO_COLUMN || missing->item[k].column == (long)column)
            for (size_t i = 0; i < count; i++)
                if (value[i] == missing->item[k].value)
                    value[i] = (double)NAN;
}

void missing_values_free(struct missing_values *missing) {
    free(missing->item);
    free(missing->found);
    name_list_free(&missing->cells);
    *missing = (struct missing_values){0};
}
