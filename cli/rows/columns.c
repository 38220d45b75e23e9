/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/columns.h"

#include "cli/model/fit_request.h"
#include "cli/rows/error_columns.h"
#include "text/ascii.h"
#include "text/growing.h"
#include "text/nearest.h"
#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- finding --------------------- */

static bool complain_unknown(const struct table *table, const char *name,
                             struct complaint *complaint) {
    struct nearest nearest = {.word = name};
    size_t count = table_columns(table), used = 0;
    for (size_t i = 0; i < count; i++)
        nearest_try(&nearest, table_column_name(table, i));
    if (nearest.found)
        return complain(complaint, BAD_INPUT, "%s: no column '%s'; did you mean '%s'?",
                        table_path(table), name, nearest.found);
    char known[256] = "";
    for (size_t i = 0; i < count && used < sizeof known; i++) {
        int more = snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                            table_column_name(table, i));
        used += more > 0 ? (size_t)more : sizeof known;
    }
    return complain(complaint, BAD_INPUT, "%s: no column '%s'; there are %s%s", table_path(table),
                    name, known, used < sizeof known ? "" : "...");
}

bool column_find(const struct table *table, const char *name, size_t *column,
                 struct complaint *complaint) {
    long found = table_find(table, name);
    if (found == NO_COLUMN)
        return complain_unknown(table, name, complaint);
    if (found == TWO_COLUMNS)
        return complain(complaint, BAD_INPUT,
                        "%s: two columns are named '%s'; expected names that differ",
                        table_path(table), name);
    *column = (size_t)found;
    return true;
}

bool column_label(const struct table *table, const char *wanted, const char *learned,
                  const char *usual, size_t *column, struct complaint *complaint) {
    const char *name = wanted ? wanted : learned ? learned : usual;
    if (wanted || table_find(table, name) != NO_COLUMN)
        return column_find(table, name, column, complaint);
    return complain(complaint, BAD_INPUT, "%s: no column '%s'%s; --label names it",
                    table_path(table), name, learned ? ", the label in training" : "");
}

/* ---------------------------------------------------------------- errors ---------------------- */

static bool is_value(const struct columns *columns, long column) {
    for (size_t j = 0; j < columns->count; j++)
        if ((long)columns->feature[j].value == column)
            return true;
    return false;
}

static bool is_taken(const struct column_wishes *wishes, long column) {
    for (size_t i = 0; i < wishes->taken_count; i++)
        if ((long)wishes->taken[i].column == column)
            return true;
    return false;
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
    for (size_t j = 0; j < columns->count; j++)
        excluded[columns->feature[j].value] = true;
    for (size_t j = 0; j < columns->count; j++) {
        struct feature *feature = &columns->feature[j];
        long found[2];
        error_columns_find(table, table_column_name(table, feature->value), excluded, found);
        feature->error = found[0];
        feature->also = found[1];
    }
    free(excluded);
    return true;
}

/* ---------------------------------------------------------------- attributes ------------------ */

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

bool feature_take_log(struct feature *feature, struct complaint *complaint) {
    char *name = joined("log(", feature->name, ")");
    if (!name)
        return complain_of_memory(complaint);
    free(feature->name);
    feature->name = name;
    feature->logarithm = true;
    return true;
}

static bool add_feature(struct columns *columns, const struct table *table, size_t column,
                        bool logarithm, struct complaint *complaint) {
    if (!utf8_valid(table_column_name(table, column)))
        return complain(complaint, BAD_INPUT,
                        "%s: column %zu: the name '%s' is not UTF-8; iconv -f latin1 -t utf8 makes "
                        "it of Latin-1",
                        table_path(table), column + 1, table_column_name(table, column));
    struct feature *grown = grow_by_one(columns->feature, columns->count, sizeof *columns->feature);
    if (!grown)
        return complain_of_memory(complaint);
    columns->feature = grown;
    struct feature feature = {.value = column, .error = NO_COLUMN, .also = NO_COLUMN};
    feature.name = joined("", table_column_name(table, column), "");
    if (!feature.name)
        return complain_of_memory(complaint);
    grown[columns->count++] = feature;
    return !logarithm || feature_take_log(&grown[columns->count - 1], complaint);
}

