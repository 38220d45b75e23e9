/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp predict: predicts the rows of a table, block by block. */
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/command/carried_columns.h"
#include "cli/command/prior.h"
#include "cli/terminal/team.h"
#include "score/prediction_names.h"
#include "text/ascii.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .fallback = "-",
     .help = "The file to write the predictions to, standard output by default; CSV, or the format "
             "of the extension (.tsv, .fits, .csv.gz).",
     .complete = COMPLETE_FILE},
    KEEP_OPTIONS,
    {.name = "quantiles",
     .value = "P,Q,...",
     .fallback = "0.05,0.5,0.95",
     .help = "For numbers and counts: the levels of the quantiles to write, between 0 and 1."},
    {.name = "parts",
     .help = "Add the three parts of the entropy: the part that exact measurements would remove, "
             "the part that knowledge of the latent functions would then remove, and label noise. "
             "Not for numbers and counts."},
    PRIOR_OPTION,
    {.name = "coverage",
     .value = "SHARE",
     .help = "Add 'set': a set of classes such as 'a|b' that contains the true class in at least "
             "this share of the rows of each class, for instance 0.9. For classes and levels."},
    {.name = "novelty",
     .help = "Add 'novelty': how unusual a row is compared with the training rows. 2: one training "
             "row in 100 is as unusual; 3: one in 1000."},
    {.name = "latent", .help = "Add mean and standard deviation of each latent function."},
    MODEL_INPUT_OPTIONS,
    {0}};

/* Numbers that belong together, `width` of them a row: one array the library fills, and its columns
 * in the output. */
struct part {
    size_t width;
    double *value; /* ROWS_BLOCK x width */
};

enum part_name {
    PROBABILITY,
    ENTROPY,
    MEASUREMENT,
    MODEL,
    MEAN,
    DEVIATION,
    QUANTILE,
    LATENT_MEAN,
    LATENT_VARIANCE,
    PLAUSIBILITY,
    NOVELTY,
    PARTS
};

struct predict {
    struct loaded_model loaded;
    struct table_input input;
    struct carried_columns carried;
    size_t levels;
    double *level; /* of quantiles */
    struct part part[PARTS];
    double coverage; /* of sets of classes; 0 where none is wanted */
    char *predicted; /* name of a prediction, or of a set */
    size_t columns;  /* of the output that are ours */
    struct column *column;
    size_t room; /* for the name of each */
    char *names;
    struct table_writer *writer;
};

/* ---------------------------------------------------------------- what is wanted -------------- */

static bool read_levels(struct predict *predict, const struct arguments *arguments,
                        struct complaint *complaint) {
    const char *wish = argument_text(arguments, "quantiles");
    struct name_list texts = {0};
    bool fine = name_list_split(&texts, wish, "--quantiles", complaint);
    predict->level = calloc(texts.count + 1, sizeof *predict->level);
    if (fine && !predict->level)
        fine = complain_of_memory(complaint);
    for (size_t i = 0; fine && i < texts.count; i++) {
        double level = 0.0;
        if (!number_parse(texts.item[i], &level) || !(level > 0.0 && level < 1.0))
            fine = complain(complaint, BAD_USAGE,
                            "predict: --quantiles: '%s'; expected numbers between 0 and 1, such as "
                            "0.05,0.5,0.95",
                            texts.item[i]);
        for (size_t k = 0; fine && k < i; k++)
            if (predict->level[k] == level)
                fine = complain(complaint, BAD_USAGE, "predict: --quantiles: %s is given twice",
                                texts.item[i]);
        predict->level[predict->levels++] = level;
    }
    name_list_free(&texts);
    return fine;
}

/* Options that models of the other kind have. */
static bool refuse_foreign(const struct predict *predict, const struct arguments *arguments,
                           struct complaint *complaint) {
    const struct task *task = predict->input.target.task;
    bool classes = task_has_classes(task);
    const char *option = classes ? "quantiles" : "parts";
    if (!task_has_one_class(task) && argument_given(arguments, "coverage"))
        option = "coverage";
    return !argument_given(arguments, option) ||
           complain(complaint, BAD_USAGE, "predict: --%s cannot be used: the model predicts %s",
                    option, task->many);
}

