/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp evaluate: measures how good predictions are. */
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/rows/row_weights.h"
#include "cli/command/cross_validation.h"
#include "cli/command/out_of_fold.h"
#include "cli/command/prior.h"
#include "cli/command/report_page.h"
#include "cli/score/outside_probabilities.h"
#include "cli/terminal/grid.h"
#include "score/assessment.h"
#include "text/ascii.h"
#include "text/number.h"
#include "cli/model/fit_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "label",
     .value = "COLUMN",
     .help = "The column of true classes, levels, numbers or counts, or the columns A,B,... of "
             "labels; default as in training."},
    {.name = "json", .help = "Print one JSON object instead of text."},
    {.name = "report",
     .value = "FILE",
     .help = "Also write a report page of the evaluated rows, as nimgp report does."},
    {.name = "probabilities",
     .value = "FILE",
     .help = "Instead of MODEL: evaluate the columns p_CLASS of FILE, which has the same rows as "
             "TABLE, or numbers them in a column row, as --folds writes it."},
    PRIOR_OPTION,
    {.name = "weights",
     .value = "COLUMN",
     .help = "The column of row weights for all scores, for instance how many objects each row "
             "represents."},
    MODEL_INPUT_OPTIONS,
    {.name = "folds",
     .value = "N",
     .help = "Instead of MODEL: cross-validation. Divides the rows of TABLE into N folds and "
             "predicts each fold with a model that was trained on the others."},

    {.name = "", .help = "With --folds"},
    {.name = "like",
     .value = "MODEL",
     .help = "Train with the settings of this model: its features, classes, --where and options, "
             "unless others are given."},
    {.name = "groups",
     .value = "COLUMN",
     .help = "Keep rows with the same value in this column in one fold, for instance measurements "
             "of one object. The column is not used as a feature."},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "Write the predictions to this table, one row for each row with a target, with the "
             "number of its fold."},
    KEEP_OPTIONS,
    {.name = "features", .value = "A,B,...", .help = "The columns to learn from, as in fit."},
    {.name = "exclude",
     .value = "A,B,...",
     .help = "Columns to use neither as features nor as errors, as in fit."},
    {.name = "log",
     .value = "A,B,...|auto|none",
     .help = "Features whose logarithm is used, as in fit."},
    {.name = "classes", .value = "A,B,...", .help = "Only rows of these classes, as in fit."},
    {.name = "class-weight",
     .value = "A=X,...|balanced",
     .help = "Weights of the classes in training, as in fit."},
    TASK_OPTIONS,
    {.name = "", .help = "With --folds, as in fit"},
    TIER(EVERYDAY),
    TIER(EXPERT),
    SET_OPTION,
    {0}};

struct evaluation {
    const struct arguments *arguments;
    const char *rival; /* the file whose probabilities are rated */
    char title[32];    /* in its place with --folds */
    struct loaded_model loaded;
    struct table_input input;
    struct outside_probabilities outside; /* in place of a model */
    struct predictions predictions;       /* of a block */
    struct row_weights weights;           /* of its rows */
    size_t rated;                         /* rows so far */
    struct assessment assessment;
    struct report_page page;            /* with --report */
    struct cross_validation validation; /* with --folds, and its predictions */
    struct out_of_fold out;
};

static const char *class_name(const struct evaluation *evaluation, size_t c) {
    return evaluation->input.target.classes.name.item[c];
}

/* ---------------------------------------------------------------- predicting ------------------ */

static bool predict_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    nim_data data = rows_data(rows);
    nim_error error;
    return predictions_make(&evaluation->predictions, evaluation->loaded.predictor, &data,
                            &error) == NIM_OK ||
           file_complain(complaint, table_path(rows->table), &error);
}

