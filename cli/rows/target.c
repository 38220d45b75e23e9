/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/target.h"

#include "cli/rows/formula.h"
#include "text/ascii.h"
#include "text/number.h"
#include "text/utf8.h"
#include "cli/model/fit_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_COUNT 9007199254740992.0 /* 2^53: beyond, not every whole number is a double */

void target_free(struct target *target) {
    free(target->column);
    free(target->cell);
    free(target->exposure_cell);
    classes_free(&target->classes);
    classes_free(&target->others);
    *target = (struct target){.task = target->task, .exposure = NO_COLUMN};
}

/* ---------------------------------------------------------------- columns --------------------- */

static bool add_column(struct target *target, const struct table *table, size_t column,
                       struct complaint *complaint) {
    for (size_t i = 0; i < target->count; i++)
        if (target->column[i] == column)
            return complain(complaint, BAD_USAGE, "label '%s' is given twice",
                            table_column_name(table, column));
    size_t *grown = realloc(target->column, (target->count + 1) * sizeof *grown);
    if (!grown)
        return complain_of_memory(complaint);
    target->column = grown;
    grown[target->count++] = column;
    return true;
}

/* Predicted sets are written "a|b". */
static bool check_label_name(const struct table *table, size_t column,
                             struct complaint *complaint) {
    return !strchr(table_column_name(table, column), '|') ||
           complain(complaint, BAD_INPUT,
                    "%s: column %s: the name of a label cannot contain '|', which separates the "
                    "labels of a prediction; rename the column",
                    table_path(table), table_column_name(table, column));
}

/* Sets of labels: a column each, as typed or of the names the model has. */
static bool find_labels(struct target *target, struct table *table,
                        const struct target_wishes *wishes, struct complaint *complaint) {
    size_t expected = wishes->model ? nim_model_classes(wishes->model) : 0;
    struct name_list names = {0};
    bool fine = true;
    if (wishes->label)
        fine = name_list_split(&names, wishes->label, "--label", complaint);
    for (size_t c = 0; fine && !wishes->label && c < expected; c++) {
        const char *name = nim_model_class_name(wishes->model, c);
        fine = name_list_add(&names, name, strlen(name), complaint);
    }
    if (fine && !names.count)
        fine = complain(complaint, BAD_USAGE,
                        "fit: the columns of the labels are missing; --label A,B,... names them");
    if (fine && expected && names.count != expected)
        fine = complain(complaint, BAD_USAGE, "--label: %zu column%s; the model has %zu label%s",
                        names.count, plural_s(names.count), expected, plural_s(expected));
    for (size_t i = 0; fine && i < names.count; i++) {
        size_t column;
        fine = column_find(table, names.item[i], &column, complaint) &&
               (wishes->model || check_label_name(table, column, complaint)) &&
               add_column(target, table, column, complaint);
    }
    name_list_free(&names);
    return fine;
}

/* Whether a label that is no column is a list of columns. */
static bool names_several(const struct table *table, const char *label) {
    struct name_list names = {0};
    struct complaint ignored;
    bool several = table_find(table, label) == NO_COLUMN &&
                   name_list_split(&names, label, "--label", &ignored) && names.count > 1;
    for (size_t i = 0; several && i < names.count; i++)
        several = table_find(table, names.item[i]) >= 0;
    name_list_free(&names);
    return several;
}

/* "log(mass)" where that is no column: mass, which is then positive. NULL for any other label. */
static bool read_positive(struct target *target, const struct table *table, const char *label,
                          char **inside, struct complaint *complaint) {
    enum form form;
    *inside = NULL;
    bool fine = !label || target->task->predicts != PREDICTS_NUMBER ||
                table_find(table, label) != NO_COLUMN ||
                formula_inside(label, &form, inside, complaint);
    target->positive = *inside != NULL;
    return fine;
}

