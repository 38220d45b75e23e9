/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/columns.h"

#include "cli/model/fit_request.h"
#include "cli/rows/column_list.h"
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
    return complain(complaint, BAD_INPUT, "%s: no column '%s'; the columns are %s%s",
                    table_path(table), name, known, used < sizeof known ? "" : "...");
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

/* ---------------------------------------------------------------- no attributes --------------- */

static bool is_value(const struct columns *columns, long column) {
    for (size_t j = 0; j < columns->count; j++)
        if (columns->feature[j].value.column == column ||
            columns->feature[j].minus.column == column)
            return true;
    return false;
}

bool columns_mark_excluded(const struct table *table, const struct column_wishes *wishes,
                           bool *excluded, struct complaint *complaint) {
    struct name_list names = {0};
    bool fine =
        !wishes->exclude || name_list_split(&names, wishes->exclude, "--exclude", complaint);
    for (size_t i = 0; fine && i < names.count; i++)
        fine = column_mark(table, names.item[i], excluded, complaint) || wishes->as_in_training;
    name_list_free(&names);
    return fine;
}

/* ---------------------------------------------------------------- attributes ------------------ */

bool feature_take_log(struct feature *feature, struct complaint *complaint) {
    size_t size = strlen(feature->name) + sizeof "log()";
    char *name = malloc(size);
    if (!name)
        return complain_of_memory(complaint);
    snprintf(name, size, "log(%s)", feature->name);
    free(feature->name);
    feature->name = name;
    feature->form = FORM_LOG;
    return true;
}

static bool check_name(const struct table *table, size_t column, struct complaint *complaint) {
    return utf8_valid(table_column_name(table, column)) ||
           complain(complaint, BAD_INPUT,
                    "%s: column %zu: the name '%s' is not UTF-8; iconv -f latin1 -t utf8 converts "
                    "Latin-1",
                    table_path(table), column + 1, table_column_name(table, column));
}

/* Without errors yet. Its name is NULL when out of memory. */
static struct feature feature_of(const struct formula *formula, const struct table *table) {
    const struct measured none = {.column = NO_COLUMN, .errors = NO_ERRORS, .limit = NO_COLUMN};
    struct feature feature = {.value = none,
                              .minus = none,
                              .form = formula->form,
                              .also = NO_COLUMN,
                              .name = formula_name(formula, table)};
    feature.value.column = (long)formula->column;
    feature.minus.column = formula->minus;
    if (feature.name && formula->form == FORM_LEVEL)
        feature.level = feature.name + strlen(table_column_name(table, formula->column)) + 1;
    return feature;
}

static bool add_feature(struct columns *columns, const struct table *table,
                        const struct formula *formula, struct complaint *complaint) {
    if (!check_name(table, formula->column, complaint) ||
        (formula->minus != NO_COLUMN && !check_name(table, (size_t)formula->minus, complaint)))
        return false;
    struct feature *grown = grow_by_one(columns->feature, columns->count, sizeof *columns->feature);
    if (!grown)
        return complain_of_memory(complaint);
    columns->feature = grown;
    grown[columns->count] = feature_of(formula, table);
    return grown[columns->count].name ? ++columns->count > 0 : complain_of_memory(complaint);
}

bool columns_take_target(struct columns *columns, const struct table *table, size_t column,
                         struct complaint *complaint) {
    struct formula itself = {.form = FORM_COLUMN, .column = column, .minus = NO_COLUMN};
    columns->target = malloc(sizeof *columns->target);
    if (columns->target)
        *columns->target = feature_of(&itself, table);
    return (columns->target && columns->target->name) || complain_of_memory(complaint);
}

/* The attribute called `name`: the column of that very name, else what is computed from columns. */
static bool add_named(struct columns *columns, const struct table *table, const char *name,
                      struct complaint *complaint) {
    struct formula formula;
    return formula_read(&formula, table, name, complaint) &&
           add_feature(columns, table, &formula, complaint);
}

/* Differences and indicators, which are few, are compared with those before. */
static bool is_before(const struct columns *columns, size_t j) {
    const struct feature *feature = &columns->feature[j];
    for (size_t i = 0; i < j; i++)
        if (columns->feature[i].form == feature->form &&
            columns->feature[i].value.column == feature->value.column &&
            columns->feature[i].minus.column == feature->minus.column &&
            (!feature->level || strcmp(columns->feature[i].level, feature->level) == 0))
            return true;
    return false;
}