static bool cross_validate_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    const size_t *fold = evaluation->validation.fold_of + evaluation->validation.next;
    return cross_validation_predict(&evaluation->validation, rows, &evaluation->predictions,
                                    complaint) &&
           out_of_fold_add(&evaluation->out, rows, fold, &evaluation->predictions, complaint);
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
    struct predictions *predictions = &evaluation->predictions;
    size_t classes = outside->classes.count;
    for (size_t k = 0; k < rows->count; k++) {
        size_t row = outside_probabilities_find(outside, rows->first + rows->place[k]);
        if (row == outside->rows)
            return complain(complaint, BAD_INPUT,
                            outside->number ? "%s: row %zu has no probabilities among the %zu rows "
                                              "of %s; --where chooses rows"
                                            : "%s: row %zu has none of the %zu rows of "
                                              "probabilities of %s; expected the same rows",
                            table_path(rows->table), rows->first + rows->place[k] + 1,
                            outside->rows, evaluation->rival);
        if (!check_name(evaluation, k, row, complaint))
            return false;
        memcpy(predictions->p + k * classes, outside->p + row * classes, classes * sizeof(double));
    }
    predictions->label = rows->targets.class;
    predictions->rows = rows->count;
    return true;
}

static bool rate_block(struct evaluation *evaluation, struct complaint *complaint) {
    const struct rows *rows = &evaluation->input.rows;
    if (!(evaluation->validation.folds ? cross_validate_block
          : evaluation->loaded.model   ? predict_block
                                       : look_up_block)(evaluation, complaint) ||
        !row_weights_take(&evaluation->weights, rows, complaint))
        return false;
    evaluation->predictions.weight = evaluation->weights.weight;
    evaluation->rated += rows->count;
    if (!assessment_add(&evaluation->assessment, &evaluation->predictions, rows->x, rows->sigma))
        return complain_of_memory(complaint);
    return !evaluation->page.report ||
           report_page_add(&evaluation->page, rows, &evaluation->predictions, complaint);
}

static bool rate_rows(struct evaluation *evaluation, struct complaint *complaint) {
    struct rows *rows = &evaluation->input.rows;
    do {
        if (!rows_next(rows, complaint) || (rows->count && !rate_block(evaluation, complaint)))
            return false;
    } while (rows->count);
    if (rows_all_filtered(rows))
        return complain(complaint, BAD_INPUT, "%s: no row satisfies --where",
                        table_path(rows->table));
    const struct target *target = &evaluation->input.target;
    char where[320];
    if (evaluation->assessment.tally.moment[0].count > 0.0)
        return true;
    if (evaluation->weights.name && evaluation->rated)
        return complain(complaint, BAD_INPUT, "%s: column %s: no weight is above 0",
                        table_path(rows->table), evaluation->weights.name);
    target_describe(target, rows->table, where, sizeof where);
    return complain(complaint, BAD_INPUT, "%s: no row has a known %s in %s; expected %s%s",
                    table_path(rows->table), target->task->one, where,
                    task_has_one_class(target->task) ? class_name(evaluation, 0) : "at least one",
                    task_has_one_class(target->task) ? ", ..." : "");
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
    const struct scores *scores = &evaluation->assessment.scores;
    for (size_t i = 0; i < scores->count; i++) {
        const struct named_score *score = &scores->score[i];
        if (!score->name)
            continue;
        grid_cell(grid, "%s", score->name);
        grid_cell(grid, "%.4g", score->score.value / score->unit);
        print_deviation(grid, 0, score->score.deviation / score->unit);
        grid_cell(grid, "%s", score->remark);
    }
    grid_print(grid, stdout);
}

static void print_labels(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrr");
    static const char *const head[] = {"label", "rows", "error", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t c = 0; c < evaluation->assessment.classes; c++) {
        struct score error = assessment_label(&evaluation->assessment, c);
        grid_cell(grid, "%s", class_name(evaluation, c));
        grid_cell(grid, "%.0f", evaluation->assessment.has_label[c]);
        grid_cell(grid, "%.1f %%", 100.0 * error.value);
        print_deviation(grid, 1, 100.0 * error.deviation);
    }
    grid_print(grid, stdout);
}