static bool find_one(struct target *target, struct table *table, const struct target_wishes *wishes,
                     struct complaint *complaint) {
    const char *noted = wishes->model ? nim_model_note(wishes->model, NOTE_LABEL) : NULL;
    const struct task *task = target->task;
    char *inside;
    size_t column;
    if (wishes->label && names_several(table, wishes->label))
        return complain(complaint, BAD_INPUT, "%s: no column '%s'; %s", table_path(table),
                        wishes->label,
                        wishes->model ? "the model predicts one column"
                                      : "--task multilabel learns several columns at once");
    target->chosen = !wishes->label && !noted;
    bool guess = target->chosen && wishes->judge && task_has_one_class(task) &&
                 table_find(table, task->column) == NO_COLUMN;
    bool fine = read_positive(target, table, wishes->label, &inside, complaint) &&
                (guess ? column_guess_label(table, wishes->judge, task->column, &column, complaint)
                       : column_label(table, inside ? inside : wishes->label, noted, task->column,
                                      &column, complaint));
    free(inside);
    return fine && add_column(target, table, column, complaint);
}

bool target_find_exposure(struct target *target, const struct table *table,
                          const struct target_wishes *wishes, struct complaint *complaint) {
    const char *noted = wishes->model ? fit_request_noted(wishes->model, REQUEST_EXPOSURE) : NULL;
    const char *name = wishes->exposure ? wishes->exposure : noted;
    size_t column;
    target->no_exposure = NULL;
    if (!name || target->task->predicts != PREDICTS_COUNT)
        return true;
    if (!wishes->exposure && table_find(table, name) == NO_COLUMN) {
        target->no_exposure = name;
        return true;
    }
    if (!column_find(table, name, &column, complaint))
        return false;
    target->exposure = (long)column;
    return true;
}

bool target_find(struct target *target, struct table *table, const struct target_wishes *wishes,
                 struct complaint *complaint) {
    if (!(target->task->predicts == PREDICTS_LABELS ? find_labels : find_one)(target, table, wishes,
                                                                              complaint) ||
        !target_find_exposure(target, table, wishes, complaint))
        return false;
    return target->exposure != (long)target->column[0] ||
           complain(complaint, BAD_USAGE, "'%s' cannot be both target and exposure",
                    table_column_name(table, target->column[0]));
}

struct taken *target_taken(const struct target *target, size_t *count) {
    struct taken *taken = calloc(target->count + 3, sizeof *taken);
    enum nim_aside aside = task_has_classes(target->task) ? NIM_ASIDE_CLASSES : NIM_ASIDE_NUMBERS;
    *count = 0;
    for (size_t i = 0; taken && i < target->count; i++)
        taken[(*count)++] = (struct taken){target->column[i], target->task->role, aside};
    if (taken && target->exposure != NO_COLUMN)
        taken[(*count)++] =
            (struct taken){(size_t)target->exposure, "exposure", NIM_ASIDE_EXPOSURE};
    return taken;
}

void target_describe(const struct target *target, const struct table *table, char *text,
                     size_t size) {
    struct name_list names = {0};
    struct complaint ignored;
    for (size_t i = 0; i < target->count; i++)
        name_list_add(&names, table_column_name(table, target->column[i]),
                      strlen(table_column_name(table, target->column[i])), &ignored);
    snprintf(text, size, "column%s ", plural_s(target->count));
    name_list_show(&names, 8, text + strlen(text), size - strlen(text));
    name_list_free(&names);
}

/* ---------------------------------------------------------------- classes --------------------- */

/* The name of a class in a wish: "planet" of "planet=KP|CP". */
static size_t name_length(const char *wish) {
    return strcspn(wish, "=");
}

/* Adds the members of merged classes. */
static bool merge_classes(struct target *target, const char *wish, struct complaint *complaint) {
    struct name_list wishes = {0};
    bool fine = !wish || name_list_split(&wishes, wish, "--classes", complaint);
    for (size_t i = 0; fine && i < wishes.count; i++)
        fine = !wishes.item[i][name_length(wishes.item[i])] ||
               classes_merge(&target->classes, wishes.item[i], complaint);
    name_list_free(&wishes);
    return fine;
}

static bool list_classes(struct name_list *names, const char *wish, struct complaint *complaint) {
    struct name_list wishes = {0};
    bool fine = name_list_split(&wishes, wish, "--classes", complaint);
    for (size_t i = 0; fine && i < wishes.count; i++)
        fine = name_list_add(names, wishes.item[i], name_length(wishes.item[i]), complaint);
    name_list_free(&wishes);
    return fine;
}