/* The X of log(X), or NULL; to be freed. */
static char *inside_log(const char *name) {
    size_t length = strlen(name);
    if (length < 6 || strncmp(name, "log(", 4) != 0 || name[length - 1] != ')')
        return NULL;
    const char *start = name + 4, *end = name + length - 1;
    while (start < end && ascii_blank(*start))
        start++;
    while (start < end && ascii_blank(end[-1]))
        end--;
    char *inside = malloc((size_t)(end - start) + 1);
    if (inside) {
        memcpy(inside, start, (size_t)(end - start));
        inside[end - start] = '\0';
    }
    return inside;
}

/* The attribute called `name`: the column of that very name, else the logarithm of one. */
static bool add_named(struct columns *columns, const struct table *table, const char *name,
                      struct complaint *complaint) {
    size_t column = 0;
    char *inside = table_find(table, name) == NO_COLUMN ? inside_log(name) : NULL;
    bool fine = column_find(table, inside ? inside : name, &column, complaint);
    fine = fine && add_feature(columns, table, column, inside != NULL, complaint);
    free(inside);
    return fine;
}

/* The same attribute may not come twice: no column as it is, none as its logarithm. */
static bool check_twice(const struct columns *columns, const struct table *table,
                        struct complaint *complaint) {
    bool(*seen)[2] = calloc(table_columns(table) + 1, sizeof *seen), fine = true;
    if (!seen)
        return complain_of_memory(complaint);
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        bool *here = &seen[feature->value][feature->logarithm];
        if (*here)
            fine = complain(complaint, BAD_USAGE, "feature '%s' is named twice", feature->name);
        *here = true;
    }
    free(seen);
    return fine;
}

/* The names of errors of what is no attribute itself. */
static bool find_unused(struct columns *columns, const struct table *table,
                        const struct column_wishes *wishes, struct complaint *complaint) {
    for (size_t i = 0; i < wishes->taken_count; i++) {
        long found[2] = {NO_COLUMN, NO_COLUMN};
        if (wishes->taken[i].measured)
            error_columns_find(table, table_column_name(table, wishes->taken[i].column), NULL,
                               found);
        for (size_t k = 0; k < 2; k++) {
            if (found[k] == NO_COLUMN || is_value(columns, found[k]) || is_taken(wishes, found[k]))
                continue;
            const char *name = table_column_name(table, (size_t)found[k]);
            if (!name_list_add(&columns->unused, name, strlen(name), complaint))
                return false;
        }
    }
    return true;
}

static bool add_listed(struct columns *columns, const struct table *table,
                       const struct column_wishes *wishes, struct complaint *complaint) {
    struct name_list names = {0};
    bool fine = name_list_split(&names, wishes->features, "--features", complaint);
    for (size_t i = 0; fine && i < names.count; i++)
        fine = add_named(columns, table, names.item[i], complaint);
    fine = fine && check_twice(columns, table, complaint);
    for (size_t i = 0; fine && i < wishes->taken_count; i++)
        if (is_value(columns, (long)wishes->taken[i].column))
            fine =
                complain(complaint, BAD_USAGE, "'%s' is the %s and cannot be a feature too",
                         table_column_name(table, wishes->taken[i].column), wishes->taken[i].role);
    name_list_free(&names);
    return fine && find_unused(columns, table, wishes, complaint);
}

/* ---------------------------------------------------------------- a label nobody named -------- */

enum { MOST_GUESSED = 30 }; /* different values of a column of numbers that may be classes */

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Different values of a column of numbers in the rows at hand; missing ones are none. */
static bool count_values(struct table *table, size_t rows, size_t column, size_t *different,
                         struct complaint *complaint) {
    double *value = malloc((rows + 1) * sizeof *value);
    size_t known = 0;
    bool fine =
        value ? table_numbers(table, column, value, 1, complaint) : complain_of_memory(complaint);
    for (size_t i = 0; fine && i < rows; i++)
        if (!isnan(value[i]))
            value[known++] = value[i];
    *different = 0;
    if (fine)
        qsort(value, known, sizeof *value, by_size);
    for (size_t i = 0; fine && i < known; i++)
        *different += i == 0 || value[i] > value[i - 1];
    free(value);
    return fine;
}

