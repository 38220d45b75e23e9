/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp suggest: lists the rows worth a label and the measurements worth repeating. */
#define _POSIX_C_SOURCE 200809L
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "score/top_scores.h"
#include "text/json_writer.h"
#include "text/memory_file.h"
#include "text/ascii.h"
#include "cli/command/output_table.h"
#include "score/prediction_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "number",
     .letter = 'n',
     .value = "N",
     .fallback = "10",
     .help = "Number of rows to list."},
    {.name = "by",
     .value = "MEASURE",
     .fallback = "entropy",
     .values = "entropy|measurement|rest",
     .help =
         "The quantity to rank rows by, in nats. entropy: how uncertain the class is; "
         "measurement: how much exact measurements of the row would tell about the class; rest: "
         "what they would leave. Numbers and counts are "
         "always ranked by the standard deviation of the latent function."},
    {.name = "remeasure",
     .help = "Add the feature whose exact measurement would reduce the entropy most, the average "
             "reduction ('gain'), and the same for the second best feature."},
    KEEP_OPTIONS,
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .fallback = "-",
     .help = "The file to write the rows to, standard output by default; CSV, or the format of the "
             "extension."},
    {.name = "json", .help = "Print a JSON array instead of a table."},
    {.name = "label",
     .value = "COLUMN",
     .help =
         "The column of targets, or the columns A,B,... of labels, which rows may have already; "
         "default as in training."},
    MODEL_INPUT_OPTIONS,
    {0}};

/* The figures of a row, by what the model predicts. */
enum { MOST_FIGURES = 4 };
static const char *const class_figures[] = {"probability", "entropy", "measurement", "rest"};
static const char *const number_figures[] = {"mean", "sd", "latent_sd"};

/* What is remembered of a candidate, by slot. */
struct entry {
    char *predicted; /* NULL where it is a number */
    double figure[MOST_FIGURES];
    struct name_list cells; /* of the columns carried over */
};

struct suggest {
    const struct arguments *arguments;
    struct loaded_model loaded;
    struct table_input input;
    struct output_table output; /* not opened if JSON is wanted */
    struct top_scores top;
    struct entry *entry;
    double *x, *sigma; /* most x attributes, by slot */
    struct row_shapes shapes;
    double *gain; /* attributes of one row */
    bool numbers; /* or counts, not classes */
    const char *const *figure_name;
    size_t figures, first;        /* how many, from which on */
    bool open_rows;               /* some rows have no target yet: others are not listed, */
    size_t settled;               /* which are so many */
    double *p;                    /* of a block: probabilities, */
    double *figure[MOST_FIGURES]; /* and the values of figure_name */
};

/* ---------------------------------------------------------------- ranking --------------------- */

/* Sets of labels have no probability of the prediction: theirs is in none of the columns. */
static bool settle(struct suggest *suggest, struct complaint *complaint) {
    const struct task *task = suggest->input.target.task;
    static const char *const foreign[] = {"by", "remeasure"};
    suggest->numbers = !task_has_classes(task);
    suggest->figure_name = suggest->numbers ? number_figures : class_figures;
    suggest->figures = suggest->numbers ? 3 : 4;
    suggest->first = task->predicts == PREDICTS_LABELS;
    for (size_t i = 0; suggest->numbers && i < sizeof foreign / sizeof *foreign; i++)
        if (argument_given(suggest->arguments, foreign[i]))
            return complain(complaint, BAD_USAGE,
                            "suggest: --%s is for classes; this model predicts %s, whose rows are "
                            "ranked by the standard deviation of the latent function",
                            foreign[i], task->many);
    return true;
}

