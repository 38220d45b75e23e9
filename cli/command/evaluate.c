/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp evaluate: how good predictions are where the truth is known. */
#include "cli/score/rated_predictions.h"
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/score/outside_probabilities.h"
#include "cli/terminal/grid.h"
#include "text/json_writer.h"
#include "cli/score/noise_level.h"
#include "text/ascii.h"
#include "text/number.h"
#include "cli/model/fit_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "label",
     .value = "COLUMN",
     .help = "The column of true classes, levels, numbers or counts, or A,B,... of labels; as in "
             "training unless given."},
    {.name = "json", .help = "One JSON object instead of text."},
    {.name = "probabilities",
     .value = "FILE",
     .help = "No MODEL: rate the columns p_CLASS of FILE, whose rows are those of TABLE.",
     .complete = COMPLETE_FILE},
    MODEL_INPUT_OPTIONS,
    {0}};

enum { GROUPS = 3 };

struct group {
    double least, most; /* levels of noise */
    struct scores scores;
};

struct evaluation {
    const struct arguments *arguments;
    const char *rival; /* the file whose probabilities are rated */
    struct loaded_model loaded;
    struct table_input input;
    struct outside_probabilities outside; /* in place of a model */
    struct rated_predictions rated;
    struct noise noise;
    struct scores scores;
    double *confusion; /* classes x classes, where a row has one class */
    struct group group[GROUPS];
    size_t groups;
};

static const char *class_name(const struct evaluation *evaluation, size_t c) {
    return evaluation->input.target.classes.name.item[c];
}

/* ---------------------------------------------------------------- predicting ------------------ */

static bool predict_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    nim_data data = rows_data(rows);
    nim_error error;
    return rated_predictions_add(&evaluation->rated, evaluation->loaded.predictor, &data,
                                 &rows->targets, &error) == NIM_OK ||
           file_complain(complaint, table_path(rows->table), &error);
}

/* Whether row k of the block is the one whose probabilities stand in that row, as far as names
 * tell. */
static bool check_name(const struct evaluation *evaluation, size_t k, size_t row,
                       struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    const struct outside_probabilities *outside = &evaluation->outside;
    long column = outside->id ? table_find(rows->table, outside->id) : NO_COLUMN;
    struct span name;
    if (column < 0)
        return true;
    if (!table_text(rows->table, rows->place[k], (size_t)column, &name, complaint))
        return false;
    const char *other = outside->name.item[row];
    char own[256], place[256];
    double a, b;
    snprintf(own, sizeof own, "%.*s", (int)(name.length < 255 ? name.length : 255), name.text);
    if (strncmp(own, other, sizeof own - 1) == 0 ||
        (number_parse(own, &a) && number_parse(other, &b) && a == b))
        return true;
    table_place(rows->table, rows->place[k], place, sizeof place);
    return complain(complaint, BAD_INPUT,
                    "%s: column %s: '%s', but '%s' in row %zu of %s; expected the same rows in the "
                    "same order",
                    place, outside->id, own, other, row + 1, evaluation->rival);
}

static bool look_up_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    const struct outside_probabilities *outside = &evaluation->outside;
    struct rated_predictions *rated = &evaluation->rated;
    size_t classes = outside->classes.count;
    double *p = rated->p + rated->rows * classes;
    for (size_t k = 0; k < rows->count; k++) {
        size_t row = rows->first + rows->place[k];
        if (row >= outside->rows)
            return complain(complaint, BAD_INPUT,
                            "%s: more rows than the %zu there are probabilities for",
                            table_path(rows->table), outside->rows);
        if (!check_name(evaluation, k, row, complaint))
            return false;
        memcpy(p + k * classes, outside->p + row * classes, classes * sizeof *p);
    }
    target_values_copy(&rated->targets, rated->rows, &rows->targets, 0, rows->count);
    rated->rows += rows->count;
    return true;
}

static bool rate_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    if (!rated_predictions_grow(&evaluation->rated, rows->count) ||
        !noise_grow(&evaluation->noise, rows->count))
        return complain(complaint, BROKE_DOWN, "out of memory after %zu rows",
                        evaluation->rated.rows);
    noise_add(&evaluation->noise, rows->count, rows->x, rows->sigma);
    return (evaluation->loaded.model ? predict_block : look_up_block)(evaluation, complaint);
}