static bool complain_no_label(const struct table *table, const char *usual, const char *why,
                              const char *hint, struct complaint *complaint) {
    struct name_list texts = {0};
    char names[256];
    bool fine = true;
    for (size_t i = 0; fine && i < table_columns(table); i++)
        if (table_column(table, i)->kind == COLUMN_TEXT)
            fine = name_list_add(&texts, table_column_name(table, i),
                                 strlen(table_column_name(table, i)), complaint);
    name_list_show(&texts, 8, names, sizeof names);
    if (fine)
        complain(complaint, BAD_INPUT,
                 "%s: no column '%s', and the last one, %s, %s; --label names the label%s%s%s",
                 table_path(table), usual, table_column_name(table, table_columns(table) - 1), why,
                 hint, texts.count ? "; columns of text: " : "", names);
    name_list_free(&texts);
    return false;
}

bool column_guess_label(struct table *table, size_t rows, const char *usual, size_t *column,
                        struct complaint *complaint) {
    size_t last = table_columns(table) - 1, different = 0;
    char why[64];
    *column = last;
    if (looks_like_error(table_column_name(table, last)))
        return complain_no_label(table, usual, "looks like errors", "", complaint);
    if (table_column(table, last)->kind == COLUMN_TEXT)
        return true;
    if (!count_values(table, rows, last, &different, complaint))
        return false;
    snprintf(why, sizeof why, "has %zu different values", different);
    return different <= MOST_GUESSED ||
           complain_no_label(table, usual, why, ", --task regress learns numbers", complaint);
}

/* ---------------------------------------------------------------- all columns of numbers ------ */

bool column_names_rows(const char *name) {
    static const char *const known[] = {"",       "id",    "index",  "row",       "rowid",
                                        "row_id", "objid", "obj_id", "source_id", "recno",
                                        "idx",    "#",     "no.",    "nr",        "Unnamed: 0"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ascii_same(name, known[i]))
            return true;
    return false;
}

/* Whether at least half the cells there are in the rows at hand are numbers. */
static bool mostly_numbers(struct table *table, size_t rows, size_t column,
                           struct complaint *complaint, bool *answer) {
    size_t cells = 0, numbers = 0;
    for (size_t i = 0; i < rows; i++) {
        struct span span;
        char text[64];
        double number;
        if (!table_text(table, i, column, &span, complaint))
            return false;
        if (!span.length)
            continue;
        cells++;
        if (span.length < sizeof text) {
            memcpy(text, span.text, span.length);
            text[span.length] = '\0';
            numbers += number_parse(text, &number);
        }
    }
    *answer = numbers > 0 && 2 * numbers >= cells;
    return true;
}

static bool has_errors(const struct table *table, const char *name) {
    long error[2];
    error_columns_find(table, name, NULL, error);
    return error[0] != NO_COLUMN;
}

static bool holds_numbers(struct table *table, size_t rows, size_t column,
                          struct complaint *complaint, bool *answer) {
    *answer = table_column(table, column)->kind == COLUMN_NUMBER ||
              has_errors(table, table_column_name(table, column));
    return *answer || mostly_numbers(table, rows, column, complaint, answer);
}

