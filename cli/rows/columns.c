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

static bool is_taken(const struct column_wishes *wishes, long column) {
    for (size_t i = 0; i < wishes->taken_count; i++)
        if ((long)wishes->taken[i].column == column)
            return true;
    return false;
}

/* What cannot be an attribute and has this column as its errors, or NULL. */
static const struct taken *errors_of_taken(const struct columns *columns,
                                           const struct column_wishes *wishes, size_t column) {
    long of[2];
    if (column_role(&columns->names, column, of) != NIM_ERRORS)
        return NULL;
    for (size_t i = 0; i < wishes->taken_count; i++)
        if ((long)wishes->taken[i].column == of[0])
            return &wishes->taken[i];
    return NULL;
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

static bool add_feature(struct columns *columns, const struct table *table,
                        const struct formula *formula, struct complaint *complaint) {
    if (!check_name(table, formula->column, complaint) ||
        (formula->minus != NO_COLUMN && !check_name(table, (size_t)formula->minus, complaint)))
        return false;
    struct feature *grown = grow_by_one(columns->feature, columns->count, sizeof *columns->feature);
    if (!grown)
        return complain_of_memory(complaint);
    columns->feature = grown;
    const struct measured none = {.column = NO_COLUMN, .errors = NO_ERRORS, .limit = NO_COLUMN};
    struct feature feature = {.value = none,
                              .minus = none,
                              .form = formula->form,
                              .also = NO_COLUMN,
                              .name = formula_name(formula, table)};
    feature.value.column = (long)formula->column;
    feature.minus.column = formula->minus;
    if (!feature.name)
        return complain_of_memory(complaint);
    grown[columns->count++] = feature;
    return true;
}

/* The attribute called `name`: the column of that very name, else what is computed from columns. */
static bool add_named(struct columns *columns, const struct table *table, const char *name,
                      struct complaint *complaint) {
    struct formula formula;
    return formula_read(&formula, table, name, complaint) &&
           add_feature(columns, table, &formula, complaint);
}

/* Of differences, which are few, each is compared with those before. */
static bool is_difference_before(const struct columns *columns, size_t j) {
    const struct feature *feature = &columns->feature[j];
    for (size_t i = 0; feature->form == FORM_DIFFERENCE && i < j; i++)
        if (columns->feature[i].value.column == feature->value.column &&
            columns->feature[i].minus.column == feature->minus.column)
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
        bool single = feature->form != FORM_DIFFERENCE;
        if (single ? seen[feature->value.column][feature->form] : is_difference_before(columns, j))
            fine = complain(complaint, BAD_USAGE, "feature '%s' is given twice", feature->name);
        if (single)
            seen[feature->value.column][feature->form] = true;
    }
    free(seen);
    return fine;
}

/* The names of errors of what is no attribute itself. */
static bool find_unused(struct columns *columns, const struct table *table,
                        const struct column_wishes *wishes, struct complaint *complaint) {
    bool fine = true;
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        const char *name = table_column_name(table, i);
        const struct taken *of = errors_of_taken(columns, wishes, i);
        if (of && of->measured && !is_value(columns, (long)i) && !is_taken(wishes, (long)i))
            fine = name_list_add(&columns->unused, name, strlen(name), complaint);
    }
    return fine;
}

/* ---------------------------------------------------------------- all columns of numbers ------ */

/* Whether at least half of the cells in the current rows that are not missing are numbers. */
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

static bool holds_numbers(const struct columns *columns, struct table *table, size_t rows,
                          size_t column, struct complaint *complaint, bool *answer) {
    *answer = table_column(table, column)->kind == COLUMN_NUMBER ||
              column_has_errors(&columns->names, column);
    return *answer || mostly_numbers(table, rows, column, complaint, answer);
}