static bool read_coverage(struct predict *predict, const struct arguments *arguments,
                          struct complaint *complaint) {
    double *share = &predict->coverage;
    return !argument_given(arguments, "coverage") ||
           (argument_real(arguments, "coverage", 0.0, 1.0, share, complaint) &&
            ((*share > 0.0 && *share < 1.0) ||
             complain(complaint, BAD_USAGE,
                      "predict: --coverage: %g; expected a share between 0 "
                      "and 1, such as 0.9",
                      *share)));
}

static bool make_room(struct predict *predict, const struct arguments *arguments,
                      struct complaint *complaint) {
    const nim_model *model = predict->loaded.model;
    bool numbers = !task_has_classes(predict->input.target.task);
    bool parts = argument_given(arguments, "parts"), latent = argument_given(arguments, "latent");
    size_t functions = latent ? nim_model_functions(model) : 0;
    const size_t width[PARTS] = {[PROBABILITY] = nim_model_classes(model),
                                 [ENTROPY] = !numbers,
                                 [MEASUREMENT] = parts,
                                 [MODEL] = parts,
                                 [MEAN] = numbers,
                                 [DEVIATION] = numbers,
                                 [QUANTILE] = numbers ? predict->levels : 0,
                                 [LATENT_MEAN] = functions,
                                 [LATENT_VARIANCE] = functions,
                                 [PLAUSIBILITY] =
                                     predict->coverage > 0.0 ? nim_model_classes(model) : 0,
                                 [NOVELTY] = argument_given(arguments, "novelty")};
    size_t longest = predicted_size(model), set = class_set_size(model);
    bool fine = (predict->predicted = malloc(longest > set ? longest : set)) != NULL;
    for (size_t i = 0; i < PARTS; i++) {
        struct part *part = &predict->part[i];
        part->width = width[i];
        part->value = width[i] ? calloc(ROWS_BLOCK * width[i], sizeof *part->value) : NULL;
        fine = fine && (part->value || !width[i]);
    }
    return fine || complain_of_memory(complaint);
}

/* ---------------------------------------------------------------- what is written ------------- */

/* Of texts up to `width` bytes, or of numbers where it is 0. */
static void add_wide_column(struct predict *predict, size_t width, const char *before,
                            const char *name) {
    enum column_kind kind = width ? COLUMN_TEXT : COLUMN_NUMBER;
    char *own = predict->names + predict->columns * predict->room;
    snprintf(own, predict->room, "%s%s", before, name);
    predict->column[predict->columns++] =
        (struct column){.name = own, .kind = kind, .width = width};
}

static void add_column(struct predict *predict, const char *before, const char *name) {
    add_wide_column(predict, 0, before, name);
}

enum { LEVEL_NAME = 48 };

/* The level in per cent, with as many digits as tell it from any other: 0.05 is 05, 0.5 is 50,
 * 0.975 is 97.5. The digits are those of the level itself, so that nothing is rounded. */
static void name_level(double level, char name[LEVEL_NAME]) {
    enum { LEAST_EXPONENT = -20 }; /* below, zeros are no longer written out */
    char digits[NUMBER_DIGITS];
    int exponent, length = 0, count = (int)number_digits(level, digits, &exponent);
    int point = exponent + 2; /* digits before the point, at most two */
    if (point <= LEAST_EXPONENT) {
        snprintf(name, LEVEL_NAME, "%c%s%.*se%d", digits[0], count > 1 ? "." : "", count - 1,
                 digits + 1, point - 1);
        return;
    }
    for (int k = point - 2; k < point || k < count; k++) {
        if (k == point)
            name[length++] = '.';
        name[length++] = (char)(k >= 0 && k < count ? digits[k] : '0');
    }
    name[length] = '\0';
}

static void add_quantile(struct predict *predict, double level) {
    char text[LEVEL_NAME];
    name_level(level, text);
    add_column(predict, "q", text);
}

static void add_latent(struct predict *predict, const char *before) {
    char text[FUNCTION_NAME];
    for (size_t f = 0; f < predict->part[LATENT_MEAN].width; f++)
        add_column(predict, before, function_name(predict->loaded.model, f, text));
}