static bool make_room(struct suggest *suggest, struct complaint *complaint) {
    size_t most, d = nim_model_attributes(suggest->loaded.model);
    size_t classes = nim_model_classes(suggest->loaded.model);
    if (!argument_whole(suggest->arguments, "number", 1, 1000000, &most, complaint))
        return false;
    bool fine = top_scores_create(&suggest->top, most);
    suggest->entry = calloc(most, sizeof *suggest->entry);
    suggest->x = calloc(most, d * sizeof(double));
    suggest->sigma = calloc(most, d * sizeof(double));
    suggest->gain = calloc(d, sizeof(double));
    suggest->shapes = rows_shapes(&suggest->input.columns);
    fine = row_shapes_grow(&suggest->shapes, most) && fine;
    suggest->p = calloc(ROWS_BLOCK * classes + 1, sizeof(double));
    for (size_t i = 0; i < MOST_FIGURES; i++)
        fine = (suggest->figure[i] = calloc(ROWS_BLOCK, sizeof(double))) && fine;
    return (fine && suggest->entry && suggest->x && suggest->sigma && suggest->gain &&
            suggest->p) ||
           complain_of_memory(complaint);
}

static bool compute(struct suggest *suggest, struct complaint *complaint) {
    nim_data data = rows_data(&suggest->input.rows);
    double **figure = suggest->figure;
    nim_prediction classes = NIM_PREDICTION(.probabilities = suggest->p, .entropy = figure[1],
                                            .measurement_part = figure[2], .model_part = figure[3]);
    nim_prediction numbers =
        NIM_PREDICTION(.mean = figure[0], .deviation = figure[1], .latent_variance = figure[2]);
    nim_error error;
    if (nim_predict(suggest->loaded.predictor, &data, suggest->numbers ? &numbers : &classes,
                    &error) != NIM_OK)
        return file_complain(complaint, table_path(suggest->input.table), &error);
    for (size_t k = 0; suggest->numbers && k < data.rows; k++)
        figure[2][k] = sqrt(figure[2][k]);
    return true;
}

static const double *scores(const struct suggest *suggest) {
    const char *by = suggest->numbers ? "latent_sd" : argument_text(suggest->arguments, "by");
    size_t i = 0;
    while (strcmp(by, suggest->figure_name[i]) != 0)
        i++;
    return suggest->figure[i];
}

static double highest(size_t count, const double *p) {
    double most = 0.0;
    for (size_t c = 0; c < count; c++)
        most = p[c] > most ? p[c] : most;
    return most;
}

/* Row k of the block takes a slot. */
static bool remember(struct suggest *suggest, size_t k, size_t slot, struct complaint *complaint) {
    const struct rows *rows = &suggest->input.rows;
    const nim_model *model = suggest->loaded.model;
    struct entry *entry = &suggest->entry[slot];
    size_t classes = nim_model_classes(model), d = rows->columns->count;
    const double *p = suggest->p + k * classes;
    for (size_t i = 0; i < suggest->figures; i++)
        entry->figure[i] = suggest->figure[i][k];
    if (!suggest->numbers) {
        if (!entry->predicted && !(entry->predicted = malloc(predicted_size(model))))
            return complain_of_memory(complaint);
        predicted_name(model, p, entry->predicted);
        entry->figure[0] = highest(classes, p);
    }
    memcpy(suggest->x + slot * d, rows->x + k * d, d * sizeof(double));
    memcpy(suggest->sigma + slot * d, rows->sigma + k * d, d * sizeof(double));
    row_shapes_copy(&suggest->shapes, slot, &rows->shapes, k, 1);
    name_list_free(&entry->cells);
    for (size_t i = 0; i < suggest->output.copied; i++) {
        struct span span;
        if (!table_text(rows->table, rows->place[k], suggest->output.column[i], &span, complaint) ||
            !name_list_add(&entry->cells, span.text, span.length, complaint))
            return false;
    }
    return true;
}

/* Whether row k of the block is listed. Rows that have a target need none, unless all have one. */
static bool is_candidate(struct suggest *suggest, size_t k) {
    const char *by = argument_text(suggest->arguments, "by");
    bool known = suggest->input.rows.known[k];
    if (!suggest->numbers && strcmp(by, "measurement") == 0)
        return true;
    if (!known && !suggest->open_rows) {
        suggest->open_rows = true;
        suggest->top.count = 0;
    }
    suggest->settled += known;
    return !known || !suggest->open_rows;
}