bool target_name_classes(struct target *target, const struct table *table, const char *wish,
                         bool merge, const nim_model *model, struct complaint *complaint) {
    struct name_list names = {0};
    bool fine = true;
    if (!task_has_classes(target->task))
        return true;
    for (size_t c = 0; model && fine && c < nim_model_classes(model); c++) {
        const char *name = nim_model_class_name(model, c);
        fine = name_list_add(&names, name, strlen(name), complaint);
    }
    for (size_t i = 0;
         !model && fine && target->task->predicts == PREDICTS_LABELS && i < target->count; i++) {
        const char *name = table_column_name(table, target->column[i]);
        fine = name_list_add(&names, name, strlen(name), complaint);
    }
    if (model)
        wish = fit_request_noted(model, REQUEST_CLASSES);
    else if (wish)
        fine = merge ? list_classes(&names, wish, complaint)
                     : name_list_split(&names, wish, "--classes", complaint);
    if (fine && names.count)
        fine = classes_fix(&target->classes, &names, complaint) &&
               (!merge || merge_classes(target, wish, complaint));
    name_list_free(&names);
    return fine;
}

bool target_check_order(const struct target *target, const struct table *table,
                        struct complaint *complaint) {
    const struct name_list *name = &target->classes.name;
    double number;
    for (size_t c = 0; target->task->predicts == PREDICTS_LEVEL && c < name->count; c++) {
        char known[256];
        if (target->classes.closed || number_parse(name->item[c], &number))
            continue;
        name_list_show(name, 8, known, sizeof known);
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: '%s' is not a number, so the order of the levels (%s) must "
                        "be given: --classes LOWEST,...,HIGHEST",
                        table_path(table), table_column_name(table, target->column[0]),
                        name->item[c], known);
    }
    return true;
}

/* ---------------------------------------------------------------- cells ----------------------- */

struct target_values target_shape(const struct target *target) {
    bool one_class = task_has_one_class(target->task);
    return (struct target_values){.classed = target->count && one_class,
                                  .outputs = one_class ? 0 : target->count,
                                  .exposed = target->exposure != NO_COLUMN,
                                  .measured = target->measured};
}

static bool make_room(struct target *target, size_t rows, struct complaint *complaint) {
    if (rows <= target->room)
        return true;
    double *cell = realloc(target->cell, rows * sizeof *cell);
    target->cell = cell ? cell : target->cell;
    double *exposure = realloc(target->exposure_cell, rows * sizeof *exposure);
    target->exposure_cell = exposure ? exposure : target->exposure_cell;
    if (!cell || !exposure)
        return complain_of_memory(complaint);
    target->room = rows;
    return true;
}

bool target_next(struct target *target, struct table *table, size_t rows,
                 struct complaint *complaint) {
    bool numbers = target->count && !task_has_classes(target->task);
    return make_room(target, rows, complaint) &&
           (!numbers || table_numbers(table, target->column[0], target->cell, 1, complaint)) &&
           (target->exposure == NO_COLUMN ||
            table_numbers(table, (size_t)target->exposure, target->exposure_cell, 1, complaint));
}

static bool complain_of_cell(struct table *table, size_t row, size_t column, const char *found,
                             const char *expected, struct complaint *complaint) {
    char place[256];
    table_place(table, row, place, sizeof place);
    return complain(complaint, BAD_INPUT, "%s: column %s: %s; expected %s", place,
                    table_column_name(table, column), found, expected);
}

static bool complain_of_number(struct table *table, size_t row, size_t column, double found,
                               const char *expected, struct complaint *complaint) {
    char text[NUMBER_TEXT];
    number_print(found, text);
    return complain_of_cell(table, row, column, text, expected, complaint);
}

/* A label that is no class: counted, and its name noted for messages. */
static bool remember_other(struct target *target, struct span label, struct complaint *complaint) {
    enum { MOST_OTHERS = 1000 };
    int32_t ignored;
    target->other_class++;
    target->others.fold = target->classes.fold;
    target->others.closed = target->others.name.count == MOST_OTHERS;
    return classes_of(&target->others, label, &ignored, complaint);
}

