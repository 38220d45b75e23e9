/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp predict: predicts the rows of a table, block by block. */
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/command/prediction_table.h"
#include "cli/command/prior.h"
#include "cli/terminal/team.h"
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
             "of the extension (.tsv, .fits, .csv.gz)."},
    KEEP_OPTIONS,
    {.name = "quantiles",
     .value = "P,Q,...",
     .fallback = "0.05,0.5,0.95",
     .help = "For numbers and counts: the levels of the quantiles to write, between 0 and 1."},
    {.name = "grid",
     .value = "FIRST:LAST:COUNT",
     .help = "Add the density of the number at COUNT equally spaced values, such as 0:3:301: one "
             "column 'density' with a vector in FITS and VOTable, otherwise a column for each "
             "value, such as density_0.01. For counts whole values, and their probabilities."},
    {.name = "parts",
     .help = "Add the two parts of this model's entropy: by how much it would fall if the row were "
             "measured exactly, and the rest. They rank rows. Not for numbers and counts."},
    PRIOR_OPTION,
    {.name = "coverage",
     .value = "SHARE",
     .help =
         "Add 'set': a set of classes such as 'a|b' that contains the true class in at least "
         "this share of the rows of each class, for instance 0.9. For numbers and counts 'low' and "
         "'high': the ends of an interval that contains it in at least this share of the rows."},
    {.name = "novelty",
     .help = "Add 'novelty': how unusual a row is compared with the training rows. 2: one training "
             "row in 100 is as unusual; 3: one in 1000."},
    {.name = "typical",
     .help = "Add 'typical': the probability that the row's errors are such as training rows have; "
             "and 'weight_1', 'weight_2', ...: how much each fit of the panel is heard in the row. "
             "nimgp inspect shows what they see."},
    {.name = "latent", .help = "Add mean and standard deviation of each latent function."},
    MODEL_INPUT_OPTIONS,
    {0}};

struct predict {
    struct loaded_model loaded;
    struct table_input input;
    struct prediction_table output;
    struct predictions predictions; /* of a block */
    double *level;                  /* of quantiles */
    double *grid;                   /* of densities */
    char note[96];                  /* what a vector of them is */
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
        predict->level[i] = level;
    }
    predict->predictions.levels = texts.count;
    predict->predictions.level = predict->level;
    name_list_free(&texts);
    return fine;
}

static bool read_grid(struct predict *predict, const struct arguments *arguments,
                      struct complaint *complaint) {
    const char *wish = argument_text(arguments, "grid");
    enum { MOST_POINTS = 10000 };
    size_t count = 0;
    double first, last;
    char more;
    if (!wish)
        return true;
    if (sscanf(wish, "%lf:%lf:%zu%c", &first, &last, &count, &more) != 3 || !isfinite(first) ||
        !isfinite(last) || !(first < last) || count < 2 || count > MOST_POINTS)
        return complain(complaint, BAD_USAGE,
                        "predict: --grid: '%s'; expected FIRST:LAST:COUNT, such as 0:3:301, with "
                        "FIRST below LAST and COUNT from 2 to 10000",
                        wish);
    predict->grid = malloc(count * sizeof *predict->grid);
    if (!predict->grid)
        return complain_of_memory(complaint);
    for (size_t k = 0; k < count; k++) /* in decimals as short as those of the ends */
        predict->grid[k] =
            (first * (double)(count - 1 - k) + last * (double)k) / (double)(count - 1);
    snprintf(predict->note, sizeof predict->note, "density at %.60s (first:last:count)", wish);
    predict->predictions.points = count;
    predict->predictions.grid = predict->grid;
    predict->output.grid_note = predict->note;
    return true;
}

/* Options that models of the other kind have. */
static bool refuse_foreign(const struct predict *predict, const struct arguments *arguments,
                           struct complaint *complaint) {
    const struct task *task = predict->input.target.task;
    bool classes = task_has_classes(task);
    const char *option = !classes                            ? "parts"
                         : argument_given(arguments, "grid") ? "grid"
                                                             : "quantiles";
    if (classes && !task_has_one_class(task) && argument_given(arguments, "coverage"))
        option = "coverage";
    return !argument_given(arguments, option) ||
           complain(complaint, BAD_USAGE, "predict: --%s cannot be used: the model predicts %s",
                    option, task->many);
}

static bool read_coverage(struct predict *predict, const struct arguments *arguments,
                          struct complaint *complaint) {
    double share = 0.0;
    bool given = argument_given(arguments, "coverage");
    if (given && !argument_real(arguments, "coverage", 0.0, 1.0, &share, complaint))
        return false;
    predict->predictions.coverage = share;
    return !given || (share > 0.0 && share < 1.0) ||
           complain(complaint, BAD_USAGE,
                    "predict: --coverage: %g; expected a share between 0 "
                    "and 1, such as 0.9",
                    share);
}