static bool list_columns(struct predict *predict, struct complaint *complaint) {
    const nim_model *model = predict->loaded.model;
    static const char *const parts[] = {"entropy_measurement", "entropy_model", "entropy_label"};
    size_t most = 8;
    for (size_t i = 0; i < PARTS; i++)
        most += predict->part[i].width;
    predict->room = 64;
    for (size_t c = 0; c < nim_model_classes(model); c++) {
        size_t needed = strlen(nim_model_class_name(model, c)) + sizeof "deviation_";
        predict->room = needed > predict->room ? needed : predict->room;
    }
    predict->column = calloc(most, sizeof *predict->column);
    predict->names = calloc(most, predict->room);
    if (!predict->column || !predict->names)
        return complain_of_memory(complaint);
    for (size_t c = 0; c < nim_model_classes(model); c++)
        add_column(predict, "p_", nim_model_class_name(model, c));
    if (predict->part[ENTROPY].width) {
        add_wide_column(predict, predicted_size(model), "", "predicted");
        add_column(predict, "", "entropy");
    } else {
        add_column(predict, "", "mean");
        add_column(predict, "", "sd");
    }
    for (size_t k = 0; k < predict->part[QUANTILE].width; k++)
        add_quantile(predict, predict->level[k]);
    for (size_t i = 0; predict->part[MODEL].width && i < 3; i++)
        add_column(predict, "", parts[i]);
    add_latent(predict, "mean_");
    add_latent(predict, "deviation_");
    if (predict->part[PLAUSIBILITY].width)
        add_wide_column(predict, class_set_size(model), "", "set");
    if (predict->part[NOVELTY].width)
        add_column(predict, "", "novelty");
    return true;
}

static bool open_writer(struct predict *predict, const struct arguments *arguments,
                        struct complaint *complaint) {
    struct carried_columns *carried = &predict->carried;
    const char *path = argument_text(arguments, "output");
    if (!list_columns(predict, complaint) ||
        !carried_columns_choose(carried, arguments, predict->input.table, predict->columns,
                                predict->column, complaint) ||
        !file_check_apart(path, argument_operand(arguments, 0), complaint) ||
        !file_check_apart(path, argument_operand(arguments, 1), complaint))
        return false;
    struct column *all = calloc(carried->count + predict->columns, sizeof *all);
    if (!all)
        return complain_of_memory(complaint);
    for (size_t i = 0; i < carried->count; i++)
        all[i] = *table_column(predict->input.table, carried->column[i]);
    memcpy(all + carried->count, predict->column, predict->columns * sizeof *all);
    predict->writer =
        table_writer_open(path, TABLE_ANY, carried->count + predict->columns, all, complaint);
    free(all);
    return predict->writer != NULL;
}

/* ---------------------------------------------------------------- blocks ---------------------- */

/* A part's numbers from row `first` on; NULL where it is not wanted. */
static double *part_from(const struct predict *predict, enum part_name name, size_t first) {
    const struct part *part = &predict->part[name];
    return part->value ? part->value + first * part->width : NULL;
}

/* Rows first .. end-1 of the block. */
static bool compute_rows(struct predict *predict, size_t first, size_t end,
                         struct complaint *complaint) {
    nim_data data = rows_stretch(&predict->input.rows, first, end);
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = part_from(predict, PROBABILITY, first),
                       .entropy = part_from(predict, ENTROPY, first),
                       .measurement_part = part_from(predict, MEASUREMENT, first),
                       .model_part = part_from(predict, MODEL, first),
                       .mean = part_from(predict, MEAN, first),
                       .deviation = part_from(predict, DEVIATION, first), .levels = predict->level,
                       .level_count = predict->part[QUANTILE].width,
                       .quantiles = part_from(predict, QUANTILE, first),
                       .latent_mean = part_from(predict, LATENT_MEAN, first),
                       .latent_variance = part_from(predict, LATENT_VARIANCE, first),
                       .plausibility = part_from(predict, PLAUSIBILITY, first),
                       .novelty = part_from(predict, NOVELTY, first));
    nim_error error;
    return first == end ||
           nim_predict(predict->loaded.predictor, &data, &wanted, &error) == NIM_OK ||
           file_complain(complaint, table_path(predict->input.table), &error);
}