static bool rank(struct suggest *suggest, struct complaint *complaint) {
    struct rows *rows = &suggest->input.rows;
    const double *score = scores(suggest);
    for (;;) {
        if (!rows_next(rows, complaint))
            return false;
        if (!rows->count)
            break;
        if (!compute(suggest, complaint))
            return false;
        for (size_t k = 0; k < rows->count; k++) {
            size_t slot;
            if (is_candidate(suggest, k) &&
                top_scores_offer(&suggest->top, score[k], rows->first + rows->place[k], &slot) &&
                !remember(suggest, k, slot, complaint))
                return false;
        }
    }
    top_scores_sort(&suggest->top);
    return true;
}

/* ---------------------------------------------------------------- remeasuring ----------------- */

/* The two features of a slot whose exact measurement tells most; gains not above zero are none. */
struct advice {
    const char *feature[2];
    double gain[2];
};

static bool advise(struct suggest *suggest, size_t slot, struct advice *advice,
                   struct complaint *complaint) {
    const nim_model *model = suggest->loaded.model;
    size_t d = nim_model_attributes(model);
    bool errors = rows_have_errors(&suggest->input.rows);
    nim_data data =
        NIM_DATA(.rows = 1, .attributes = d, .x = suggest->x + slot * d,
                 .sigma = errors ? suggest->sigma + slot * d : NULL, .sigma_rows = errors);
    row_shapes_show(&suggest->shapes, slot, &data);
    nim_error error;
    if (nim_remeasure(suggest->loaded.predictor, &data, suggest->gain, &error) != NIM_OK)
        return file_complain(complaint, table_path(suggest->input.table), &error);
    *advice = (struct advice){.gain = {(double)NAN, (double)NAN}};
    for (size_t j = 0; j < d; j++) {
        double gain = suggest->gain[j];
        size_t at = !advice->feature[0] || gain > advice->gain[0] ? 0 : 1;
        if (!(gain > 0.0) || (at == 1 && advice->feature[1] && !(gain > advice->gain[1])))
            continue;
        if (at == 0) {
            advice->feature[1] = advice->feature[0];
            advice->gain[1] = advice->gain[0];
        }
        advice->feature[at] = nim_model_attribute_name(model, j);
        advice->gain[at] = gain;
    }
    return true;
}

/* ---------------------------------------------------------------- writing --------------------- */

static const char *const remeasure_name[] = {"remeasure", "gain", "second", "second_gain"};

enum { ALL_COLUMNS = 10 };

/* The columns of the output; copied columns follow the first. */
static size_t list_columns(const struct suggest *suggest, struct column own[ALL_COLUMNS]) {
    const nim_model *model = suggest->loaded.model;
    size_t count = 0, longest = predicted_size(model);
    own[count++] = (struct column){.name = "row", .kind = COLUMN_NUMBER};
    if (!suggest->numbers)
        own[count++] = (struct column){.name = "predicted", .kind = COLUMN_TEXT, .width = longest};
    for (size_t i = suggest->first; i < suggest->figures; i++)
        own[count++] = (struct column){.name = suggest->figure_name[i], .kind = COLUMN_NUMBER};
    if (!argument_given(suggest->arguments, "remeasure"))
        return count;
    longest = 1;
    for (size_t j = 0; j < nim_model_attributes(model); j++) {
        size_t length = strlen(nim_model_attribute_name(model, j));
        longest = length > longest ? length : longest;
    }
    for (size_t i = 0; i < 4; i++)
        own[count++] = (struct column){.name = remeasure_name[i],
                                       .kind = i % 2 ? COLUMN_NUMBER : COLUMN_TEXT,
                                       .width = i % 2 ? 0 : longest};
    return count;
}