static bool rate_rows(struct evaluation *evaluation, struct complaint *complaint) {
    struct rows *rows = &evaluation->input.rows;
    do {
        if (!rows_next(rows, complaint) || (rows->count && !rate_block(evaluation, complaint)))
            return false;
    } while (rows->count);
    if (rows_all_filtered(rows))
        return complain(complaint, BAD_INPUT, "%s: no row meets --where", table_path(rows->table));
    const struct target *target = &evaluation->input.target;
    char where[320];
    if (evaluation->rated.rows)
        return true;
    target_describe(target, rows->table, where, sizeof where);
    return complain(complaint, BAD_INPUT, "%s: no row has a known %s in %s; expected %s%s",
                    table_path(rows->table), target->task->one, where,
                    task_has_one_class(target->task) ? class_name(evaluation, 0) : "one at least",
                    task_has_one_class(target->task) ? ", ..." : "");
}

/* ---------------------------------------------------------------- by noise -------------------- */

/* Thirds of the rows by noise. */
static bool split_by_noise(struct evaluation *evaluation, struct complaint *complaint) {
    struct noise *noise = &evaluation->noise;
    if (!noise_rank(noise))
        return complain_of_memory(complaint);
    for (size_t start = 0, g = 1; g <= GROUPS; g++) {
        size_t end = noise_part_end(noise, g, GROUPS);
        if (end <= start)
            continue;
        evaluation->group[evaluation->groups++] = (struct group){
            .least = noise->level[noise->order[start]],
            .most = noise->level[noise->order[end - 1]],
            .scores = scores_of(&evaluation->rated, end - start, noise->order + start)};
        start = end;
    }
    return true;
}

/* ---------------------------------------------------------------- text ------------------------ */

/* A standard error to so many digits; nothing where one row does not tell. */
static void print_deviation(struct grid *grid, int digits, double deviation) {
    if (isnan(deviation))
        grid_cell(grid, "%s", "");
    else if (digits)
        grid_cell(grid, "+- %.*f", digits, deviation);
    else
        grid_cell(grid, "+- %.2g", deviation);
}

static void print_scores(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrl");
    for (size_t i = 0; i < evaluation->scores.count; i++) {
        const struct named_score *score = &evaluation->scores.score[i];
        grid_cell(grid, "%s", score->name);
        grid_cell(grid, "%.4g", score->score.value / score->unit);
        print_deviation(grid, 0, score->score.deviation / score->unit);
        grid_cell(grid, "%s", score->remark);
    }
    grid_print(grid, stdout);
}

/* Rows that have a label. */
static size_t label_rows(const struct evaluation *evaluation, size_t c) {
    const struct rated_predictions *rated = &evaluation->rated;
    size_t rows = 0;
    for (size_t i = 0; i < rated->rows; i++)
        rows += rated->targets.y[i * rated->classes + c] > 0.5;
    return rows;
}

static void print_labels(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrr");
    static const char *const head[] = {"label", "rows", "error", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t c = 0; c < evaluation->rated.classes; c++) {
        struct score error = label_error(&evaluation->rated, c);
        grid_cell(grid, "%s", class_name(evaluation, c));
        grid_cell(grid, "%zu", label_rows(evaluation, c));
        grid_cell(grid, "%.1f %%", 100.0 * error.value);
        print_deviation(grid, 1, 100.0 * error.deviation);
    }
    grid_print(grid, stdout);
}

static void print_confusion(const struct evaluation *evaluation) {
    size_t classes = evaluation->rated.classes;
    struct grid *grid = grid_create_wide("l", classes + 2, "");
    grid_cell(grid, "true \\ predicted");
    for (size_t c = 0; c < classes; c++)
        grid_cell(grid, "%s", class_name(evaluation, c));
    grid_cell(grid, "right");
    grid_cell(grid, "%s", "");
    for (size_t c = 0; c < classes; c++) {
        const double *row = evaluation->confusion + c * classes;
        double total = 0.0;
        grid_cell(grid, "%s", class_name(evaluation, c));
        for (size_t k = 0; k < classes; k++) {
            grid_cell(grid, "%.0f", row[k]);
            total += row[k];
        }
        struct score right = share_of(row[c], total);
        if (total > 0.0)
            grid_cell(grid, "%.1f %%", 100.0 * right.value);
        else
            grid_cell(grid, "-");
        print_deviation(grid, 1, 100.0 * right.deviation);
    }
    grid_print(grid, stdout);
}

/* The first score, in per cent or in units of the target. */
static void print_miss(struct grid *grid, const struct named_score *score) {
    if (score->unit < 1.0) {
        grid_cell(grid, "%.1f %%", score->score.value / score->unit);
        print_deviation(grid, 1, score->score.deviation / score->unit);
    } else {
        grid_cell(grid, "%.4g", score->score.value);
        print_deviation(grid, 0, score->score.deviation);
    }
}