/* Marks the columns that are errors of others: by rule, or named as such by the user. */
static bool mark_errors(const struct table *table, const struct column_wishes *wishes, bool *is,
                        struct complaint *complaint) {
    for (size_t i = 0; i < table_columns(table); i++) {
        long found[2];
        if (is_taken(wishes, (long)i))
            continue;
        error_columns_find(table, table_column_name(table, i), NULL, found);
        for (size_t k = 0; k < 2; k++)
            if (found[k] != NO_COLUMN)
                is[found[k]] = true;
    }
    struct name_list pairs = {0};
    bool fine = !wishes->errors || ascii_same(wishes->errors, "none") ||
                name_list_split(&pairs, wishes->errors, "--errors", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++) {
        const char *equals = strrchr(pairs.item[i], '=');
        long column = equals ? table_find(table, equals + 1) : NO_COLUMN;
        if (column >= 0)
            is[column] = true;
    }
    name_list_free(&pairs);
    return fine;
}

static bool add_numeric(struct columns *columns, struct table *table, size_t rows,
                        const struct column_wishes *wishes, struct complaint *complaint) {
    size_t count = table_columns(table);
    bool *is_error = calloc(count, sizeof *is_error);
    if (!is_error)
        return complain_of_memory(complaint);
    bool fine = mark_errors(table, wishes, is_error, complaint) &&
                find_unused(columns, table, wishes, complaint);
    for (size_t i = 0; fine && i < count; i++) {
        const char *name = table_column_name(table, i);
        bool numbers = false;
        size_t column = 0;
        if (is_taken(wishes, (long)i) || is_error[i] || name_list_has(&columns->unused, name))
            continue;
        fine = holds_numbers(table, rows, i, complaint, &numbers);
        if (fine && numbers && column_names_rows(name))
            fine = name_list_add(&columns->left_out, name, strlen(name), complaint);
        else if (fine && numbers && is_one_sided_error(table, name))
            fine = name_list_add(&columns->one_sided, name, strlen(name), complaint);
        else if (fine && numbers && looks_like_error(name) && !has_errors(table, name))
            fine = name_list_add(&columns->orphans, name, strlen(name), complaint);
        else if (fine && numbers)
            fine = column_find(table, name, &column, complaint) &&
                   add_feature(columns, table, i, false, complaint);
    }
    free(is_error);
    if (fine && !columns->count)
        fine = complain(complaint, BAD_INPUT,
                        "%s: no columns of numbers besides the label; expected one at least",
                        table_path(table));
    return fine;
}

/* ---------------------------------------------------------------- pairs named ----------------- */

/* The feature a pair "name=column" is about, and what stands behind the equals sign. Names may hold
 * equals signs themselves, so every one is tried. */
static struct feature *feature_of_pair(struct columns *columns, const struct table *table,
                                       const char *pair, const char **column) {
    for (const char *equals = strchr(pair, '='); equals; equals = strchr(equals + 1, '='))
        for (size_t j = 0; j < columns->count; j++) {
            struct feature *feature = &columns->feature[j];
            const char *known[2] = {feature->name, table_column_name(table, feature->value)};
            *column = equals + 1;
            for (size_t k = 0; k < 2; k++)
                if (strlen(known[k]) == (size_t)(equals - pair) && ascii_starts(pair, known[k]))
                    return feature;
        }
    return NULL;
}

/* "flux=" and "flux=none" say that the values are exact. */
static bool apply_pair(struct columns *columns, const struct table *table, const char *pair,
                       struct complaint *complaint) {
    const char *name = NULL;
    struct feature *feature = feature_of_pair(columns, table, pair, &name);
    if (!feature && !strchr(pair, '='))
        return complain(complaint, BAD_USAGE, "--errors: '%s' is not of the form feature=column",
                        pair);
    if (!feature)
        return complain(complaint, BAD_INPUT, "--errors: '%s' names no feature of %s", pair,
                        table_path(table));
    feature->error = feature->also = NO_COLUMN;
    free(feature->lost);
    feature->lost = NULL;
    if (!*name || (ascii_same(name, "none") && table_find(table, name) == NO_COLUMN))
        return true;
    size_t column = 0;
    if (!column_find(table, name, &column, complaint))
        return false;
    if (column == feature->value)
        return complain(complaint, BAD_USAGE, "--errors: '%s' cannot be its own error", name);
    feature->error = (long)column;
    return true;
}