/* What cannot be written is known before the work is done. */
static bool open_output(struct suggest *suggest, const struct column own[ALL_COLUMNS], size_t count,
                        struct complaint *complaint) {
    const char *path = argument_text(suggest->arguments, "output");
    if (!file_check_apart(path, argument_operand(suggest->arguments, 0), complaint) ||
        !file_check_apart(path, argument_operand(suggest->arguments, 1), complaint))
        return false;
    if (!argument_given(suggest->arguments, "json"))
        return output_table_open(&suggest->output, path, 1, count, own, complaint);
    return strcmp(path, "-") == 0 || file_check_output(path, complaint);
}

/* For reading: six digits. */
static bool write_rounded(struct table_writer *writer, double value, struct complaint *complaint) {
    char text[64];
    snprintf(text, sizeof text, "%.6g", value);
    return table_write_number(writer, strtod(text, NULL), complaint);
}

static bool write_text(struct table_writer *writer, const char *text, struct complaint *complaint) {
    return table_write_text(writer, (struct span){text, strlen(text)}, complaint);
}

static bool write_entry(struct suggest *suggest, const struct candidate *candidate,
                        struct table_writer *writer, struct complaint *complaint) {
    const struct entry *entry = &suggest->entry[candidate->slot];
    bool fine = table_write_number(writer, (double)candidate->row + 1.0, complaint);
    for (size_t i = 0; fine && i < entry->cells.count; i++)
        fine = write_text(writer, entry->cells.item[i], complaint);
    if (fine && entry->predicted)
        fine = write_text(writer, entry->predicted, complaint);
    for (size_t i = suggest->first; fine && i < suggest->figures; i++)
        fine = write_rounded(writer, entry->figure[i], complaint);
    if (fine && argument_given(suggest->arguments, "remeasure")) {
        struct advice advice = {0};
        fine = advise(suggest, candidate->slot, &advice, complaint);
        for (size_t i = 0; fine && i < 2; i++)
            fine = write_text(writer, advice.feature[i] ? advice.feature[i] : "", complaint) &&
                   write_rounded(writer, advice.gain[i], complaint);
    }
    return fine && table_write_end(writer, complaint);
}

static bool write_table(struct suggest *suggest, struct complaint *complaint) {
    for (size_t i = 0; i < suggest->top.count; i++)
        if (!write_entry(suggest, &suggest->top.candidate[i], suggest->output.writer, complaint))
            return false;
    return output_table_close(&suggest->output, complaint);
}

static bool write_json_entry(struct suggest *suggest, const struct candidate *candidate,
                             struct json_writer *json, struct complaint *complaint) {
    const struct entry *entry = &suggest->entry[candidate->slot];
    struct advice advice = {0};
    bool remeasure = argument_given(suggest->arguments, "remeasure");
    if (remeasure && !advise(suggest, candidate->slot, &advice, complaint))
        return false;
    json_object(json, NULL);
    json_whole(json, "row", candidate->row + 1);
    for (size_t i = 0; i < entry->cells.count; i++) {
        const struct column *column = table_column(suggest->input.table, suggest->output.column[i]);
        const char *cell = entry->cells.item[i];
        if (column->kind == COLUMN_NUMBER)
            json_cell(json, column->name, cell);
        else
            json_text(json, column->name, *cell ? cell : NULL);
    }
    if (entry->predicted)
        json_text(json, "predicted", entry->predicted);
    for (size_t i = suggest->first; i < suggest->figures; i++)
        json_real(json, suggest->figure_name[i], entry->figure[i]);
    for (size_t i = 0; remeasure && i < 2; i++) {
        json_text(json, remeasure_name[2 * i], advice.feature[i]);
        json_real(json, remeasure_name[2 * i + 1], advice.gain[i]);
    }
    json_close(json);
    return true;
}