/* Each process of the team computes its share of the block. */
static bool compute(struct predict *predict, struct complaint *complaint) {
    size_t first, count = predict->input.rows.count, end = team_share(count, &first);
    if (!compute_rows(predict, first, end, complaint))
        return false;
    for (size_t i = 0; i < PARTS; i++)
        if (!team_gather(predict->part[i].value, count, predict->part[i].width * sizeof(double),
                         complaint))
            return false;
    return true;
}

/* As text, numbers too, so that they keep all their digits. */
static bool write_carried(struct predict *predict, size_t place, struct complaint *complaint) {
    const struct carried_columns *carried = &predict->carried;
    for (size_t i = 0; i < carried->count; i++) {
        struct span cell;
        if (!table_text(predict->input.table, place, carried->column[i], &cell, complaint) ||
            !table_write_text(predict->writer, cell, complaint))
            return false;
    }
    return true;
}

/* A part's numbers of row k; nothing where it is not wanted. */
static bool write_part(struct predict *predict, enum part_name name, size_t k,
                       struct complaint *complaint) {
    const struct part *part = &predict->part[name];
    for (size_t i = 0; i < part->width; i++) {
        double value = part->value[k * part->width + i];
        if (!table_write_number(predict->writer, name == LATENT_VARIANCE ? sqrt(value) : value,
                                complaint))
            return false;
    }
    return true;
}

static bool write_predicted(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct part *p = &predict->part[PROBABILITY];
    if (!p->width)
        return true;
    predicted_name(predict->loaded.model, p->value + k * p->width, predict->predicted);
    return table_write_text(
        predict->writer, (struct span){predict->predicted, strlen(predict->predicted)}, complaint);
}

static bool write_set(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct part *part = &predict->part[PLAUSIBILITY];
    if (!part->width)
        return true;
    class_set_name(predict->loaded.model, part->value + k * part->width, 1.0 - predict->coverage,
                   predict->predicted);
    return table_write_text(
        predict->writer, (struct span){predict->predicted, strlen(predict->predicted)}, complaint);
}

/* The part of the entropy that is left. */
static bool write_label_noise(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct part *part = predict->part;
    return !part[MODEL].width ||
           table_write_number(predict->writer,
                              part[ENTROPY].value[k] - part[MEASUREMENT].value[k] -
                                  part[MODEL].value[k],
                              complaint);
}

static bool write_row(struct predict *predict, size_t k, struct complaint *complaint) {
    return write_carried(predict, predict->input.rows.place[k], complaint) &&
           write_part(predict, PROBABILITY, k, complaint) &&
           write_predicted(predict, k, complaint) && write_part(predict, ENTROPY, k, complaint) &&
           write_part(predict, MEAN, k, complaint) &&
           write_part(predict, DEVIATION, k, complaint) &&
           write_part(predict, QUANTILE, k, complaint) &&
           write_part(predict, MEASUREMENT, k, complaint) &&
           write_part(predict, MODEL, k, complaint) && write_label_noise(predict, k, complaint) &&
           write_part(predict, LATENT_MEAN, k, complaint) &&
           write_part(predict, LATENT_VARIANCE, k, complaint) && write_set(predict, k, complaint) &&
           write_part(predict, NOVELTY, k, complaint) &&
           table_write_end(predict->writer, complaint);
}

static bool write_block(struct predict *predict, struct complaint *complaint) {
    if (!compute(predict, complaint))
        return false;
    for (size_t k = 0; team_leads() && k < predict->input.rows.count; k++)
        if (!write_row(predict, k, complaint))
            return false;
    return true;
}

static bool has_learned(const nim_model *model, const char *quantity) {
    size_t count = 0;
    nim_model_get(model, quantity, NULL, 0, &count, NULL);
    return count > 0;
}

/* Columns for which training kept nothing. */
static bool refuse_unlearned(const struct predict *predict, const struct arguments *arguments,
                             struct complaint *complaint) {
    const nim_model *model = predict->loaded.model;
    const char *path = argument_operand(arguments, 0);
    if (argument_given(arguments, "coverage") && !has_learned(model, "plausibility_rows"))
        return complain(complaint, BAD_USAGE,
                        "predict: --coverage cannot be used: no rows were held out in the training "
                        "of %s; train it again with --calibrate auto and at least 40 rows",
                        path);
    return !argument_given(arguments, "novelty") || has_learned(model, "novelty_quantiles") ||
           complain(complaint, BAD_USAGE,
                    "predict: --novelty cannot be used: %s has learned no population of true "
                    "inputs; train it again with --novelty always",
                    path);
}

