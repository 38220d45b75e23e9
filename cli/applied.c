/* SPDX-License-Identifier: Apache-2.0 */
#include "applied.h"

#include "recipe.h"

#include <string.h>

static bool set_options(struct applied *applied, struct complaint *complaint) {
    static const char *const names[] = {"threads", "points"};
    nim_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (argument_given(applied->arguments, names[i]) &&
            nim_model_set_option(applied->model, names[i],
                                 argument_text(applied->arguments, names[i]), &error) != NIM_OK)
            return complain_of(complaint, &error);
    return true;
}

static void say_lost(const struct applied *applied) {
    if (!errors_count(nim_model_options(applied->model)))
        return;
    for (size_t j = 0; j < applied->columns.count; j++) {
        const struct source *source = &applied->columns.source[j];
        if (source->lost)
            say(applied->arguments,
                "%s: no column '%s': the median error of training stands in; --errors %s=NAME "
                "names one",
                table_path(applied->table), source->lost,
                table_column(applied->table, source->value)->name);
    }
}

static bool find_label(struct applied *applied, const struct list *classes,
                       struct complaint *complaint) {
    const char *wish = argument_text(applied->arguments, "label");
    const char *kept = applied->model ? nim_model_note(applied->model, NOTE_LABEL) : NULL;
    size_t column;
    if (!column_label(applied->table, wish, kept, &column, complaint))
        return false;
    applied->label_chosen = !wish && !kept;
    applied->rows.label = (long)column;
    applied->rows.classes = &applied->classes;
    return classes_fix(&applied->classes, classes, complaint);
}

static bool find_model_label(struct applied *applied, struct complaint *complaint) {
    struct list classes = {0};
    bool fine = true;
    for (size_t c = 0; fine && c < nim_model_classes(applied->model); c++) {
        const char *name = nim_model_class_name(applied->model, c);
        fine = list_add(&classes, name, strlen(name), complaint);
    }
    fine = fine && find_label(applied, &classes, complaint);
    list_free(&classes);
    return fine;
}

static bool open_rows(struct applied *applied, struct complaint *complaint) {
    applied->rows.table = applied->table;
    applied->rows.columns = &applied->columns;
    applied->rows.label = NO_COLUMN;
    applied->rows.lost_is_unknown = true;
    applied->rows.where =
        where_create(applied->arguments, applied->table, applied->classes.fold, complaint);
    return applied->rows.where != NULL;
}

bool applied_open(struct applied *applied, const struct arguments *arguments, const char *model,
                  const char *table, bool labelled, struct complaint *complaint) {
    nim_error error;
    *applied = (struct applied){.arguments = arguments};
    if (file_is_model(table) && !file_is_model(model))
        return complain(complaint, EXIT_USAGE, "%s: the model comes first: nimgp %s MODEL TABLE",
                        argument_command(arguments), argument_command(arguments));
    applied->model = file_load_model(model, complaint);
    if (!applied->model || !set_options(applied, complaint))
        return false;
    if (nim_predictor_create(applied->model, &applied->predictor, &error) != NIM_OK)
        return file_complain(complaint, model, &error);
    applied->classes.fold =
        argument_given(arguments, "ignore-case") || recipe_kept(applied->model, RECIPE_IGNORE_CASE);
    applied->table = file_open_table(arguments, table, complaint);
    if (!applied->table || !columns_match(&applied->columns, applied->table, applied->model,
                                          argument_text(arguments, "errors"), complaint))
        return false;
    say_lost(applied);
    return open_rows(applied, complaint) && (!labelled || find_model_label(applied, complaint));
}

bool applied_open_table(struct applied *applied, const struct arguments *arguments,
                        const struct list *classes, const char *table,
                        struct complaint *complaint) {
    *applied = (struct applied){.arguments = arguments};
    applied->classes.fold = argument_given(arguments, "ignore-case");
    applied->table = file_open_table(arguments, table, complaint);
    return applied->table && open_rows(applied, complaint) &&
           find_label(applied, classes, complaint);
}

size_t applied_class_width(const struct applied *applied) {
    size_t width = 1;
    for (size_t c = 0; c < nim_model_classes(applied->model); c++) {
        size_t length = strlen(nim_model_class_name(applied->model, c));
        width = length > width ? length : width;
    }
    return width;
}

void applied_say_tally(const struct applied *applied) {
    const struct rows *rows = &applied->rows;
    if (applied->label_chosen)
        say(applied->arguments, "the label is column '%s'; --label chooses another",
            table_column(applied->table, (size_t)rows->label)->name);
    if (rows_all_filtered(rows))
        say(applied->arguments, "no row meets --where");
    rows_say_nonpositive(rows, applied->arguments);
    if (rows->label != NO_COLUMN)
        rows_say_left_out(rows, applied->arguments);
}

void applied_close(struct applied *applied) {
    rows_free(&applied->rows);
    where_free(applied->rows.where);
    table_close(applied->table);
    columns_free(&applied->columns);
    classes_free(&applied->classes);
    nim_predictor_free(applied->predictor);
    nim_model_free(applied->model);
}
