/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp evaluate: measures how good predictions are. */
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/command/evaluation.h"
#include "cli/command/prior.h"
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
           prediction_table_write(&evaluation->out, rows, &evaluation->predictions, fold,
                                  complaint);
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
    nim_data data = rows_data(rows);
    if (!assessment_add(&evaluation->assessment, &evaluation->predictions, &data, NULL))
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
                    task_has_one_class(target->task) ? evaluation_class(evaluation, 0)
                                                     : "at least one",
                    task_has_one_class(target->task) ? ", ..." : "");
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
    struct predictions shape = predictions_for(evaluation->loaded.model, 0, 0);
    evaluation->out = (struct prediction_table){.model = evaluation->loaded.model,
                                                .shown = shape.classes ? ASK_P | ASK_ENTROPY
                                                                       : ASK_MEAN | ASK_DEVIATION,
                                                .folds = true};
    return model_table_open(&evaluation->loaded, &evaluation->input, arguments, table,
                            TARGETS_NEEDED, complaint) &&
           (!argument_given(arguments, "output") ||
            prediction_table_open(&evaluation->out, arguments, evaluation->input.table, &shape,
                                  complaint));
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
    return evaluation_print(evaluation, argument_given(evaluation->arguments, "json")) ||
           complain_of_memory(complaint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct evaluation evaluation = {.arguments = arguments};
    bool fine = check_together(arguments, complaint) && open_rows(&evaluation, complaint) &&
                row_weights_open(&evaluation.weights, evaluation.input.table,
                                 argument_text(arguments, "weights"), complaint) &&
                open_page(&evaluation, complaint) && rate(&evaluation, complaint) &&
                print(&evaluation, complaint) &&
                prediction_table_close(&evaluation.out, complaint) &&
                (!evaluation.page.report || report_page_write(&evaluation.page, complaint));
    row_weights_free(&evaluation.weights);
    predictions_free(&evaluation.predictions);
    assessment_free(&evaluation.assessment);
    report_page_free(&evaluation.page);
    outside_probabilities_free(&evaluation.outside);
    table_input_close(&evaluation.input);
    prediction_table_free(&evaluation.out);
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