/* Marks the columns that the user named as errors. */
static bool mark_errors(const struct columns *columns, const struct column_wishes *wishes, bool *is,
                        struct complaint *complaint) {
    struct name_list pairs = {0};
    bool fine = !wishes->errors || ascii_same(wishes->errors, "none") ||
                name_list_split(&pairs, wishes->errors, "--errors", complaint);
    for (size_t i = 0; fine && i < pairs.count; i++) {
        const char *equals = strrchr(pairs.item[i], '=');
        struct nim_sides sides;
        if (!equals || !nim_names_sides(columns->names.names, equals + 1, &sides))
            continue;
        is[sides.lower] = true;
        if (sides.upper >= 0)
            is[sides.upper] = true;
    }
    name_list_free(&pairs);
    return fine;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whether it numbers the rows: whole numbers, all of them there and different, and no errors. Few
 * rows say nothing. */
static bool numbers_rows(struct table *table, size_t rows, size_t column, bool *answer,
                         struct complaint *complaint) {
    enum { FEW_ROWS = 30 };
    double *value = malloc((rows + 1) * sizeof *value);
    *answer = false;
    if (!value)
        return complain_of_memory(complaint);
    bool fine = table_numbers(table, column, value, 1, complaint);
    bool whole = fine && rows >= FEW_ROWS;
    for (size_t i = 0; whole && i < rows; i++)
        whole =
            value[i] == floor(value[i]) && isfinite(value[i]) && (!i || value[i] != value[i - 1]);
    if (whole)
        qsort(value, rows, sizeof *value, by_size);
    for (size_t i = 1; whole && i < rows; i++)
        whole = value[i] > value[i - 1];
    free(value);
    *answer = whole;
    return fine;
}

/* What a column is good for. */
enum standing { USABLE, OF_NO_USE, ROW_NAME, NUMBERING, ONE_SIDED, ORPHAN, RELATED, TEXT };

/* Columns that cannot be attributes: a flag each. */
struct marks {
    bool *error, *excluded;
};

static bool make_marks(struct marks *marks, const struct columns *columns,
                       const struct table *table, const struct column_wishes *wishes,
                       struct complaint *complaint) {
    size_t count = table_columns(table) + 1;
    marks->error = calloc(count, sizeof *marks->error);
    marks->excluded = calloc(count, sizeof *marks->excluded);
    if (!marks->error || !marks->excluded)
        return complain_of_memory(complaint);
    return columns_mark_excluded(table, wishes, marks->excluded, complaint) &&
           mark_errors(columns, wishes, marks->error, complaint);
}

static void free_marks(struct marks *marks) {
    free(marks->error);
    free(marks->excluded);
}

/* By its name alone. */
static enum standing stand_by_name(const struct columns *columns, const struct table *table,
                                   const struct column_wishes *wishes, size_t column) {
    static const enum standing standing[] = {
        [NIM_VALUE] = USABLE,          [NIM_ERRORS] = OF_NO_USE,   [NIM_LIMITS] = OF_NO_USE,
        [NIM_CORRELATION] = OF_NO_USE, [NIM_COVARIANCE] = RELATED, [NIM_WEIGHT] = RELATED,
        [NIM_ONE_SIDED] = ONE_SIDED,   [NIM_ORPHAN] = ORPHAN,      [NIM_IDENTITY] = ROW_NAME};
    long of[2];
    enum nim_column_role role = column_role(&columns->names, column, of);
    if (errors_of_taken(columns, wishes, column)) /* of the label, which has no errors */
        return nim_name_says_error(table_column_name(table, column)) ? ORPHAN : USABLE;
    return standing[role];
}

static bool judge_column(const struct columns *columns, struct table *table, size_t rows,
                         const struct column_wishes *wishes, const struct marks *marks,
                         size_t column, enum standing *standing, struct complaint *complaint) {
    bool numbers = false, numbering = false;
    *standing = OF_NO_USE;
    if (is_taken(wishes, (long)column) || marks->error[column] || marks->excluded[column] ||
        name_list_has(&columns->unused, table_column_name(table, column)))
        return true;
    enum standing named = stand_by_name(columns, table, wishes, column);
    if (named == OF_NO_USE)
        return true;
    if (!holds_numbers(columns, table, rows, column, complaint, &numbers))
        return false;
    *standing = numbers ? named : named == USABLE ? TEXT : OF_NO_USE;
    if (*standing != USABLE || column_has_errors(&columns->names, column) ||
        table_column(table, column)->kind != COLUMN_NUMBER)
        return true;
    if (!numbers_rows(table, rows, column, &numbering, complaint))
        return false;
    *standing = numbering ? NUMBERING : USABLE;
    return true;
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
    bool fine = true;
    for (size_t i = 0; fine && i < columns->numbering.count; i++)
        fine = add_named(columns, table, columns->numbering.item[i], complaint);
    name_list_free(&columns->numbering);
    return fine && (columns->count ||
                    complain(complaint, BAD_INPUT,
                             "%s: no columns of numbers besides the label; expected at least one",
                             table_path(table)));
}

/* All columns that look like attributes. */
static bool add_numeric(struct columns *columns, struct table *table, size_t rows,
                        const struct column_wishes *wishes, const struct marks *marks,
                        struct complaint *complaint) {
    struct name_list *lists[] = {
        [ROW_NAME] = &columns->left_out,   [NUMBERING] = &columns->numbering,
        [ONE_SIDED] = &columns->one_sided, [ORPHAN] = &columns->orphans,
        [RELATED] = &columns->related,     [TEXT] = &columns->texts};
    bool fine = find_unused(columns, table, wishes, complaint);
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        const char *name = table_column_name(table, i);
        enum standing standing;
        fine = judge_column(columns, table, rows, wishes, marks, i, &standing, complaint);
        if (fine && standing == USABLE)
            fine = add_column(columns, table, i, FORM_COLUMN, complaint);
        else if (fine && standing != OF_NO_USE)
            fine = name_list_add(lists[standing], name, strlen(name), complaint);
    }
    return fine && (columns->count || add_numbering(columns, table, complaint));
}

