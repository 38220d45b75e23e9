/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns columns of errors, limits and correlations to attributes: by name, as in training, or as
 * the user requests. */
#include "cli/rows/columns.h"

#include "text/ascii.h"
#include "text/growing.h"

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

void columns_drop_correlations(struct columns *columns) {
    columns->independent = columns->correlations > 0;
    free(columns->correlation);
    columns->correlation = NULL;
    columns->correlations = 0;
}

const char *feature_column(const struct feature *feature, const struct table *table) {
    return table_column_name(table, (size_t)feature->value.column);
}

bool feature_has_errors(const struct feature *feature) {
    return feature->value.errors.lower != NO_COLUMN || feature->minus.errors.lower != NO_COLUMN;
}

/* What may have errors: the attributes, and behind them a target of numbers. */
static size_t subjects(const struct columns *columns) {
    return columns->count + (columns->target != NULL);
}

static struct feature *subject(const struct columns *columns, size_t j) {
    return j < columns->count ? &columns->feature[j] : columns->target;
}

/* ---------------------------------------------------------------- by rule --------------------- */

static void measure_by_rule(struct measured *measured, const nim_names *names, const bool *excluded,
                            bool errors, long *also) {
    *also = NO_COLUMN;
    if (measured->column == NO_COLUMN)
        return;
    measured->limit = nim_names_limits(names, (size_t)measured->column, excluded);
    if (errors)
        nim_names_errors(names, (size_t)measured->column, excluded, &measured->errors, also);
}

/* Of the first `count` subjects. */
static void pair_by_rule(struct columns *columns, size_t count, const bool *excluded, bool errors) {
    const nim_names *names = columns->names.names;
    for (size_t j = 0; j < count; j++) {
        struct feature *feature = subject(columns, j);
        long other;
        if (feature->form == FORM_LEVEL) /* exact */
            continue;
        measure_by_rule(&feature->minus, names, excluded, errors, &other);
        measure_by_rule(&feature->value, names, excluded, errors, &feature->also);
    }
}

/* The attribute that is this column, or its logarithm, with errors; or -1. */
static long feature_with_errors(const struct columns *columns, size_t column) {
    for (size_t j = 0; j < columns->count; j++)
        if (columns->feature[j].value.column == (long)column &&
            columns->feature[j].form != FORM_DIFFERENCE && feature_has_errors(&columns->feature[j]))
            return (long)j;
    return -1;
}

/* The columns of correlations between attributes with errors. */
static bool find_correlations(struct columns *columns, const struct table *table,
                              const bool *excluded, struct complaint *complaint) {
    for (size_t i = 0; i < table_columns(table); i++) {
        long of[2];
        if (excluded[i] || column_role(&columns->names, i, of) != NIM_CORRELATION)
            continue;
        long a = feature_with_errors(columns, (size_t)of[0]),
             b = feature_with_errors(columns, (size_t)of[1]);
        if (a < 0 || b < 0)
            continue;
        struct correlation *grown =
            grow_by_one(columns->correlation, columns->correlations, sizeof *grown);
        if (!grown)
            return complain_of_memory(complaint);
        columns->correlation = grown;
        grown[columns->correlations++] = (struct correlation){
            .first = (size_t)(a < b ? a : b), .second = (size_t)(a < b ? b : a), .column = i};
    }
    return true;
}

/* ---------------------------------------------------------------- pairs named ----------------- */

/* What a pair is about: an attribute, or what a difference takes away. */
struct operand {
    struct feature *feature;
    struct measured *measured;
};

static struct operand operand_of(struct feature *feature, bool second) {
    return (struct operand){feature, second ? &feature->minus : &feature->value};
}

static bool is_name(const char *pair, const char *equals, const char *name, const char *more) {
    size_t length = strlen(name), behind = strlen(more);
    return length + behind == (size_t)(equals - pair) && ascii_starts(pair, name) &&
           strncmp(pair + length, more, behind) == 0;
}

/* Whether a pair "name=column" up to the sign is about this operand. */
static bool is_about(const struct operand *operand, const struct table *table, const char *pair,
                     const char *equals) {
    bool first = operand->measured == &operand->feature->value;
    return is_name(pair, equals, operand->feature->name, first ? "" : NOTE_TAKEN_AWAY) ||
           is_name(pair, equals, table_column_name(table, (size_t)operand->measured->column), "");
}

/* Calls `set` with every operand a pair is about and the text after the equals sign. Names may
 * contain equals signs themselves, so every one is tried. *sign is the one that was taken, or NULL
 * when the pair is about no operand. */
