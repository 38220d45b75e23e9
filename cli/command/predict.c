/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp predict: predicts the rows of a table, block by block. */
#include "cli/rows/input_report.h"
#include "cli/rows/model_input.h"
#include "cli/command/output_table.h"
#include "cli/command/prediction_columns.h"
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
     .help = "Add the two parts of the entropy: by how much exact measurements of the row would "
             "reduce it, and the rest. Not for numbers and counts."},
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
    struct output_table output;
    struct prediction_columns columns;
    double *level; /* of quantiles */
    double *grid;  /* of densities */
    char note[96]; /* what a vector of them is */
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
        predict->level[predict->columns.levels++] = level;
    }
    name_list_free(&texts);
    predict->columns.level = predict->level;
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
    predict->columns.points = count;
    predict->columns.grid = predict->grid;
    predict->columns.grid_note = predict->note;
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
    predict->columns.coverage = share;
    return !given || (share > 0.0 && share < 1.0) ||
           complain(complaint, BAD_USAGE,
                    "predict: --coverage: %g; expected a share between 0 "
                    "and 1, such as 0.9",
                    share);
}

static bool make_room(struct predict *predict, const struct arguments *arguments,
                      struct complaint *complaint) {
    struct prediction_columns *columns = &predict->columns;
    bool *wanted = columns->wanted, fine = true;
    columns->model = predict->loaded.model;
    bool classes = task_has_classes(predict->input.target.task);
    wanted[PROBABILITY] = wanted[PREDICTED] = wanted[ENTROPY] = classes;
    wanted[MEAN] = wanted[DEVIATION] = wanted[QUANTILE] = !classes;
    wanted[DENSITY] = columns->points > 0;
    wanted[MEASUREMENT] = wanted[REST] = argument_given(arguments, "parts");
    wanted[LATENT_MEAN] = wanted[LATENT_DEVIATION] = argument_given(arguments, "latent");
    wanted[classes ? PLAUSIBILITY : INTERVAL] = argument_given(arguments, "coverage");
    wanted[NOVELTY] = argument_given(arguments, "novelty");
    wanted[TYPICAL] = wanted[FIT_WEIGHT] = argument_given(arguments, "typical");
    for (int part = 0; part < PREDICTION_PARTS; part++) {
        size_t width = wanted[part] ? prediction_width(columns, part) : 0;
        columns->value[part] = width ? calloc(ROWS_BLOCK * width, sizeof(double)) : NULL;
        fine = fine && (columns->value[part] || !width);
    }
    return fine || complain_of_memory(complaint);
}

static bool open_output(struct predict *predict, const struct arguments *arguments,
                        struct complaint *complaint) {
    struct prediction_columns *columns = &predict->columns;
    const char *path = argument_text(arguments, "output");
    columns->vectors = table_writer_has_vectors(path);
    return prediction_columns_list(columns, complaint) &&
           output_table_choose(&predict->output, arguments, predict->input.table, columns->count,
                               columns->column, complaint) &&
           file_check_apart(path, argument_operand(arguments, 0), complaint) &&
           file_check_apart(path, argument_operand(arguments, 1), complaint) &&
           output_table_open(&predict->output, path, 0, columns->count, columns->column, complaint);
}

/* ---------------------------------------------------------------- blocks ---------------------- */

/* Rows first .. end-1 of the block. */
static bool compute_rows(struct predict *predict, size_t first, size_t end,
                         struct complaint *complaint) {
    nim_data data = rows_stretch(&predict->input.rows, first, end);
    nim_prediction wanted = prediction_columns_request(&predict->columns, first);
    nim_error error;
    return first == end ||
           nim_predict(predict->loaded.predictor, &data, &wanted, &error) == NIM_OK ||
           file_complain(complaint, table_path(predict->input.table), &error);
}

/* Each process of the team computes its share of the block. */
static bool compute(struct predict *predict, struct complaint *complaint) {
    size_t first, count = predict->input.rows.count, end = team_share(count, &first);
    struct prediction_columns *columns = &predict->columns;
    if (!compute_rows(predict, first, end, complaint))
        return false;
    for (int part = 0; part < PREDICTION_PARTS; part++)
        if (columns->value[part] &&
            !team_gather(columns->value[part], count,
                         prediction_width(columns, part) * sizeof(double), complaint))
            return false;
    prediction_columns_complete(columns, count);
    return true;
}

static bool write_block(struct predict *predict, struct complaint *complaint) {
    struct table_writer *writer = predict->output.writer;
    const struct rows *rows = &predict->input.rows;
    if (!compute(predict, complaint))
        return false;
    for (size_t k = 0; team_leads() && k < rows->count; k++)
        if (!output_table_copy(&predict->output, rows->place[k], complaint) ||
            !prediction_columns_write(&predict->columns, k, writer, complaint) ||
            !table_write_end(writer, complaint))
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
    if (argument_given(arguments, "typical") &&
        !(has_learned(model, "panel_weights") && nim_model_classes(model)))
        return complain(complaint, BAD_USAGE,
                        "predict: --typical cannot be used: %s is one fit, without a panel "
                        "(option views)",
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
           read_levels(predict, arguments, complaint) && read_grid(predict, arguments, complaint) &&
           read_coverage(predict, arguments, complaint) &&
           refuse_unlearned(predict, arguments, complaint) &&
           make_room(predict, arguments, complaint) && rows_next(&predict->input.rows, complaint) &&
           (!team_leads() || open_output(predict, arguments, complaint));
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
    if (!output_table_close(&predict->output, complaint))
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
    for (int part = 0; part < PREDICTION_PARTS; part++)
        free(predict.columns.value[part]);
    free(predict.level);
    free(predict.grid);
    prediction_columns_free(&predict.columns);
    output_table_free(&predict.output);
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