static void print_groups(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrrrr");
    const char *const head[] = {"noise level", "rows", evaluation->scores.score[0].name, "",
                                "NLL",         ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t g = 0; g < evaluation->groups; g++) {
        const struct group *group = &evaluation->group[g];
        struct score nll = group->scores.score[1].score;
        if (group->least < group->most)
            grid_cell(grid, "%.3g to %.3g", group->least, group->most);
        else
            grid_cell(grid, "%.3g", group->least);
        grid_cell(grid, "%zu", group->scores.rows);
        print_miss(grid, &group->scores.score[0]);
        grid_cell(grid, "%.3f", nll.value);
        print_deviation(grid, 3, nll.deviation);
    }
    grid_print(grid, stdout);
    puts("  (mean over features of error / deviation of the feature in this table)");
}

static void print_text(const struct evaluation *evaluation) {
    printf("%s on %s: %zu row%s\n\n", evaluation->rival, table_path(evaluation->input.table),
           evaluation->rated.rows, plural_s(evaluation->rated.rows));
    print_scores(evaluation);
    if (evaluation->confusion || evaluation->rated.classes)
        puts("");
    if (evaluation->confusion)
        print_confusion(evaluation);
    else if (evaluation->rated.classes)
        print_labels(evaluation);
    if (evaluation->groups > 1) {
        puts("");
        print_groups(evaluation);
    }
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void write_score(struct json_writer *json, const char *key, struct score score) {
    json_object(json, key);
    json_real(json, "value", score.value);
    json_real(json, "standard_error", score.deviation);
    json_close(json);
}

static void write_scores(struct json_writer *json, const struct scores *scores) {
    json_whole(json, "rows", scores->rows);
    for (size_t i = 0; i < scores->count; i++)
        write_score(json, scores->score[i].key, scores->score[i].score);
}

static void write_labels(struct json_writer *json, const struct evaluation *evaluation) {
    json_array(json, "labels");
    for (size_t c = 0; c < evaluation->rated.classes; c++) {
        json_object(json, NULL);
        json_text(json, "name", class_name(evaluation, c));
        json_whole(json, "rows", label_rows(evaluation, c));
        write_score(json, "error", label_error(&evaluation->rated, c));
        json_close(json);
    }
    json_close(json);
}

/* Counts, shares of each true class's rows, and their standard errors. */
static void write_confusion(struct json_writer *json, const struct evaluation *evaluation) {
    size_t classes = evaluation->rated.classes;
    json_object(json, "confusion");
    json_matrix(json, "counts", evaluation->confusion, classes, classes);
    for (int pass = 0; pass < 2; pass++) {
        json_array(json, pass ? "standard_errors" : "shares");
        for (size_t c = 0; c < classes; c++) {
            const double *row = evaluation->confusion + c * classes;
            double total = 0.0;
            for (size_t k = 0; k < classes; k++)
                total += row[k];
            json_array(json, NULL);
            for (size_t k = 0; k < classes; k++) {
                struct score share = share_of(row[k], total);
                json_real(json, NULL, pass ? share.deviation : share.value);
            }
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct evaluation *evaluation) {
    const struct target *target = &evaluation->input.target;
    struct json_writer json = json_start(stdout);
    json_object(&json, NULL);
    json_text(&json, "model", evaluation->rival);
    json_text(&json, "table", table_path(evaluation->input.table));
    json_text(&json, "task", target->task->name);
    if (task_has_classes(target->task)) {
        json_array(&json, "classes");
        for (size_t c = 0; c < evaluation->rated.classes; c++)
            json_text(&json, NULL, class_name(evaluation, c));
        json_close(&json);
    }
    write_scores(&json, &evaluation->scores);
    json_object(&json, "left_out");
    json_whole(&json, "no_label", target->unlabelled);
    json_whole(&json, "other_classes", target->other_class);
    json_close(&json);
    if (evaluation->confusion) {
        json_whole(&json, "ece_bins", CALIBRATION_BINS);
        write_confusion(&json, evaluation);
    } else if (evaluation->rated.classes) {
        write_labels(&json, evaluation);
    }
    json_array(&json, "by_noise");
    for (size_t g = 0; g < evaluation->groups; g++) {
        json_object(&json, NULL);
        json_real(&json, "least", evaluation->group[g].least);
        json_real(&json, "most", evaluation->group[g].most);
        write_scores(&json, &evaluation->group[g].scores);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool count_confusions(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rated_predictions *rated = &evaluation->rated;
    if (!task_has_one_class(rated->task))
        return true;
    evaluation->confusion = calloc(rated->classes * rated->classes, sizeof(double));
    if (!evaluation->confusion)
        return complain_of_memory(complaint);
    confusion_of(rated->classes, rated->p, rated->targets.class, rated->rows,
                 evaluation->confusion);
    return true;
}

static bool rate(struct evaluation *evaluation, struct complaint *complaint) {
    struct rated_predictions *rated = &evaluation->rated;
    const struct target *target = &evaluation->input.target;
    *rated = (struct rated_predictions){.task = target->task,
                                        .classes = target->classes.name.count,
                                        .targets = target_shape(target)};
    evaluation->noise.attributes = evaluation->input.columns.count;
    if (!rate_rows(evaluation, complaint) || !count_confusions(evaluation, complaint))
        return false;
    evaluation->scores = scores_of(rated, rated->rows, NULL);
    return !evaluation->noise.attributes || split_by_noise(evaluation, complaint);
}

static bool open_rows(struct evaluation *evaluation, struct complaint *complaint) {
    const struct arguments *arguments = evaluation->arguments;
    const char *probabilities = argument_text(arguments, "probabilities");
    const char *first = argument_operand(arguments, 0), *second = argument_operand(arguments, 1);
    evaluation->rival = probabilities ? probabilities : first;
    if (!probabilities && second)
        return model_input_open(&evaluation->loaded, &evaluation->input, arguments, first, second,
                                true, complaint);
    if (!probabilities || second)
        return complain(complaint, BAD_USAGE, "evaluate: %s",
                        second ? "expected TABLE alone with --probabilities"
                               : "TABLE is missing; usage: nimgp evaluate MODEL TABLE");
    if (argument_given(arguments, "exposure"))
        return complain(complaint, BAD_USAGE,
                        "evaluate: --exposure is of no use with --probabilities, which are of "
                        "classes");
    return outside_probabilities_read(&evaluation->outside, probabilities, complaint) &&
           classes_input_open(&evaluation->input, arguments, &evaluation->outside.classes, first,
                              complaint);
}

/* The same name and number of rows: nobody who rates a model on its own lesson should be proud. */
static void warn_of_own_lesson(const struct evaluation *evaluation) {
    const nim_model *model = evaluation->loaded.model;
    const char *table = model ? nim_model_note(model, NOTE_TABLE) : NULL;
    const char *held = model ? nim_model_note(model, NOTE_HELD_OUT) : NULL;
    if (!table || strcmp(table, file_name(table_path(evaluation->input.table))) != 0)
        return;
    size_t rows = nim_model_rows(model) + (held ? (size_t)strtoull(held, NULL, 10) : 0);
    if (rows == evaluation->rated.rows)
        say(evaluation->arguments,
            "this looks like the table it learned from; such figures are too good");
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct evaluation evaluation = {.arguments = arguments};
    bool fine = open_rows(&evaluation, complaint) && rate(&evaluation, complaint);
    if (fine) {
        report_tally(&evaluation.input, arguments);
        warn_of_own_lesson(&evaluation);
        if (argument_given(arguments, "json"))
            print_json(&evaluation);
        else
            print_text(&evaluation);
    }
    free(evaluation.confusion);
    rated_predictions_free(&evaluation.rated);
    noise_free(&evaluation.noise);
    outside_probabilities_free(&evaluation.outside);
    table_input_close(&evaluation.input);
    loaded_model_free(&evaluation.loaded);
    return fine;
}

const struct command command_evaluate = {
    .name = "evaluate",
    .summary = "How good a model's predictions are",
    .operands = "MODEL TABLE",
    .least_operands = 1,
    .most_operands = 2,
    .description =
        "Predicts the rows of TABLE, whose targets are known, and compares, each figure with its "
        "standard error. Classes: share of wrong predictions, mean negative log probability of the "
        "true class (NLL), Brier score, expected calibration error (ECE), and which classes are "
        "taken for which; levels: also the mean distance in levels (MAE). Labels: share of wrong "
        "labels, NLL, share of rows without a wrong label. Numbers and counts: root mean square "
        "and mean absolute error of the mean, NLL, and how many rows the central 50, 90 and 95 % "
        "intervals hold. Rows are also divided in thirds by how noisy they are.\n"
        "\n"
        "Standard errors are those of a mean over rows; that of ECE is found by leaving out each "
        "row in turn, that of a root from its square.",
    .examples = "# Text for people\n"
                "nimgp evaluate toy.nimgp test.csv\n"
                "# One figure for a script\n"
                "nimgp evaluate toy.nimgp test.csv --json | jq .nll.value\n",
    .options = options,
    .run = run,
};
