/* SPDX-License-Identifier: Apache-2.0 */
/* Which error columns belong to which attributes: by rule, as in training, as the user says. */
#include "cli/rows/columns.h"

#include "cli/rows/error_columns.h"
#include "text/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *joined(const char *before, const char *name, const char *after) {
    size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", before, name, after);
    return text;
}

bool errors_count(const nim_options *options) {
    char noise[64] = "", input[64] = "";
    nim_options_get(options, "noise", noise, sizeof noise, NULL);
    nim_options_get(options, "input", input, sizeof input, NULL);
    return strcmp(noise, "learned") != 0 && strcmp(input, "exact") != 0;
}

/* ---------------------------------------------------------------- by rule --------------------- */

/* The two columns that look like errors of one. */
static void find_errors(const struct table *table, long column, const bool *excluded,
                        long found[2]) {
    found[0] = found[1] = NO_COLUMN;
    if (column != NO_COLUMN)
        error_columns_find(table, table_column_name(table, (size_t)column), excluded, found);
}

/* A column asked for as an attribute is no error, and neither is the label. */
static bool pair_by_rule(struct columns *columns, const struct table *table,
                         const struct column_wishes *wishes, struct complaint *complaint) {
    size_t count = table_columns(table);
    bool *excluded = calloc(count + 1, sizeof *excluded);
    if (!excluded)
        return complain_of_memory(complaint);
    for (size_t i = 0; i < wishes->taken_count; i++)
        excluded[wishes->taken[i].column] = true;
    for (size_t j = 0; j < columns->count; j++) {
        excluded[columns->feature[j].value] = true;
        if (columns->feature[j].minus != NO_COLUMN)
            excluded[columns->feature[j].minus] = true;
    }
    bool fine = columns_mark_excluded(table, wishes, excluded, complaint);
    for (size_t j = 0; fine && j < columns->count; j++) {
        struct feature *feature = &columns->feature[j];
        long found[2];
        find_errors(table, feature->minus, excluded, found);
        feature->minus_error = found[0];
        find_errors(table, (long)feature->value, excluded, found);
        feature->error = found[0];
        feature->also = found[1];
    }
    free(excluded);
    return fine;
}

/* ---------------------------------------------------------------- pairs named ----------------- */

/* What stands for an error in a pair: of a feature, or of what a difference takes away. */
struct operand {
    struct feature *feature;
    size_t column;
    long *error;
};

static struct operand operand_of(struct feature *feature, bool second) {
    return second ? (struct operand){feature, (size_t)feature->minus, &feature->minus_error}
                  : (struct operand){feature, feature->value, &feature->error};
}

/* Whether a pair "name=column" up to the sign is about this operand. */
static bool is_about(const struct operand *operand, const struct table *table, const char *pair,
                     const char *equals) {
    const char *known[2] = {table_column_name(table, operand->column), operand->feature->name};
    size_t count = operand->error == &operand->feature->error ? 2 : 1;
    for (size_t k = 0; k < count; k++)
        if (strlen(known[k]) == (size_t)(equals - pair) && ascii_starts(pair, known[k]))
            return true;
    return false;
}

/* Calls `set` with every operand a pair is about and what stands behind the equals sign. Names may
 * hold equals signs themselves, so every one is tried. *any is false when it is about none. */
static bool for_pair(struct columns *columns, const struct table *table, const char *pair,
                     bool (*set)(const struct operand *, const struct table *, const char *column,
                                 struct complaint *),
                     bool *any, struct complaint *complaint) {
    *any = false;
    for (const char *equals = strchr(pair, '='); equals && !*any; equals = strchr(equals + 1, '='))
        for (size_t j = 0; j < columns->count; j++)
            for (int second = 0; second < 2; second++) {
                struct feature *feature = &columns->feature[j];
                struct operand operand = operand_of(feature, second);
                if ((second && feature->minus == NO_COLUMN) ||
                    !is_about(&operand, table, pair, equals))
                    continue;
                *any = true;
                if (!set(&operand, table, equals + 1, complaint))
                    return false;
            }
    return true;
}