/* The error columns a model learned with, where this table has them. */
static bool pair_as_learned(struct columns *columns, const struct table *table, const char *note,
                            struct complaint *complaint) {
    struct name_list pairs = {0};
    bool fine = name_list_split(&pairs, note, "the model's note of errors", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++) {
        const char *name = NULL;
        struct feature *feature = feature_of_pair(columns, table, pairs.item[i], &name);
        long column = feature ? table_find(table, name) : NO_COLUMN;
        if (column >= 0)
            feature->error = column;
        else if (feature && feature->error == NO_COLUMN && !(feature->lost = joined("", name, "")))
            fine = complain_of_memory(complaint);
    }
    name_list_free(&pairs);
    return fine;
}

/* Each word outweighs the one before: the rule, what was learned with, what the user says. */
static bool pair(struct columns *columns, const struct table *table, const char *learned,
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

/* ---------------------------------------------------------------- choosing and matching ------- */

static bool take_logs(struct columns *columns, const struct table *table, const char *wish,
                      struct complaint *complaint) {
    struct name_list names = {0};
    bool fine = name_list_split(&names, wish, "--log", complaint);
    for (size_t i = 0; fine && i < names.count; i++) {
        size_t column = 0;
        struct feature *feature = NULL;
        fine = column_find(table, names.item[i], &column, complaint);
        for (size_t j = 0; fine && j < columns->count; j++)
            if (columns->feature[j].value == column)
                feature = &columns->feature[j];
        if (fine && !feature)
            fine = complain(complaint, BAD_USAGE, "--log: '%s' is not a feature", names.item[i]);
        else if (fine && !feature->logarithm)
            fine = feature_take_log(feature, complaint);
    }
    name_list_free(&names);
    return fine;
}

bool columns_choose(struct columns *columns, struct table *table, size_t rows,
                    const struct column_wishes *wishes, struct complaint *complaint) {
    const char *log = wishes->log;
    bool named = log && !ascii_same(log, "auto") && !ascii_same(log, "none");
    return (wishes->features ? add_listed(columns, table, wishes, complaint)
                             : add_numeric(columns, table, rows, wishes, complaint)) &&
           pair(columns, table, NULL, wishes, complaint) &&
           (!named || take_logs(columns, table, log, complaint));
}

bool columns_match(struct columns *columns, const struct table *table, const nim_model *model,
                   const struct column_wishes *wishes, struct complaint *complaint) {
    struct column_wishes all = *wishes;
    const char *wish = fit_request_noted(model, REQUEST_ERRORS);
    const char *learned = nim_model_note(model, NOTE_ERRORS);
    for (size_t j = 0; j < nim_model_attributes(model); j++)
        if (!add_named(columns, table, nim_model_attribute_name(model, j), complaint))
            return false;
    if (!all.errors && wish && ascii_same(wish, "none"))
        all.errors = wish;
    return check_twice(columns, table, complaint) &&
           pair(columns, table, learned && *learned ? learned : NULL, &all, complaint);
}

char *columns_errors(const struct columns *columns, const struct table *table) {
    struct name_list pairs = {0};
    struct complaint ignored;
    bool fine = true;
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        bool here = feature->error != NO_COLUMN;
        if (!here && !feature->lost)
            continue;
        char *start =
            joined(feature->name, "=",
                   here ? table_column_name(table, (size_t)feature->error) : feature->lost);
        fine = start && name_list_add(&pairs, start, strlen(start), &ignored);
        free(start);
    }
    char *text = fine ? name_list_join(&pairs) : NULL;
    name_list_free(&pairs);
    return text;
}

void feature_free(struct feature *feature) {
    free(feature->name);
    free(feature->lost);
    *feature = (struct feature){0};
}

void columns_free(struct columns *columns) {
    for (size_t j = 0; j < columns->count; j++)
        feature_free(&columns->feature[j]);
    free(columns->feature);
    name_list_free(&columns->left_out);
    name_list_free(&columns->orphans);
    name_list_free(&columns->one_sided);
    name_list_free(&columns->empty);
    name_list_free(&columns->unused);
    *columns = (struct columns){0};
}