static bool make_room(struct predict *predict, const struct arguments *arguments,
                      struct complaint *complaint) {
    bool classes = task_has_classes(predict->input.target.task);
    const struct {
        const char *option;
        unsigned arrays;
    } more[] = {{"grid", ASK_DENSITY},
                {"parts", ASK_MEASUREMENT | ASK_REST},
                {"latent", ASK_LATENT_MEAN | ASK_LATENT_DEVIATION},
                {"coverage", classes ? ASK_PLAUSIBILITY : ASK_INTERVAL},
                {"novelty", ASK_NOVELTY},
                {"typical", ASK_TYPICAL | ASK_FIT_WEIGHT}};
    unsigned arrays = classes ? ASK_P | ASK_ENTROPY : ASK_MEAN | ASK_DEVIATION | ASK_QUANTILE;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        arrays |= argument_given(arguments, more[i].option) ? more[i].arrays : 0;
    predict->output.model = predict->loaded.model;
    predict->output.shown = arrays;
    return predictions_ask(&predict->predictions, arrays) || complain_of_memory(complaint);
}

/* ---------------------------------------------------------------- blocks ---------------------- */

/* Each process of the team computes its share of the block. */
static bool compute(struct predict *predict, struct complaint *complaint) {
    size_t first, count = predict->input.rows.count, end = team_share(count, &first);
    struct predictions *all = &predict->predictions;
    struct predictions part = predictions_stretch(all, first, end - first);
    nim_data data = rows_stretch(&predict->input.rows, first, end);
    nim_error error;
    if (first < end && predictions_make(&part, predict->loaded.predictor, &data, &error) != NIM_OK)
        return file_complain(complaint, table_path(predict->input.table), &error);
    for (size_t k = 0; k < PREDICTED_ARRAYS; k++)
        if (all->value[k] && !team_gather(all->value[k], count,
                                          predictions_width(all, k) * sizeof(double), complaint))
            return false;
    return true;
}

static bool write_block(struct predict *predict, struct complaint *complaint) {
    return compute(predict, complaint) &&
           (!team_leads() || prediction_table_write(&predict->output, &predict->input.rows,
                                                    &predict->predictions, NULL, complaint));
}

/* Columns for which training kept nothing. */
static bool refuse_unlearned(const struct predict *predict, const struct arguments *arguments,
                             struct complaint *complaint) {
    const nim_model *model = predict->loaded.model;
    const char *path = argument_operand(arguments, 0);
    if (argument_given(arguments, "coverage") && !model_knows(model, "plausibility_rows"))
        return complain(complaint, BAD_USAGE,
                        "predict: --coverage cannot be used: no rows were held out in the training "
                        "of %s; train it again with --calibrate auto and at least 40 rows",
                        path);
    if (argument_given(arguments, "typical") &&
        !(model_knows(model, "panel_weights") && nim_model_classes(model)))
        return complain(complaint, BAD_USAGE,
                        "predict: --typical cannot be used: %s is one fit, without a panel "
                        "(option views)",
                        path);
    return !argument_given(arguments, "novelty") || model_knows(model, "novelty_quantiles") ||
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
    if (!team_can_read(table, complaint) ||
        !model_input_open(&predict->loaded, &predict->input, arguments, model, table,
                          TARGETS_IGNORED, complaint) ||
        !prior_apply(&predict->loaded, arguments, model, table, complaint))
        return false;
    predict->predictions = predictions_for(predict->loaded.model, 0, ROWS_BLOCK);
    return refuse_foreign(predict, arguments, complaint) &&
           read_levels(predict, arguments, complaint) && read_grid(predict, arguments, complaint) &&
           read_coverage(predict, arguments, complaint) &&
           refuse_unlearned(predict, arguments, complaint) &&
           make_room(predict, arguments, complaint) && rows_next(&predict->input.rows, complaint) &&
           (!team_leads() ||
            prediction_table_open(&predict->output, arguments, predict->input.table,
                                  &predict->predictions, complaint));
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
    if (!prediction_table_close(&predict->output, complaint))
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
    predictions_free(&predict.predictions);
    free(predict.level);
    free(predict.grid);
    prediction_table_free(&predict.output);
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
                "nimgp predict sine.nimgp sine/test.csv --quantiles 0.025,0.975\n"
                "# The density of redshifts on a grid, a vector in each row\n"
                "nimgp predict z.nimgp galaxies.fits --grid 0:3:301 -o p_z.fits\n",
    .many = true,
    .options = options,
    .run = run,
};