/* The same attribute may not come twice: no column as it is, none as its logarithm. */
static bool check_twice(const struct columns *columns, const struct table *table,
                        struct complaint *complaint) {
    bool(*seen)[FORM_DIFFERENCE] = calloc(table_columns(table) + 1, sizeof *seen), fine = true;
    if (!seen)
        return complain_of_memory(complaint);
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        bool single = feature->form < FORM_DIFFERENCE;
        if (single ? seen[feature->value.column][feature->form] : is_before(columns, j))
            fine = complain(complaint, BAD_USAGE, "feature '%s' is given twice", feature->name);
        if (single)
            seen[feature->value.column][feature->form] = true;
    }
    free(seen);
    return fine;
}

/* ---------------------------------------------------------------- what columns are ------------ */

static void set_sides_aside(nim_judge *judge, const struct nim_sides *sides) {
    nim_judge_set_aside(judge, (size_t)sides->lower, NIM_ASIDE_ERRORS);
    if (sides->upper >= 0)
        nim_judge_set_aside(judge, (size_t)sides->upper, NIM_ASIDE_ERRORS);
}

/* Tells the judge which columns the user named as errors. */
static bool set_errors_aside(const struct columns *columns, nim_judge *judge,
                             const struct column_wishes *wishes, struct complaint *complaint) {
    struct name_list pairs = {0};
    bool fine = !wishes->errors || ascii_same(wishes->errors, "none") ||
                name_list_split(&pairs, wishes->errors, "--errors", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++) {
        const char *equals = strrchr(pairs.item[i], '=');
        struct nim_sides sides;
        for (size_t j = 0; errors_are_pattern(pairs.item[i]) && j < columns->names.count; j++)
            if (errors_by_pattern(&columns->names, pairs.item[i], j, &sides))
                set_sides_aside(judge, &sides);
        if (equals && nim_names_sides(columns->names.names, equals + 1, &sides))
            set_sides_aside(judge, &sides);
    }
    name_list_free(&pairs);
    return fine;
}

/* Tells the judge which columns cannot be attributes. `excluded`: a flag each, to be set. */
static bool set_aside(const struct columns *columns, const struct table *table, nim_judge *judge,
                      const struct column_wishes *wishes, bool *excluded,
                      struct complaint *complaint) {
    if (!columns_mark_excluded(table, wishes, excluded, complaint) ||
        !set_errors_aside(columns, judge, wishes, complaint))
        return false;
    for (size_t i = 0; i < table_columns(table); i++)
        if (excluded[i])
            nim_judge_set_aside(judge, i, NIM_ASIDE_EXCLUDED);
    for (size_t i = 0; i < wishes->taken_count; i++)
        nim_judge_set_aside(judge, wishes->taken[i].column, wishes->taken[i].aside);
    return nim_judge_finish(judge) || complain_of_memory(complaint);
}

static bool is_attribute(enum nim_standing standing) {
    return standing == NIM_LEARNED || standing == NIM_LEARNED_TRUTH;
}

static bool add_column(struct columns *columns, const struct table *table, size_t column,
                       enum form form, struct complaint *complaint) {
    struct formula formula = {.form = form, .column = column, .minus = NO_COLUMN};
    size_t found;
    return column_find(table, table_column_name(table, column), &found, complaint) &&
           add_feature(columns, table, &formula, complaint);
}

/* Where nothing else is there to learn from, what numbers rows is a quantity after all. */
static bool add_numbering(struct columns *columns, const struct table *table,
                          struct complaint *complaint) {
    struct name_list *numbering = &columns->without[NIM_ROW_NUMBER];
    bool fine = true;
    for (size_t i = 0; fine && i < numbering->count; i++)
        fine = add_named(columns, table, numbering->item[i], complaint);
    name_list_free(numbering);
    return fine && (columns->count ||
                    complain(complaint, BAD_INPUT,
                             "%s: no columns of numbers besides the label; expected at least one",
                             table_path(table)));
}

/* Columns that are no attributes, for messages. listed: features were named, so that only unused
 * errors are worth a word. */
static bool list_without(struct columns *columns, const struct table *table, const nim_judge *judge,
                         bool listed, struct complaint *complaint) {
    bool fine = true;
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        const char *name = table_column_name(table, i);
        enum nim_standing standing = nim_judge_standing(judge, i);
        if (listed ? standing == NIM_UNUSED_ERRORS && !is_value(columns, (long)i)
                   : !is_attribute(standing))
            fine = name_list_add(&columns->without[standing], name, strlen(name), complaint);
    }
    return fine;
}

