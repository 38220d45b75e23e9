/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp suggest: lists the rows worth a label and the measurements worth repeating. */
#define _POSIX_C_SOURCE 200809L
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "report/kept_rows.h"
#include "text/json_writer.h"
#include "text/memory_file.h"
#include "text/ascii.h"
#include "cli/command/output_table.h"
#include "score/prediction_names.h"

#include <math.h>
#include <stddef.h>
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
     .values = "entropy, measurement, rest",
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

/* A figure of a row: of a block, and of a row that is kept. */
struct figure {
    const char *name;
    enum predicted from;
    size_t member;
};
static const struct figure class_figures[] = {
    {"probability", PREDICTED_P, offsetof(struct kept_row, probability)},
    {"entropy", PREDICTED_ENTROPY, offsetof(struct kept_row, entropy)},
    {"measurement", PREDICTED_MEASUREMENT, offsetof(struct kept_row, measurement_part)},
    {"rest", PREDICTED_REST, offsetof(struct kept_row, rest)}};
static const struct figure number_figures[] = {
    {"mean", PREDICTED_MEAN, offsetof(struct kept_row, mean)},
    {"sd", PREDICTED_DEVIATION, offsetof(struct kept_row, deviation)},
    {"latent_sd", PREDICTED_LATENT_DEVIATION, offsetof(struct kept_row, latent_deviation)}};

/* What else is remembered of a row that is kept. */
struct entry {
    char *labels;           /* predicted, where there are sets of them; otherwise NULL */
    struct name_list cells; /* of the columns carried over */
};

struct suggest {
    const struct arguments *arguments;
    struct loaded_model loaded;
    struct table_input input;
    struct output_table output;     /* not opened if JSON is wanted */
    struct predictions predictions; /* of a block */
    size_t *number;                 /* of its rows */
    struct kept_rows kept;
    struct entry *entry; /* by slot */
    double *gain;        /* attributes of one row */
    bool numbers;        /* or counts, not classes */
    const struct figure *figure;
    size_t figures, first; /* how many, from which on */
    bool open_rows;        /* some rows have no target yet: others are not listed, */
    size_t settled;        /* which are so many */
};

/* ---------------------------------------------------------------- ranking --------------------- */

/* Sets of labels have no probability of the prediction: theirs is in none of the columns. */
static bool settle(struct suggest *suggest, struct complaint *complaint) {
    const struct task *task = suggest->input.target.task;
    static const char *const foreign[] = {"by", "remeasure"};
    suggest->numbers = !task_has_classes(task);
    suggest->figure = suggest->numbers ? number_figures : class_figures;
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
    unsigned arrays = 0;
    if (!argument_whole(suggest->arguments, "number", 1, 1000000, &most, complaint))
        return false;
    for (size_t i = 0; i < suggest->figures; i++)
        arrays |= 1u << suggest->figure[i].from;
    suggest->predictions = predictions_for(suggest->loaded.model, 0, ROWS_BLOCK);
    bool fine = predictions_ask(&suggest->predictions, arrays);
    fine = kept_rows_create(&suggest->kept, most, d) && fine;
    suggest->entry = calloc(most, sizeof *suggest->entry);
    suggest->number = calloc(ROWS_BLOCK, sizeof *suggest->number);
    suggest->gain = calloc(d, sizeof(double));
    return (fine && suggest->entry && suggest->number && suggest->gain) ||
           complain_of_memory(complaint);
}

static const double *scores(const struct suggest *suggest) {
    const char *by = suggest->numbers ? "latent_sd" : argument_text(suggest->arguments, "by");
    const struct figure *figure = suggest->figure;
    while (strcmp(by, figure->name) != 0)
        figure++;
    return suggest->predictions.value[figure->from];
}