/* Everything up to the first prediction. The first rows come before the output, so that a table
 * that is none leaves nothing. */
static bool prepare(struct predict *predict, const struct arguments *arguments,
                    struct complaint *complaint) {
    const char *model = argument_operand(arguments, 0), *table = argument_operand(arguments, 1);
    return team_can_read(table, complaint) &&
           model_input_open(&predict->loaded, &predict->input, arguments, model, table,
                            TARGETS_IGNORED, complaint) &&
           prior_apply(&predict->loaded, arguments, model, table, complaint) &&
           refuse_foreign(predict, arguments, complaint) &&
           read_levels(predict, arguments, complaint) &&
           read_coverage(predict, arguments, complaint) &&
           refuse_unlearned(predict, arguments, complaint) &&
           make_room(predict, arguments, complaint) && rows_next(&predict->input.rows, complaint) &&
           (!team_leads() || open_writer(predict, arguments, complaint));
}

static bool stream(struct predict *predict, const struct arguments *arguments,
                   struct complaint *complaint) {
    struct rows *rows = &predict->input.rows;
    if (!team_agree(prepare(predict, arguments, complaint), complaint))
        return false;
    while (rows->count)
        if (!write_block(predict, complaint) || !rows_next(rows, complaint))
            return false;
    if (!team_leads())
        return true;
    report_tally(&predict->input, arguments);
    struct table_writer *writer = predict->writer;
    predict->writer = NULL;
    if (!table_writer_close(writer, complaint))
        return false;
    const char *path = argument_text(arguments, "output");
    size_t written = rows->seen - rows->filtered;
    if (strcmp(path, "-") != 0)
        say(arguments, "%zu row%s in %s", written, plural_s(written), path);
    return true;
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct predict predict = {0};
    bool fine = stream(&predict, arguments, complaint);
    table_writer_abandon(predict.writer);
    for (size_t i = 0; i < PARTS; i++)
        free(predict.part[i].value);
    free(predict.level);
    free(predict.predicted);
    free(predict.column);
    free(predict.names);
    carried_columns_free(&predict.carried);
    table_input_close(&predict.input);
    loaded_model_free(&predict.loaded);
    return fine;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "Predicts the rows of a table",
    .operands = "MODEL TABLE",
    .least_operands = 2,
    .most_operands = 2,
    .description =
        "Writes one row for each row of TABLE. Classes and levels: the probability p_CLASS of each "
        "class, the most probable class ('predicted') and the entropy of the probabilities in "
        "nats. Labels: a probability for each label, and 'predicted' lists those above 1/2 as "
        "'a|b'. Numbers and counts: 'mean', 'sd' (standard deviation) and quantiles, for instance "
        "'q05' at 0.05. The exposure of a count is in the same column as in training; without that "
        "column it is 1. Features and their errors are found by name, in any order of columns. "
        "Rows are read, predicted and written in blocks, so a table may be of any size, or a pipe.",
    .examples = "# Predictions together with the columns of the table\n"
                "nimgp predict toy.nimgp test.csv --keep -o predicted.csv\n"
                "# The sources of a catalogue that have no class yet, as FITS\n"
                "nimgp predict agn.nimgp gll_psc_v27.fit.gz --where \"CLASS1 = ''\" \\\n"
                "    --keep-only Source_Name -o unassociated.fits\n"
                "# Sets that contain the true class in 9 rows of 10, and unusual rows\n"
                "nimgp predict toy.nimgp test.csv --coverage 0.9 --novelty\n"
                "# Class shares that differ from training, estimated from the table\n"
                "nimgp predict toy.nimgp test.csv --prior auto\n"
                "# Numbers: mean, sd and a 95 % interval\n"
                "nimgp predict sine.nimgp sine/test.csv --quantiles 0.025,0.975\n",
    .many = true,
    .options = options,
    .run = run,
};