static bool for_pair(struct columns *columns, const struct table *table, const char *pair,
                     bool (*set)(const struct operand *, const struct columns *,
                                 const struct table *, const char *column, struct complaint *),
                     const char **sign, struct complaint *complaint) {
    *sign = NULL;
    for (const char *equals = strchr(pair, '='); equals && !*sign; equals = strchr(equals + 1, '='))
        for (size_t j = 0; j < subjects(columns); j++)
            for (int second = 0; second < 2; second++) {
                struct feature *feature = subject(columns, j);
                struct operand operand = operand_of(feature, second);
                if ((second && feature->minus.column == NO_COLUMN) ||
                    !is_about(&operand, table, pair, equals))
                    continue;
                *sign = equals;
                if (!set(&operand, columns, table, equals + 1, complaint))
                    return false;
            }
    return true;
}

/* "flux=" and "flux=none" say that the values are exact. */
static bool set_errors(const struct operand *operand, const struct columns *columns,
                       const struct table *table, const char *name, struct complaint *complaint) {
    struct feature *feature = operand->feature;
    struct measured *measured = operand->measured;
    struct nim_sides sides;
    size_t column;
    measured->errors = NO_ERRORS;
    feature->also = NO_COLUMN;
    free(feature->lost);
    feature->lost = NULL;
    if (!*name || (ascii_same(name, "none") && table_find(table, name) == NO_COLUMN))
        return true;
    if (!nim_names_sides(columns->names.names, name, &sides))
        return column_find(table, name, &column, complaint) && false;
    if (sides.lower == measured->column || sides.upper == measured->column)
        return complain(complaint, BAD_USAGE, "--errors: '%s' cannot be its own error", name);
    measured->errors = sides;
    return true;
}

static bool complain_of_feature(const struct columns *columns, const struct table *table,
                                const char *pair, struct complaint *complaint) {
    char known[256] = "";
    size_t used = 0;
    for (size_t j = 0; j < columns->count && used < sizeof known; j++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", j ? ", " : "",
                                 columns->feature[j].name);
    return complain(complaint, BAD_INPUT,
                    "--errors: '%s': %s has no such feature; the features are %s%s", pair,
                    table_path(table), known, used < sizeof known ? "" : "...");
}

bool errors_are_pattern(const char *item) {
    const char *star = strchr(item, '*'), *sign = strchr(item, '=');
    return star && sign && star < sign && strchr(sign, '*');
}

bool errors_by_pattern(const struct column_names *names, const char *item, size_t column,
                       struct nim_sides *sides) {
    enum { LONGEST = 1024 };
    char pattern[LONGEST], filled[2 * LONGEST];
    size_t length = strcspn(item, "=");
    if (length >= sizeof pattern)
        return false;
    memcpy(pattern, item, length);
    pattern[length] = '\0';
    return nim_pattern_fill(pattern, names->name[column], item + length + 1, filled,
                            sizeof filled) &&
           nim_names_sides(names->names, filled, sides) && sides->lower != (long)column &&
           sides->upper != (long)column;
}

/* Sets the errors of every attribute of which the pattern finds some. */
static bool apply_pattern(struct columns *columns, const struct table *table, const char *item,
                          struct complaint *complaint) {
    bool any = false;
    for (size_t j = 0; j < subjects(columns); j++)
        for (int second = 0; second < 2; second++) {
            struct feature *feature = subject(columns, j);
            struct operand operand = operand_of(feature, second);
            struct nim_sides sides;
            if (operand.measured->column == NO_COLUMN ||
                !errors_by_pattern(&columns->names, item, (size_t)operand.measured->column, &sides))
                continue;
            operand.measured->errors = sides;
            feature->also = NO_COLUMN;
            any = true;
        }
    return any || complain(complaint, BAD_INPUT, "%s: --errors: no columns are as '%s' says",
                           table_path(table), item);
}

/* The length of the feature's name in the pair into *name. */
static bool apply_pair(struct columns *columns, const struct table *table, const char *pair,
                       size_t *name, struct complaint *complaint) {
    const char *sign;
    if (!for_pair(columns, table, pair, set_errors, &sign, complaint))
        return false;
    *name = sign ? (size_t)(sign - pair) : 0;
    if (!sign && !strchr(pair, '='))
        return complain(complaint, BAD_USAGE, "--errors: '%s' is not of the form FEATURE=COLUMN",
                        pair);
    return sign || complain_of_feature(columns, table, pair, complaint);
}

/* Complains when the feature of the last of these pairs, whose name has so many characters, was in
 * an earlier one too. */
static bool is_first_of_its_name(char *const *pair, size_t last, size_t name,
                                 struct complaint *complaint) {
    char with_sign[512];
    snprintf(with_sign, sizeof with_sign, "%.*s=", (int)name, pair[last]);
    for (size_t i = 0; i < last; i++)
        if (ascii_starts(pair[i], with_sign))
            return complain(complaint, BAD_USAGE, "--errors: '%.*s' is given twice, %s and %s",
                            (int)name, pair[last], pair[i], pair[last]);
    return true;
}