static bool add_level(struct columns *columns, const struct table *table, size_t column,
                      const char *level, struct complaint *complaint) {
    struct formula formula = {
        .form = FORM_LEVEL, .column = column, .minus = NO_COLUMN, .level = level};
    return add_feature(columns, table, &formula, complaint);
}

/* Indicators of the texts of a column; one is enough for two texts. */
static bool add_levels(struct columns *columns, const struct table *table, const nim_judge *judge,
                       size_t column, struct complaint *complaint) {
    struct nim_column_facts facts;
    const char *name = table_column_name(table, column);
    bool fine = true;
    nim_judge_facts(judge, column, &facts);
    if (facts.words < 2 || facts.words > NIM_MOST_WORDS)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %s different texts; expected 2 to %d of a feature",
                        table_path(table), name, facts.words < 2 ? "no" : "too many",
                        NIM_MOST_WORDS);
    if (facts.truth)
        return add_level(columns, table, column, "true", complaint);
    for (size_t k = facts.words == 2; fine && k < facts.words; k++)
        fine = add_level(columns, table, column, nim_judge_word(judge, column, k, NULL), complaint);
    return fine;
}

static bool is_words(const struct table *table, const nim_judge *judge, const char *name,
                     size_t *column) {
    struct nim_column_facts facts;
    long found = table_find(table, name);
    if (found < 0)
        return false;
    nim_judge_facts(judge, (size_t)found, &facts);
    *column = (size_t)found;
    return facts.text && !facts.numbers;
}

/* All columns that look like attributes. */
static bool add_numeric(struct columns *columns, const struct table *table, const nim_judge *judge,
                        struct complaint *complaint) {
    bool fine = list_without(columns, table, judge, false, complaint);
    for (size_t i = 0; fine && i < table_columns(table); i++)
        if (nim_judge_standing(judge, i) == NIM_LEARNED)
            fine = add_column(columns, table, i, FORM_COLUMN, complaint);
        else if (nim_judge_standing(judge, i) == NIM_LEARNED_TRUTH)
            fine = add_level(columns, table, i, "true", complaint);
    return fine && (columns->count || add_numbering(columns, table, complaint));
}

/* ---------------------------------------------------------------- columns named --------------- */

static bool is_feature(const struct columns *columns, size_t column, enum form form) {
    for (size_t j = 0; j < columns->count; j++)
        if (columns->feature[j].value.column == (long)column && columns->feature[j].form == form)
            return true;
    return false;
}

/* Of what numbers the rows, more than * must be said. True and false have no logarithm. */
static bool may_match(enum nim_standing standing, const char *pattern, enum form form) {
    return standing == NIM_LEARNED || (standing == NIM_ROW_NUMBER && strcmp(pattern, "*") != 0) ||
           (standing == NIM_LEARNED_TRUTH && form == FORM_COLUMN);
}

/* The attributes that match *mag or log(*flux). */
static bool add_matching(struct columns *columns, const struct table *table, const nim_judge *judge,
                         const char *pattern, enum form form, struct complaint *complaint) {
    bool fine = true, any = false;
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        enum nim_standing standing = nim_judge_standing(judge, i);
        if (!column_matches(pattern, table_column_name(table, i)) ||
            !may_match(standing, pattern, form))
            continue;
        any = true;
        enum form own = standing == NIM_LEARNED_TRUTH ? FORM_LEVEL : form;
        if (!is_feature(columns, i, own))
            fine = own == FORM_LEVEL ? add_level(columns, table, i, "true", complaint)
                                     : add_column(columns, table, i, form, complaint);
    }
    return fine && (any || column_complain_unmatched(table, pattern, complaint));
}

/* What is named itself, and not by a pattern, cannot be excluded too. */
static bool check_excluded(const struct feature *feature, const bool *excluded,
                           struct complaint *complaint) {
    bool is = excluded[feature->value.column] ||
              (feature->minus.column != NO_COLUMN && excluded[feature->minus.column]);
    return !is || complain(complaint, BAD_USAGE, "'%s' is in both --features and --exclude",
                           feature->name);
}