static bool write_json(struct suggest *suggest, struct complaint *complaint) {
    struct memory_file memory;
    size_t size = 0;
    FILE *file = memory_file_open(&memory);
    if (!file)
        return complain_of_memory(complaint);
    struct json_writer json = json_start(file);
    bool fine = true;
    json_array(&json, NULL);
    for (size_t i = 0; fine && i < suggest->top.count; i++)
        fine = write_json_entry(suggest, &suggest->top.candidate[i], &json, complaint);
    if (fine)
        json_close(&json);
    char *text = memory_file_close(&memory, !json.failed, &size);
    if (fine && !text)
        fine = complain_of_memory(complaint);
    fine = fine && file_write(argument_text(suggest->arguments, "output"), text, size, complaint);
    free(text);
    return fine;
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool choose(struct suggest *suggest, struct complaint *complaint) {
    const struct arguments *arguments = suggest->arguments;
    struct column own[ALL_COLUMNS];
    if (!model_input_open(&suggest->loaded, &suggest->input, arguments,
                          argument_operand(arguments, 0), argument_operand(arguments, 1),
                          TARGETS_IF_THERE, complaint) ||
        !settle(suggest, complaint))
        return false;
    size_t count = list_columns(suggest, own);
    if (!output_table_choose(&suggest->output, arguments, suggest->input.table, count, own,
                             complaint) ||
        !make_room(suggest, complaint) || !open_output(suggest, own, count, complaint) ||
        !rank(suggest, complaint))
        return false;
    report_tally(&suggest->input, arguments);
    if (suggest->open_rows && suggest->settled)
        say(arguments, "not listed: %zu row%s that %s a %s already", suggest->settled,
            plural_s(suggest->settled), suggest->settled == 1 ? "has" : "have",
            suggest->input.target.task->role);
    return argument_given(arguments, "json") ? write_json(suggest, complaint)
                                             : write_table(suggest, complaint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct suggest suggest = {.arguments = arguments};
    bool fine = choose(&suggest, complaint);
    for (size_t i = 0; suggest.entry && i < suggest.top.most; i++) {
        name_list_free(&suggest.entry[i].cells);
        free(suggest.entry[i].predicted);
    }
    free(suggest.entry);
    free(suggest.x);
    free(suggest.sigma);
    row_shapes_free(&suggest.shapes);
    free(suggest.gain);
    free(suggest.p);
    for (size_t i = 0; i < MOST_FIGURES; i++)
        free(suggest.figure[i]);
    top_scores_free(&suggest.top);
    output_table_free(&suggest.output);
    table_input_close(&suggest.input);
    loaded_model_free(&suggest.loaded);
    return fine;
}

const struct command command_suggest = {
    .name = "suggest",
    .summary = "Lists the rows to label next and the measurements to repeat",
    .operands = "MODEL TABLE",
    .least_operands = 2,
    .most_operands = 2,
    .description = "Ranks the rows of TABLE by how much a label or a better measurement would "
                   "help, and lists the first ones. Rows that have a target already are not "
                   "listed, unless all rows have one, "
                   "or measurements are ranked. The columns are the "
                   "number of the row, counted from 1; the most probable class and its "
                   "probability; the entropy of the class in nats; by how much this model's "
                   "entropy would fall if the row were measured exactly ('measurement'); and the "
                   "rest. These two rank rows; where errors cause all of the entropy, "
                   "'measurement' can be a quarter of it.\n\n"
                   "Numbers and counts: the columns are the mean and the standard deviation of the "
                   "target, and the standard deviation of the latent function ('latent_sd'). Rows "
                   "are ranked by 'latent_sd': where it is large, a target would help most.",
    .examples = "# Ten rows to label, of those without a class\n"
                "nimgp suggest agn.nimgp gll_psc_v27.fit.gz --where \"CLASS1 = ''\" \\\n"
                "    --by rest --keep-only Source_Name\n"
                "# What to measure again\n"
                "nimgp suggest toy.nimgp test.csv -n 5 --by measurement --remeasure\n",
    .options = options,
    .run = run,
};