/* The error columns a model learned with, where this table has them. */
static bool set_learned(const struct operand *operand, const struct columns *columns,
                        const struct table *table, const char *name, struct complaint *complaint) {
    (void)table;
    struct feature *feature = operand->feature;
    struct nim_sides sides;
    if (nim_names_sides(columns->names.names, name, &sides))
        operand->measured->errors = sides;
    else if (operand->measured->errors.lower == NO_COLUMN && !feature->lost &&
             !(feature->lost = joined("", name, "")))
        return complain_of_memory(complaint);
    return true;
}

static bool pair_as_learned(struct columns *columns, const struct table *table, const char *note,
                            struct complaint *complaint) {
    struct name_list pairs = {0};
    const char *sign;
    bool fine = name_list_split(&pairs, note, "the model's note of errors", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++)
        fine = for_pair(columns, table, pairs.item[i], set_learned, &sign, complaint);
    name_list_free(&pairs);
    return fine;
}

/* Later sources replace earlier ones: names, the errors in training, the user's option. */
static bool pair_errors(struct columns *columns, const struct table *table, const char *learned,
                        const char *wish, struct complaint *complaint) {
    struct name_list pairs = {0};
    size_t name;
    bool fine = (!learned || pair_as_learned(columns, table, learned, complaint)) &&
                (!wish || name_list_split(&pairs, wish, "--errors", complaint));
    for (size_t i = 0; fine && i < pairs.count; i++)
        fine = errors_are_pattern(pairs.item[i])
                   ? apply_pattern(columns, table, pairs.item[i], complaint)
                   : apply_pair(columns, table, pairs.item[i], &name, complaint) &&
                         is_first_of_its_name(pairs.item, i, name, complaint);
    name_list_free(&pairs);
    return fine;
}

/* An attribute or the label is never an error column of others. */
static bool *mark_taken(const struct columns *columns, const struct table *table,
                        const struct column_wishes *wishes) {
    bool *taken = calloc(table_columns(table) + 1, sizeof *taken);
    for (size_t i = 0; taken && i < wishes->taken_count; i++)
        taken[wishes->taken[i].column] = true;
    for (size_t j = 0; taken && j < columns->count; j++) {
        taken[columns->feature[j].value.column] = true;
        if (columns->feature[j].minus.column != NO_COLUMN)
            taken[columns->feature[j].minus.column] = true;
    }
    return taken;
}

bool columns_pair_errors(struct columns *columns, const struct table *table, const char *learned,
                         const struct column_wishes *wishes, struct complaint *complaint) {
    bool errors = !wishes->errors || !ascii_same(wishes->errors, "none");
    bool *excluded = mark_taken(columns, table, wishes);
    if (!excluded)
        return complain_of_memory(complaint);
    bool fine = columns_mark_excluded(table, wishes, excluded, complaint);
    /* A model that learned without errors of the target has them in its noise. */
    if (fine)
        pair_by_rule(columns, wishes->as_in_training ? columns->count : subjects(columns), excluded,
                     errors);
    if (fine && errors)
        fine = pair_errors(columns, table, learned, wishes->errors, complaint) &&
               find_correlations(columns, table, excluded, complaint);
    free(excluded);
    return fine;
}

/* ---------------------------------------------------------------- the note -------------------- */

/* sign: "=", or that and what makes the name that of what a difference takes away. */
static bool note_pair(struct name_list *pairs, const char *name, const char *sign,
                      const char *errors) {
    struct complaint ignored;
    char *pair = errors ? joined(name, sign, errors) : NULL;
    bool fine = pair && name_list_add(pairs, pair, strlen(pair), &ignored);
    free(pair);
    return fine;
}

char *columns_errors(const struct columns *columns, const struct table *table) {
    struct name_list pairs = {0};
    bool fine = true;
    for (size_t j = 0; fine && j < subjects(columns); j++) {
        const struct feature *feature = subject(columns, j);
        bool here = feature->value.errors.lower != NO_COLUMN;
        char *own = here ? error_sides_write(table, &feature->value.errors) : NULL;
        char *other = error_sides_write(table, &feature->minus.errors);
        if (here || feature->lost)
            fine = note_pair(&pairs, feature->name, "=", here ? own : feature->lost);
        if (fine && feature->minus.errors.lower != NO_COLUMN)
            fine = note_pair(&pairs, feature->name, NOTE_TAKEN_AWAY "=", other);
        free(own);
        free(other);
    }
    char *text = fine ? name_list_join(&pairs) : NULL;
    name_list_free(&pairs);
    return text;
}

char *feature_errors(const struct feature *feature, const struct table *table) {
    char *own = error_sides_write(table, &feature->value.errors);
    char *other = error_sides_write(table, &feature->minus.errors);
    char *both = own && other ? joined(own, *own && *other ? ", " : "", other) : NULL;
    free(own);
    free(other);
    return both;
}