static bool add_item(struct columns *columns, const struct table *table, const nim_judge *judge,
                     const bool *excluded, const char *item, struct complaint *complaint) {
    enum form form = FORM_COLUMN;
    char *inside = NULL;
    if (table_find(table, item) == NO_COLUMN && !formula_inside(item, &form, &inside, complaint))
        return false;
    const char *name = inside ? inside : item;
    bool pattern = column_is_pattern(table, name);
    size_t column;
    bool words = !pattern && !inside && is_words(table, judge, item, &column);
    bool fine =
        pattern ? add_matching(columns, table, judge, name, form, complaint)
                : (words ? add_levels(columns, table, judge, column, complaint)
                         : add_named(columns, table, item, complaint)) &&
                      check_excluded(&columns->feature[columns->count - 1], excluded, complaint);
    free(inside);
    return fine;
}

static bool add_listed(struct columns *columns, const struct table *table, const nim_judge *judge,
                       const struct column_wishes *wishes, const bool *excluded,
                       struct complaint *complaint) {
    struct name_list names = {0};
    bool fine = name_list_split(&names, wishes->features, "--features", complaint);
    for (size_t i = 0; fine && i < names.count; i++)
        fine = add_item(columns, table, judge, excluded, names.item[i], complaint);
    fine = fine && check_twice(columns, table, complaint);
    for (size_t i = 0; fine && i < wishes->taken_count; i++)
        if (is_value(columns, (long)wishes->taken[i].column))
            fine =
                complain(complaint, BAD_USAGE, "'%s' is the %s and cannot also be a feature",
                         table_column_name(table, wishes->taken[i].column), wishes->taken[i].role);
    name_list_free(&names);
    return fine && list_without(columns, table, judge, true, complaint);
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
            if (columns->feature[j].value.column == (long)column &&
                columns->feature[j].form != FORM_DIFFERENCE)
                feature = &columns->feature[j];
        if (fine && !feature)
            fine = complain(complaint, BAD_USAGE, "--log: '%s' is not a feature", names.item[i]);
        else if (fine && feature->form == FORM_COLUMN)
            fine = feature_take_log(feature, complaint);
    }
    name_list_free(&names);
    return fine;
}

bool columns_choose(struct columns *columns, const struct table *table, nim_judge *judge,
                    const struct column_wishes *wishes, struct complaint *complaint) {
    const char *log = wishes->log;
    bool named = log && !ascii_same(log, "auto") && !ascii_same(log, "none");
    bool *excluded = calloc(table_columns(table) + 1, sizeof *excluded);
    bool fine = (excluded || complain_of_memory(complaint)) &&
                set_aside(columns, table, judge, wishes, excluded, complaint) &&
                (wishes->features ? add_listed(columns, table, judge, wishes, excluded, complaint)
                                  : add_numeric(columns, table, judge, complaint));
    free(excluded);
    return fine && columns_pair_errors(columns, table, NULL, wishes, complaint) &&
           (!named || take_logs(columns, table, log, complaint));
}

bool columns_match(struct columns *columns, const struct table *table, const nim_model *model,
                   const struct column_wishes *wishes, struct complaint *complaint) {
    struct column_wishes all = *wishes;
    const char *wish = fit_request_noted(model, REQUEST_ERRORS);
    const char *learned = nim_model_note(model, NOTE_ERRORS);
    all.exclude = fit_request_noted(model, REQUEST_EXCLUDE);
    all.as_in_training = true;
    if (!column_names_read(&columns->names, table, complaint))
        return false;
    for (size_t j = 0; j < nim_model_attributes(model); j++)
        if (!add_named(columns, table, nim_model_attribute_name(model, j), complaint))
            return false;
    if (!all.errors && wish && ascii_same(wish, "none"))
        all.errors = wish;
    return check_twice(columns, table, complaint) &&
           columns_pair_errors(columns, table, learned && *learned ? learned : NULL, &all,
                               complaint);
}

void feature_free(struct feature *feature) {
    free(feature->name);
    free(feature->lost);
    *feature = (struct feature){0};
}

void columns_free(struct columns *columns) {
    for (size_t j = 0; j < columns->count; j++)
        feature_free(&columns->feature[j]);
    if (columns->target)
        feature_free(columns->target);
    free(columns->target);
    column_names_free(&columns->names);
    free(columns->feature);
    free(columns->correlation);
    for (size_t i = 0; i <= NIM_NOTHING; i++)
        name_list_free(&columns->without[i]);
    *columns = (struct columns){0};
}