/* Row k of the block takes a slot. */
static bool remember(struct suggest *suggest, size_t k, struct entry *entry,
                     struct complaint *complaint) {
    const struct rows *rows = &suggest->input.rows;
    const struct predictions *predictions = &suggest->predictions;
    const nim_model *model = suggest->loaded.model;
    if (predictions->predicts == PREDICTS_LABELS) {
        if (!entry->labels && !(entry->labels = malloc(class_set_size(model))))
            return complain_of_memory(complaint);
        predicted_name(model, predictions->p + k * predictions->classes, entry->labels);
    }
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
        suggest->kept.top.count = 0;
    }
    suggest->settled += known;
    return !known || !suggest->open_rows;
}

static bool rank_block(struct suggest *suggest, struct complaint *complaint) {
    const struct rows *rows = &suggest->input.rows;
    nim_data data = rows_data(rows);
    struct block_of_rows block = {.data = &data,
                                  .predictions = &suggest->predictions,
                                  .known = rows->known,
                                  .number = suggest->number};
    nim_error error;
    if (predictions_make(&suggest->predictions, suggest->loaded.predictor, &data, &error) != NIM_OK)
        return file_complain(complaint, table_path(rows->table), &error);
    if (!kept_rows_expect(&suggest->kept, &data))
        return complain_of_memory(complaint);
    for (size_t k = 0; k < rows->count; k++) {
        suggest->number[k] = rows->first + rows->place[k];
        const struct kept_row *kept =
            is_candidate(suggest, k)
                ? kept_rows_offer(&suggest->kept, scores(suggest)[k], &block, k)
                : NULL;
        if (kept && !remember(suggest, k, &suggest->entry[kept - suggest->kept.row], complaint))
            return false;
    }
    return true;
}

static bool rank(struct suggest *suggest, struct complaint *complaint) {
    struct rows *rows = &suggest->input.rows;
    do {
        if (!rows_next(rows, complaint) || (rows->count && !rank_block(suggest, complaint)))
            return false;
    } while (rows->count);
    kept_rows_sort(&suggest->kept);
    return true;
}

/* ---------------------------------------------------------------- remeasuring ----------------- */

/* The two features whose exact measurement tells most; gains not above zero are none. */
struct advice {
    const char *feature[2];
    double gain[2];
};

/* Of the k-th row that is kept. */
static bool advise(struct suggest *suggest, size_t k, struct advice *advice,
                   struct complaint *complaint) {
    const nim_model *model = suggest->loaded.model;
    nim_data data = kept_rows_data(&suggest->kept, k);
    nim_error error;
    size_t best[2];
    if (nim_remeasure(suggest->loaded.predictor, &data, suggest->gain, &error) != NIM_OK)
        return file_complain(complaint, table_path(suggest->input.table), &error);
    size_t found = two_largest(data.attributes, suggest->gain, best);
    for (size_t i = 0; i < 2; i++) {
        advice->feature[i] = i < found ? nim_model_attribute_name(model, best[i]) : NULL;
        advice->gain[i] = i < found ? suggest->gain[best[i]] : (double)NAN;
    }
    return true;
}

/* ---------------------------------------------------------------- writing --------------------- */

static const char *const remeasure_name[] = {"remeasure", "gain", "second", "second_gain"};

enum { ALL_COLUMNS = 10 };

