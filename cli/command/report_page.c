/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/report_page.h"

#include "cli/rows/input_report.h"

#include "cli/model/fit_request.h"
#include "report/gathered.h"
#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

static bool fact(struct report_page *page, const char *key, const char *text,
                 struct complaint *complaint) {
    nim_error error;
    return !text || nim_report_fact(page->report, key, text, &error) == NIM_OK ||
           complain_of(complaint, &error);
}

/* Model, tables, and the command. */
static bool state_facts(struct report_page *page, const struct arguments *arguments,
                        const nim_model *model, struct complaint *complaint) {
    const struct table_input *input = page->input;
    char *line = argument_line(arguments);
    bool fine = line || complain_of_memory(complaint);
    fine = fine && fact(page, "model", argument_operand(arguments, 0), complaint) &&
           fact(page, "table", table_path(input->table), complaint) &&
           fact(page, "learned_from", nim_model_note(model, NOTE_TABLE), complaint) &&
           fact(page, "held_out", nim_model_note(model, NOTE_VALIDATION), complaint) &&
           fact(page, "label",
                input->target.count ? table_column_name(input->table, input->target.column[0])
                                    : nim_model_note(model, NOTE_LABEL),
                complaint) &&
           fact(page, "command", line, complaint);
    for (size_t k = 0; fine && k < argument_count(arguments, "where"); k++)
        fine = fact(page, "where", argument_nth(arguments, "where", k), complaint);
    free(line);
    return fine;
}

/* Units from the model's notes, and the error columns of this table. */
static bool describe_attributes(struct report_page *page, const nim_model *model,
                                struct complaint *complaint) {
    const struct columns *columns = &page->input->columns;
    const char *note = nim_model_note(model, NOTE_UNITS);
    struct name_list units = {0};
    bool fine = !note || !*note || name_list_split(&units, note, NOTE_UNITS, complaint);
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        const char *unit = j < units.count && *units.item[j] ? units.item[j] : NULL;
        bool errors = feature_has_errors(feature);
        char *column = errors ? feature_errors(feature, page->input->table) : NULL;
        nim_error error;
        fine = !errors || column || complain_of_memory(complaint);
        fine = fine && (nim_report_attribute(page->report, j, unit, column, &error) == NIM_OK ||
                        complain_of(complaint, &error));
        free(column);
    }
    name_list_free(&units);
    return fine;
}

/* The first column of rows' names: by its own name, or the first of text that is no target. */
static long find_names(const struct table_input *input) {
    const struct target *target = &input->target;
    long found = NO_COLUMN;
    for (size_t i = 0; i < table_columns(input->table); i++) {
        const struct column *column = table_column(input->table, i);
        bool taken = false;
        for (size_t k = 0; k < target->count; k++)
            taken = taken || target->column[k] == i;
        if (nim_name_is_identity(column->name))
            return (long)i;
        if (found == NO_COLUMN && !taken && column->kind == COLUMN_TEXT)
            found = (long)i;
    }
    return found;
}

/* Fails if the name says that the file has the other format. */
static bool check_name(const char *path, const char *format, struct complaint *complaint) {
    const char *ending = strrchr(path, '.');
    bool json = strcmp(format, "json") == 0;
    if (ending && json && (ascii_same(ending, ".html") || ascii_same(ending, ".htm")))
        return complain(complaint, BAD_USAGE, "%s: --json writes JSON, not an HTML page", path);
    if (ending && !json && ascii_same(ending, ".json"))
        return complain(complaint, BAD_USAGE,
                        "%s: the report is an HTML page; nimgp report --json writes JSON", path);
    return true;
}

bool report_page_open(struct report_page *page, const struct arguments *arguments, const char *path,
                      const char *format, const char *name, const struct loaded_model *loaded,
                      const struct table_input *input, struct complaint *complaint) {
    nim_error error;
    *page = (struct report_page){.path = path,
                                 .format = format,
                                 .input = input,
                                 .name_column = find_names(input),
                                 .arguments = arguments,
                                 .model = loaded->model};
    size_t column;
    if (name && !column_find(input->table, name, &column, complaint))
        return false;
    page->name_column = name ? (long)column : page->name_column;
    if (!check_name(path, format, complaint) ||
        !file_check_apart(path, argument_operand(arguments, 0), complaint) ||
        !file_check_apart(path, argument_operand(arguments, 1), complaint) ||
        (strcmp(path, "-") != 0 && !file_check_output(path, complaint)))
        return false;
    page->number = calloc(ROWS_BLOCK, sizeof *page->number);
    page->name = calloc(ROWS_BLOCK, sizeof *page->name);
    page->name_bytes = malloc(ROWS_BLOCK * NAME_BYTES);
    if (!page->number || !page->name || !page->name_bytes)
        return complain_of_memory(complaint);
    if (nim_report_create(loaded->model, loaded->predictor, &page->report, &error) != NIM_OK)
        return complain_of(complaint, &error);
    return state_facts(page, arguments, loaded->model, complaint) &&
           describe_attributes(page, loaded->model, complaint);
}

static bool take_name(struct report_page *page, const struct rows *rows, size_t k,
                      struct complaint *complaint) {
    struct span span;
    char *name = page->name_bytes + k * NAME_BYTES;
    if (!table_text(rows->table, rows->place[k], (size_t)page->name_column, &span, complaint))
        return false;
    copy_name(name, span.text, span.length);
    page->name[k] = name;
    return true;
}

bool report_page_add(struct report_page *page, const struct rows *rows,
                     const struct predictions *predictions, struct complaint *complaint) {
    nim_data data = rows_data(rows);
    nim_error error;
    for (size_t k = 0; k < rows->count; k++) {
        page->number[k] = rows->first + rows->place[k];
        page->known += rows->target->count && rows->known[k];
        if (page->name_column != NO_COLUMN && !take_name(page, rows, k, complaint))
            return false;
    }
    nim_report_rows block = {.data = &data,
                             .known = rows->known,
                             .number = page->number,
                             .name = page->name_column == NO_COLUMN ? NULL : page->name};
    nim_status status = predictions ? report_gather(page->report, &block, predictions, &error)
                                    : nim_report_add(page->report, &block, &error);
    return status == NIM_OK || file_complain(complaint, table_path(rows->table), &error);
}

bool report_page_write(struct report_page *page, struct complaint *complaint) {
    const struct target *target = &page->input->target;
    const char *text;
    size_t size;
    nim_error error;
    if (looks_like_training(page->input, page->model, page->arguments, page->known) &&
        !fact(page, "own_lesson", "these look like rows of the training", complaint))
        return false;
    nim_report_left_out(page->report, target->unlabelled, target->other_class);
    if (nim_report_text(page->report, page->format, &text, &size, &error) != NIM_OK)
        return file_complain(complaint, table_path(page->input->table), &error);
    return file_write(page->path, text, size, complaint);
}

void report_page_free(struct report_page *page) {
    nim_report_free(page->report);
    free(page->name_bytes);
    free(page->name);
    free(page->number);
    *page = (struct report_page){0};
}