static void print_confusion(const struct evaluation *evaluation) {
    size_t classes = evaluation->assessment.classes;
    struct grid *grid = grid_create_wide("l", classes + 2, "");
    grid_cell(grid, "true \\ predicted");
    for (size_t c = 0; c < classes; c++)
        grid_cell(grid, "%s", class_name(evaluation, c));
    grid_cell(grid, "right");
    grid_cell(grid, "%s", "");
    for (size_t c = 0; c < classes; c++) {
        const double *row = evaluation->assessment.confusion + c * classes;
        grid_cell(grid, "%s", class_name(evaluation, c));
        for (size_t k = 0; k < classes; k++)
            grid_cell(grid, evaluation->weights.name ? "%.4g" : "%.0f", row[k]);
        struct score right = assessment_confused(&evaluation->assessment, c, c);
        if (!isnan(right.value))
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
    const char *const head[] = {
        "noise level", "rows", evaluation->assessment.scores.score[0].name, "", "NLL", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t g = 0; g < evaluation->assessment.groups; g++) {
        const struct noise_group *group = &evaluation->assessment.group[g];
        struct scores scores = tally_scores(&group->tally, evaluation->assessment.predicts);
        struct score nll = scores.score[1].score;
        if (group->least < group->most)
            grid_cell(grid, "%.3g to %.3g", group->least, group->most);
        else
            grid_cell(grid, "%.3g", group->least);
        grid_cell(grid, "%zu", scores.rows);
        print_miss(grid, &scores.score[0]);
        grid_cell(grid, "%.3f", nll.value);
        print_deviation(grid, 3, nll.deviation);
    }
    grid_print(grid, stdout);
    puts("  (noise level: mean over features of error / standard deviation of the feature in this "
         "table)");
}

static void print_text(const struct evaluation *evaluation) {
    const struct assessment *assessment = &evaluation->assessment;
    const char *weights = evaluation->weights.name;
    printf("%s on %s: %zu row%s%s%s\n\n", evaluation->rival, table_path(evaluation->input.table),
           assessment->scores.rows, plural_s(assessment->scores.rows),
           weights ? ", weighted by " : "", weights ? weights : "");
    print_scores(evaluation);
    if (predicts_one_class(assessment->predicts))
        printf("  %s the shares of the classes: error %.4g %%, NLL %.4g\n",
               assessment_no_better(assessment) ? "no better than" : "for comparison,",
               100.0 * assessment->shares_error, assessment->shares_nll);
    if (assessment->classes)
        puts("");
    if (predicts_one_class(assessment->predicts))
        print_confusion(evaluation);
    else if (assessment->classes)
        print_labels(evaluation);
    if (assessment->groups > 1) {
        puts("");
        print_groups(evaluation);
    }
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void print_json(const struct evaluation *evaluation) {
    const struct target *target = &evaluation->input.target;
    const struct assessment *assessment = &evaluation->assessment;
    struct json_writer json = json_start(stdout);
    json_object(&json, NULL);
    json_text(&json, "model", evaluation->rival);
    json_text(&json, "table", table_path(evaluation->input.table));
    if (evaluation->weights.name)
        json_text(&json, "weights", evaluation->weights.name);
    json_text(&json, "task", target->task->name);
    if (task_has_classes(target->task)) {
        json_array(&json, "classes");
        for (size_t c = 0; c < assessment->classes; c++)
            json_text(&json, NULL, class_name(evaluation, c));
        json_close(&json);
    }
    json_object(&json, "left_out");
    json_whole(&json, "no_label", target->unlabelled);
    json_whole(&json, "other_classes", target->other_class);
    json_close(&json);
    assessment_write(assessment, (const char *const *)target->classes.name.item, &json);
    json_close(&json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool rate(struct evaluation *evaluation, struct complaint *complaint) {
    const struct target *target = &evaluation->input.target;
    size_t classes = target->classes.name.count;
    if (!predictions_create(&evaluation->predictions, evaluation->loaded.model, classes, ROWS_BLOCK,
                            evaluation->page.report || evaluation->validation.folds) ||
        (evaluation->page.report &&
         !predictions_ask_more(&evaluation->predictions, evaluation->loaded.model)) ||
        !assessment_create(&evaluation->assessment, target->task->predicts, classes,
                           evaluation->input.columns.count))
        return complain_of_memory(complaint);
    return rate_rows(evaluation, complaint) &&
           (assessment_finish(&evaluation->assessment) || complain_of_memory(complaint));
}

/* Options that need another one. */
static bool check_together(const struct arguments *arguments, struct complaint *complaint) {
    static const char *const with[] = {
        "like", "groups",  "output", "keep",       "keep-only", "features",    "exclude",
        "log",  "classes", "task",   "likelihood", "set",       "class-weight"};
    static const char *const without[] = {"probabilities", "prior", "report"};
    bool folds = argument_given(arguments, "folds");
    const char *alone = folds ? NULL : argument_borrowed(arguments);
    for (size_t i = 0; !folds && !alone && i < sizeof with / sizeof *with; i++)
        alone = argument_given(arguments, with[i]) ? with[i] : NULL;
    if (alone)
        return complain(complaint, BAD_USAGE, "evaluate: --%s needs --folds", alone);
    for (size_t i = 0; folds && i < sizeof without / sizeof *without; i++)
        if (argument_given(arguments, without[i]))
            return complain(complaint, BAD_USAGE, "evaluate: --%s cannot be used with --folds",
                            without[i]);
    static const char *const files[] = {"report", "output"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = argument_text(arguments, files[i]);
        if (path && strcmp(path, "-") == 0)
            return complain(
                complaint, BAD_USAGE,
                "evaluate: --%s -: standard output is used for the scores; expected a file",
                files[i]);
    }
    return true;
}

/* The models of all folds, then the table from its beginning. */
static bool open_folds(struct evaluation *evaluation, struct complaint *complaint) {
    const struct arguments *arguments = evaluation->arguments;
    const char *table = argument_operand(arguments, 0);
    struct cross_validation *validation = &evaluation->validation;
    if (argument_operand(arguments, 1))
        return complain(complaint, BAD_USAGE, "evaluate: expected only TABLE with --folds");
    if (!cross_validation_learn(validation, arguments, table, complaint))
        return false;
    snprintf(evaluation->title, sizeof evaluation->title, "%zu folds", validation->folds);
    evaluation->rival = evaluation->title;
    evaluation->loaded.model = validation->model[0]; /* for names and shapes; it stays theirs */
    return model_table_open(&evaluation->loaded, &evaluation->input, arguments, table,
                            TARGETS_NEEDED, complaint) &&
           out_of_fold_open(&evaluation->out, arguments, evaluation->input.table,
                            evaluation->loaded.model, complaint);
}

static bool open_rows(struct evaluation *evaluation, struct complaint *complaint) {
    const struct arguments *arguments = evaluation->arguments;
    const char *probabilities = argument_text(arguments, "probabilities");
    const char *first = argument_operand(arguments, 0), *second = argument_operand(arguments, 1);
    if (argument_given(arguments, "folds"))
        return open_folds(evaluation, complaint);
    evaluation->rival = probabilities ? probabilities : first;
    if (!probabilities && second)
        return model_input_open(&evaluation->loaded, &evaluation->input, arguments, first, second,
                                TARGETS_NEEDED, complaint) &&
               prior_apply(&evaluation->loaded, arguments, first, second, complaint);
    if (!probabilities || second)
        return complain(complaint, BAD_USAGE, "evaluate: %s",
                        second ? "expected only TABLE with --probabilities"
                               : "TABLE is missing; usage: nimgp evaluate MODEL TABLE");
    if (argument_given(arguments, "exposure") || argument_given(arguments, "prior"))
        return complain(complaint, BAD_USAGE,
                        "evaluate: --%s cannot be used with --probabilities, %s",
                        argument_given(arguments, "prior") ? "prior" : "exposure",
                        argument_given(arguments, "prior") ? "which are used unchanged"
                                                           : "which are probabilities of classes");
    return outside_probabilities_read(&evaluation->outside, probabilities, complaint) &&
           classes_input_open(&evaluation->input, arguments, &evaluation->outside.classes, first,
                              complaint);
}

static bool open_page(struct evaluation *evaluation, struct complaint *complaint) {
    const struct arguments *arguments = evaluation->arguments;
    const char *path = argument_text(arguments, "report");
    if (!path)
        return true;
    if (!evaluation->loaded.model)
        return complain(complaint, BAD_USAGE,
                        "evaluate: --report needs a model, and --probabilities has none");
    if (argument_given(arguments, "weights"))
        return complain(
            complaint, BAD_USAGE,
            "evaluate: --report cannot be used with --weights: the page counts all rows equally");
    return report_page_open(&evaluation->page, arguments, path, "html", NULL, &evaluation->loaded,
                            &evaluation->input, complaint);
}

static void warn_of_own_lesson(const struct evaluation *evaluation) {
    const nim_model *model = evaluation->loaded.model;
    if (model && looks_like_training(&evaluation->input, model, evaluation->arguments,
                                     evaluation->assessment.scores.rows))
        say(evaluation->arguments,
            "this looks like the training table; scores of training rows are too good");
}

/* Before files are put in place: they stay as they were where the figures cannot be shown. */
static bool print(const struct evaluation *evaluation, struct complaint *complaint) {
    report_tally(&evaluation->input, evaluation->arguments);
    warn_of_own_lesson(evaluation);
    if (argument_given(evaluation->arguments, "json"))
        print_json(evaluation);
    else
        print_text(evaluation);
    return !grid_missing_from_output() || complain_of_memory(complaint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct evaluation evaluation = {.arguments = arguments};
    bool fine = check_together(arguments, complaint) && open_rows(&evaluation, complaint) &&
                row_weights_open(&evaluation.weights, evaluation.input.table,
                                 argument_text(arguments, "weights"), complaint) &&
                open_page(&evaluation, complaint) && rate(&evaluation, complaint) &&
                print(&evaluation, complaint) && out_of_fold_close(&evaluation.out, complaint) &&
                (!evaluation.page.report || report_page_write(&evaluation.page, complaint));
    row_weights_free(&evaluation.weights);
    predictions_free(&evaluation.predictions);
    assessment_free(&evaluation.assessment);
    report_page_free(&evaluation.page);
    outside_probabilities_free(&evaluation.outside);
    table_input_close(&evaluation.input);
    out_of_fold_free(&evaluation.out);
    if (!evaluation.validation.folds)
        loaded_model_free(&evaluation.loaded);
    cross_validation_free(&evaluation.validation);
    return fine;
}

const struct command command_evaluate = {
    .name = "evaluate",
    .summary = "Measures how good predictions are",
    .operands = "MODEL TABLE | --probabilities FILE TABLE | --folds N TABLE",
    .least_operands = 1,
    .most_operands = 2,
    .description =
        "Predicts the rows of TABLE, compares the predictions with the known targets, and prints "
        "scores with standard errors. Classes: share of wrong predictions, mean negative log "
        "probability of the true class (NLL), Brier score, expected calibration error (ECE) and "
        "the confusion matrix. Levels: also the mean distance in levels (MAE). Labels: share of "
        "wrong labels, NLL, share of rows without a wrong label. Numbers and counts: root mean "
        "square error and mean absolute error of the mean, NLL, and the share of rows within the "
        "central 50, 90 and 95 % intervals. The scores are also printed for each third of the rows "
        "by noise level.\n\n"
        "Standard errors are those of means over rows. The standard error of ECE ignores that a "
        "bin could change from too confident to too cautious, or back. The standard error of RMSE "
        "is computed from that of the mean square.\n\n"
        "With --folds each row of TABLE is predicted by a model that was not trained on its fold; "
        "--like MODEL measures so how good a model is without keeping rows from it. "
        "--groups keeps rows that belong together, such as measurements of one object, in one "
        "fold.",
    .examples = "# All scores as text\n"
                "nimgp evaluate toy.nimgp test.csv\n"
                "# One score for a script\n"
                "nimgp evaluate toy.nimgp test.csv --json | jq .nll.value\n"
                "# Cross-validation, with all observations of an object in one fold\n"
                "nimgp evaluate --folds 5 --groups object train.csv -o out-of-fold.csv --keep\n"
                "# How good a model's settings are on rows that were not learned\n"
                "nimgp evaluate --folds 5 --like toy.nimgp train.csv\n"
                "# Weighted scores, where each row represents several objects\n"
                "nimgp evaluate toy.nimgp test.csv --weights objects\n",
    .options = options,
    .run = run,
};