/* The columns of the output; copied columns follow the first. */
static size_t list_columns(const struct suggest *suggest, struct column own[ALL_COLUMNS]) {
    size_t count = 0;
    own[count++] = (struct column){.name = "row", .kind = COLUMN_NUMBER};
    if (!suggest->numbers)
        own[count++] = (struct column){.name = "predicted", .kind = COLUMN_TEXT};
    for (size_t i = suggest->first; i < suggest->figures; i++)
        own[count++] = (struct column){.name = suggest->figure[i].name, .kind = COLUMN_NUMBER};
    if (!argument_given(suggest->arguments, "remeasure"))
        return count;
    for (size_t i = 0; i < 4; i++)
        own[count++] =
            (struct column){.name = remeasure_name[i], .kind = i % 2 ? COLUMN_NUMBER : COLUMN_TEXT};
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

static double figure_of(const struct suggest *suggest, size_t k, size_t i) {
    double value;
    memcpy(&value, (const char *)kept_rows_nth(&suggest->kept, k) + suggest->figure[i].member,
           sizeof value);
    return value;
}

/* For reading: six digits. */
static void write_rounded(struct table_writer *writer, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.6g", value);
    table_write_number(writer, strtod(text, NULL));
}

static const struct entry *entry_of(const struct suggest *suggest, size_t k) {
    return &suggest->entry[suggest->kept.top.candidate[k].slot];
}

/* NULL where it is a number. */
static const char *predicted_of(const struct suggest *suggest, size_t k) {
    const char *labels = entry_of(suggest, k)->labels;
    return labels             ? labels
           : suggest->numbers ? NULL
                              : nim_model_class_name(suggest->loaded.model,
                                                     kept_rows_nth(&suggest->kept, k)->best);
}

static bool write_entry(struct suggest *suggest, size_t k, struct complaint *complaint) {
    const struct entry *entry = entry_of(suggest, k);
    struct table_writer *writer = suggest->output.writer;
    struct advice advice;
    bool remeasure = argument_given(suggest->arguments, "remeasure");
    if (remeasure && !advise(suggest, k, &advice, complaint))
        return false;
    table_write_number(writer, (double)kept_rows_nth(&suggest->kept, k)->number + 1.0);
    for (size_t i = 0; i < entry->cells.count; i++)
        table_write_text(writer, span_of(entry->cells.item[i]));
    if (predicted_of(suggest, k))
        table_write_text(writer, span_of(predicted_of(suggest, k)));
    for (size_t i = suggest->first; i < suggest->figures; i++)
        write_rounded(writer, figure_of(suggest, k, i));
    for (size_t i = 0; remeasure && i < 2; i++) {
        table_write_text(writer, span_of(advice.feature[i] ? advice.feature[i] : ""));
        write_rounded(writer, advice.gain[i]);
    }
    return table_write_end(writer, complaint);
}

static bool write_table(struct suggest *suggest, struct complaint *complaint) {
    for (size_t k = 0; k < suggest->kept.top.count; k++)
        if (!write_entry(suggest, k, complaint))
            return false;
    return output_table_close(&suggest->output, complaint);
}

static bool write_json_entry(struct suggest *suggest, size_t k, struct json_writer *json,
                             struct complaint *complaint) {
    const struct entry *entry = entry_of(suggest, k);
    struct advice advice;
    bool remeasure = argument_given(suggest->arguments, "remeasure");
    if (remeasure && !advise(suggest, k, &advice, complaint))
        return false;
    json_object(json, NULL);
    json_whole(json, "row", kept_rows_nth(&suggest->kept, k)->number + 1);
    for (size_t i = 0; i < entry->cells.count; i++) {
        const struct column *column = table_column(suggest->input.table, suggest->output.column[i]);
        const char *cell = entry->cells.item[i];
        if (column->kind == COLUMN_NUMBER)
            json_cell(json, column->name, cell);
        else
            json_text(json, column->name, *cell ? cell : NULL);
    }
    if (predicted_of(suggest, k))
        json_text(json, "predicted", predicted_of(suggest, k));
    for (size_t i = suggest->first; i < suggest->figures; i++)
        json_real(json, suggest->figure[i].name, figure_of(suggest, k, i));
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
    for (size_t k = 0; fine && k < suggest->kept.top.count; k++)
        fine = write_json_entry(suggest, k, &json, complaint);
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
    for (size_t i = 0; suggest.entry && i < suggest.kept.top.most; i++) {
        name_list_free(&suggest.entry[i].cells);
        free(suggest.entry[i].labels);
    }
    free(suggest.entry);
    free(suggest.number);
    free(suggest.gain);
    predictions_free(&suggest.predictions);
    kept_rows_free(&suggest.kept);
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
                   "probability; the entropy of the class in nats; by how much exact measurements "
                   "of the row would reduce it ('measurement'); and the rest.\n\n"
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