/* "flux=" and "flux=none" say that the values are exact. */
static bool set_error(const struct operand *operand, const struct table *table, const char *name,
                      struct complaint *complaint) {
    struct feature *feature = operand->feature;
    *operand->error = feature->also = NO_COLUMN;
    free(feature->lost);
    feature->lost = NULL;
    if (!*name || (ascii_same(name, "none") && table_find(table, name) == NO_COLUMN))
        return true;
    size_t column = 0;
    if (!column_find(table, name, &column, complaint))
        return false;
    if (column == operand->column)
        return complain(complaint, BAD_USAGE, "--errors: '%s' cannot be its own error", name);
    *operand->error = (long)column;
    return true;
}

static bool apply_pair(struct columns *columns, const struct table *table, const char *pair,
                       struct complaint *complaint) {
    bool any;
    if (!for_pair(columns, table, pair, set_error, &any, complaint))
        return false;
    if (!any && !strchr(pair, '='))
        return complain(complaint, BAD_USAGE, "--errors: '%s' is not of the form feature=column",
                        pair);
    return any || complain(complaint, BAD_INPUT, "--errors: '%s' names no feature of %s", pair,
                           table_path(table));
}

/* The error column a model learned with, where this table has it. */
static bool set_learned(const struct operand *operand, const struct table *table, const char *name,
                        struct complaint *complaint) {
    struct feature *feature = operand->feature;
    long column = table_find(table, name);
    if (column >= 0)
        *operand->error = column;
    else if (*operand->error == NO_COLUMN && !feature->lost &&
             !(feature->lost = joined("", name, "")))
        return complain_of_memory(complaint);
    return true;
}

static bool pair_as_learned(struct columns *columns, const struct table *table, const char *note,
                            struct complaint *complaint) {
    struct name_list pairs = {0};
    bool fine = name_list_split(&pairs, note, "the model's note of errors", complaint), any;
    for (size_t i = 0; fine && i < pairs.count; i++)
        fine = for_pair(columns, table, pairs.item[i], set_learned, &any, complaint);
    name_list_free(&pairs);
    return fine;
}

/* Each word outweighs the one before: the rule, what was learned with, what the user says. */
bool columns_pair_errors(struct columns *columns, const struct table *table, const char *learned,
                         const struct column_wishes *wishes, struct complaint *complaint) {
    const char *wish = wishes->errors;
    if (wish && ascii_same(wish, "none"))
        return true;
    struct name_list pairs = {0};
    bool fine = pair_by_rule(columns, table, wishes, complaint) &&
                (!learned || pair_as_learned(columns, table, learned, complaint)) &&
                (!wish || name_list_split(&pairs, wish, "--errors", complaint));
    for (size_t i = 0; fine && i < pairs.count; i++)
        fine = apply_pair(columns, table, pairs.item[i], complaint);
    name_list_free(&pairs);
    return fine;
}

/* ---------------------------------------------------------------- the note -------------------- */

static bool note_pair(struct name_list *pairs, const char *name, const char *column) {
    struct complaint ignored;
    char *pair = joined(name, "=", column);
    bool fine = pair && name_list_add(pairs, pair, strlen(pair), &ignored);
    free(pair);
    return fine;
}

char *columns_errors(const struct columns *columns, const struct table *table) {
    struct name_list pairs = {0};
    bool fine = true;
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        bool here = feature->error != NO_COLUMN, minus = feature->minus_error != NO_COLUMN;
        if (here || feature->lost)
            fine =
                note_pair(&pairs, feature->name,
                          here ? table_column_name(table, (size_t)feature->error) : feature->lost);
        if (fine && minus)
            fine = note_pair(&pairs, table_column_name(table, (size_t)feature->minus),
                             table_column_name(table, (size_t)feature->minus_error));
    }
    char *text = fine ? name_list_join(&pairs) : NULL;
    name_list_free(&pairs);
    return text;
}