/* ---------------------------------------------------------------- columns named --------------- */

static bool is_feature(const struct columns *columns, size_t column, enum form form) {
    for (size_t j = 0; j < columns->count; j++)
        if (columns->feature[j].value.column == (long)column && columns->feature[j].form == form)
            return true;
    return false;
}

/* The attributes that match *mag or log(*flux). */
static bool add_matching(struct columns *columns, struct table *table, size_t rows,
                         const struct column_wishes *wishes, const struct marks *marks,
                         const char *pattern, enum form form, struct complaint *complaint) {
    bool fine = true, any = false;
    for (size_t i = 0; fine && i < table_columns(table); i++) {
        enum standing standing;
        if (!column_matches(pattern, table_column_name(table, i)))
            continue;
        fine = judge_column(columns, table, rows, wishes, marks, i, &standing, complaint);
        if (!fine || (standing != USABLE && standing != NUMBERING))
            continue;
        any = true;
        if (!is_feature(columns, i, form))
            fine = add_column(columns, table, i, form, complaint);
    }
    return fine && (any || column_complain_unmatched(table, pattern, complaint));
}

/* What is named itself, and not by a pattern, cannot be excluded too. */
static bool check_excluded(const struct feature *feature, const struct marks *marks,
                           struct complaint *complaint) {
    bool excluded = marks->excluded[feature->value.column] ||
                    (feature->minus.column != NO_COLUMN && marks->excluded[feature->minus.column]);
    return !excluded || complain(complaint, BAD_USAGE, "'%s' is in both --features and --exclude",
                                 feature->name);
}

static bool add_item(struct columns *columns, struct table *table, size_t rows,
                     const struct column_wishes *wishes, const struct marks *marks,
                     const char *item, struct complaint *complaint) {
    enum form form = FORM_COLUMN;
    char *inside = NULL;
    if (table_find(table, item) == NO_COLUMN && !formula_inside(item, &form, &inside, complaint))
        return false;
    const char *name = inside ? inside : item;
    bool pattern = column_is_pattern(table, name);
    bool fine = pattern
                    ? add_matching(columns, table, rows, wishes, marks, name, form, complaint)
                    : add_named(columns, table, item, complaint) &&
                          check_excluded(&columns->feature[columns->count - 1], marks, complaint);
    free(inside);
    return fine;
}

static bool add_listed(struct columns *columns, struct table *table, size_t rows,
                       const struct column_wishes *wishes, const struct marks *marks,
                       struct complaint *complaint) {
    struct name_list names = {0};
    bool fine = name_list_split(&names, wishes->features, "--features", complaint);
    for (size_t i = 0; fine && i < names.count; i++)
        fine = add_item(columns, table, rows, wishes, marks, names.item[i], complaint);
    fine = fine && check_twice(columns, table, complaint);
    for (size_t i = 0; fine && i < wishes->taken_count; i++)
        if (is_value(columns, (long)wishes->taken[i].column))
            fine =
                complain(complaint, BAD_USAGE, "'%s' is the %s and cannot also be a feature",
                         table_column_name(table, wishes->taken[i].column), wishes->taken[i].role);
    name_list_free(&names);
    return fine && find_unused(columns, table, wishes, complaint);
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

bool columns_choose(struct columns *columns, struct table *table, size_t rows,
                    const struct column_wishes *wishes, struct complaint *complaint) {
    const char *log = wishes->log;
    bool named = log && !ascii_same(log, "auto") && !ascii_same(log, "none");
    struct marks marks = {0};
    bool fine = column_names_read(&columns->names, table, complaint) &&
                make_marks(&marks, columns, table, wishes, complaint) &&
                (wishes->features ? add_listed(columns, table, rows, wishes, &marks, complaint)
                                  : add_numeric(columns, table, rows, wishes, &marks, complaint));
    free_marks(&marks);
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
    column_names_free(&columns->names);
    free(columns->feature);
    free(columns->correlation);
    name_list_free(&columns->related);
    name_list_free(&columns->texts);
    name_list_free(&columns->left_out);
    name_list_free(&columns->numbering);
    name_list_free(&columns->orphans);
    name_list_free(&columns->one_sided);
    name_list_free(&columns->empty);
    name_list_free(&columns->unused);
    *columns = (struct columns){0};
}