/* The class of row i, or NO_CLASS. */
static bool classify(struct target *target, struct table *table, size_t i, int32_t *class,
                     struct complaint *complaint) {
    struct span label;
    size_t column = target->column[0];
    if (!table_label(table, i, column, &label, complaint))
        return false;
    *class = NO_CLASS;
    if (label.length == 0) {
        target->unlabelled++;
        return true;
    }
    size_t known = target->classes.name.count;
    if (!classes_of(&target->classes, label, class, complaint)) {
        struct complaint inner = *complaint;
        char place[256];
        table_place(table, i, place, sizeof place);
        return complain(complaint, inner.kind, "%s: column %s: %s; expected class names", place,
                        table_column_name(table, column), inner.text);
    }
    if (target->classes.name.count > known && !utf8_valid(target->classes.name.item[known]))
        return complain_of_cell(table, i, column, target->classes.name.item[known],
                                "text in UTF-8 (iconv -f latin1 -t utf8 converts Latin-1)",
                                complaint);
    return *class != NO_CLASS || remember_other(target, label, complaint);
}

/* 0, 1, true, false, yes, no; NaN where there is nothing. */
static bool read_flag(struct table *table, size_t i, size_t column, double *flag,
                      struct complaint *complaint) {
    static const char *const words[] = {"false", "true", "no", "yes"};
    struct span span;
    char text[64];
    if (!table_text(table, i, column, &span, complaint))
        return false;
    *flag = (double)NAN;
    if (!span.length)
        return true;
    snprintf(text, sizeof text, "%.*s", (int)(span.length < 60 ? span.length : 60), span.text);
    if (number_parse(text, flag) && (*flag == 0.0 || *flag == 1.0))
        return true;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (ascii_same(text, words[k])) {
            *flag = (double)(k % 2);
            return true;
        }
    return complain_of_cell(table, i, column, text, "0 or 1, true or false, yes or no", complaint);
}

/* All labels of a row, or none is known. */
static bool take_labels(struct target *target, struct table *table, size_t i, double *y,
                        bool *known, struct complaint *complaint) {
    for (size_t c = 0; c < target->count; c++) {
        if (!read_flag(table, i, target->column[c], &y[c], complaint))
            return false;
        *known = *known && !isnan(y[c]);
    }
    target->unlabelled += !*known;
    return true;
}

static bool take_number(struct target *target, struct table *table, size_t i, double *y,
                        bool *known, struct complaint *complaint) {
    size_t column = target->column[0];
    bool count = target->task->predicts == PREDICTS_COUNT;
    *y = target->cell[i];
    *known = !isnan(*y);
    target->unlabelled += !*known;
    if (!*known || (!count && isfinite(*y) && !(target->positive && *y <= 0.0)) ||
        (count && *y >= 0.0 && *y <= LARGEST_COUNT && *y == floor(*y)))
        return true;
    return complain_of_number(table, i, column, *y,
                              count              ? "a count: 0, 1, 2, ..."
                              : target->positive ? "a finite number above 0"
                                                 : "a finite number",
                              complaint);
}

/* In place of a target that is missing: something the library takes. */
static void put_anything(struct target_values *targets, size_t k) {
    if (targets->classed)
        targets->class[k] = 0;
    for (size_t c = 0; c < targets->outputs; c++)
        targets->y[k * targets->outputs + c] = 0.0;
}

bool target_keeps(const struct target *target) {
    return target && target->kept;
}

bool target_take(struct target *target, struct table *table, size_t i,
                 struct target_values *targets, size_t k, bool *known,
                 struct complaint *complaint) {
    bool fine = true;
    *known = true;
    if (targets->classed) {
        fine = classify(target, table, i, &targets->class[k], complaint);
        *known = targets->class[k] != NO_CLASS;
    } else if (target->count) {
        double *y = targets->y + k * targets->outputs;
        fine = (target->task->predicts == PREDICTS_LABELS ? take_labels : take_number)(
            target, table, i, y, known, complaint);
    }
    target->kept = target->keep_unlabelled && fine && !*known;
    if (target->kept)
        put_anything(targets, k);
    if (!fine || (!*known && !target->kept) || !targets->exposed)
        return fine;
    static const char expected[] = "an exposure, a finite number above 0";
    double exposure = targets->exposure[k] = target->exposure_cell[i];
    size_t column = (size_t)target->exposure;
    if (isnan(exposure))
        return complain_of_cell(table, i, column, "missing", expected, complaint);
    return (exposure > 0.0 && isfinite(exposure)) ||
           complain_of_number(table, i, column, exposure, expected, complaint);
}
