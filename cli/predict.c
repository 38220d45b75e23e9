/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp predict: class probabilities of a table's rows, block by block. */
#include "applied.h"
#include "kept.h"
#include "metrics.h"
#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .fallback = "-",
     .help = "Where the predictions go: standard output unless given; CSV, or what the name says "
             "(.tsv, .fits, .csv.gz).",
     .complete = COMPLETE_FILE},
    KEEP_OPTIONS,
    {.name = "parts",
     .help = "Add what the entropy consists of: what exact measurements would remove, what a "
             "perfect model would remove then, and label noise."},
    {.name = "latent", .help = "Add mean and deviation of each class's latent function."},
    APPLIED_OPTIONS,
    {0}};

/* One block's results. */
struct results {
    size_t classes;
    double *p, *entropy;         /* ROWS_BLOCK x classes, ROWS_BLOCK */
    double *measurement, *model; /* ROWS_BLOCK, or NULL */
    double *mean, *variance;     /* ROWS_BLOCK x classes, or NULL */
};

struct predict {
    struct applied applied;
    struct kept kept;
    struct results results;
    size_t columns; /* of the output that are ours */
    struct column *column;
    char *names; /* of these columns */
    struct table_writer *writer;
};

/* ---------------------------------------------------------------- what is written ------------- */

/* The columns with names of their own making: one for each class. */
static const char *const per_class[] = {"p_", "mean_", "deviation_"};

static size_t class_columns(const struct arguments *arguments) {
    return argument_given(arguments, "latent") ? 3 : 1;
}

static void add_class_columns(struct predict *predict, const char *prefix, size_t room) {
    const nim_model *model = predict->applied.model;
    for (size_t c = 0; c < nim_model_classes(model); c++) {
        char *name = predict->names + predict->columns * room;
        snprintf(name, room, "%s%s", prefix, nim_model_class_name(model, c));
        predict->column[predict->columns++] = (struct column){.name = name, .kind = COLUMN_NUMBER};
    }
}

static bool list_columns(struct predict *predict, const struct arguments *arguments,
                         struct complaint *complaint) {
    size_t longest = applied_class_width(&predict->applied), room = longest + sizeof "deviation_";
    size_t most = 3 * nim_model_classes(predict->applied.model) + 5;
    predict->column = calloc(most, sizeof *predict->column);
    predict->names = calloc(most, room);
    if (!predict->column || !predict->names)
        return complain(complaint, EXIT_NUMERICAL, "out of memory");
    struct column *column = predict->column;
    add_class_columns(predict, per_class[0], room);
    column[predict->columns++] =
        (struct column){.name = "predicted", .kind = COLUMN_TEXT, .width = longest};
    column[predict->columns++] = (struct column){.name = "entropy", .kind = COLUMN_NUMBER};
    static const char *const parts[] = {"entropy_measurement", "entropy_model", "entropy_label"};
    for (size_t i = 0; argument_given(arguments, "parts") && i < 3; i++)
        column[predict->columns++] = (struct column){.name = parts[i], .kind = COLUMN_NUMBER};
    for (size_t i = 1; i < class_columns(arguments); i++)
        add_class_columns(predict, per_class[i], room);
    return true;
}

static bool open_writer(struct predict *predict, const struct arguments *arguments,
                        struct complaint *complaint) {
    struct kept *kept = &predict->kept;
    const char *path = argument_text(arguments, "output");
    if (!list_columns(predict, arguments, complaint) ||
        !kept_choose(kept, arguments, predict->applied.table, predict->columns, predict->column,
                     complaint) ||
        !file_check_apart(path, argument_operand(arguments, 1), complaint))
        return false;
    struct column *all = calloc(kept->count + predict->columns, sizeof *all);
    if (!all)
        return complain(complaint, EXIT_NUMERICAL, "out of memory");
    for (size_t i = 0; i < kept->count; i++)
        all[i] = *table_column(predict->applied.table, kept->column[i]);
    memcpy(all + kept->count, predict->column, predict->columns * sizeof *all);
    predict->writer =
        table_writer_open(path, TABLE_ANY, kept->count + predict->columns, all, complaint);
    free(all);
    return predict->writer != NULL;
}

/* ---------------------------------------------------------------- blocks ---------------------- */

static bool make_room(struct predict *predict, const struct arguments *arguments,
                      struct complaint *complaint) {
    struct results *results = &predict->results;
    bool parts = argument_given(arguments, "parts"), latent = argument_given(arguments, "latent");
    size_t classes = results->classes = nim_model_classes(predict->applied.model);
    results->p = calloc(ROWS_BLOCK * classes, sizeof(double));
    results->entropy = calloc(ROWS_BLOCK, sizeof(double));
    results->measurement = parts ? calloc(ROWS_BLOCK, sizeof(double)) : NULL;
    results->model = parts ? calloc(ROWS_BLOCK, sizeof(double)) : NULL;
    results->mean = latent ? calloc(ROWS_BLOCK * classes, sizeof(double)) : NULL;
    results->variance = latent ? calloc(ROWS_BLOCK * classes, sizeof(double)) : NULL;
    return (results->p && results->entropy &&
            (!parts || (results->measurement && results->model)) &&
            (!latent || (results->mean && results->variance))) ||
           complain(complaint, EXIT_NUMERICAL, "out of memory");
}

static void free_room(struct results *results) {
    free(results->p);
    free(results->entropy);
    free(results->measurement);
    free(results->model);
    free(results->mean);
    free(results->variance);
}

static bool compute(struct predict *predict, struct complaint *complaint) {
    const struct results *results = &predict->results;
    nim_data data = rows_data(&predict->applied.rows);
    nim_prediction wanted = {.probabilities = results->p,
                             .entropy = results->entropy,
                             .latent_mean = results->mean,
                             .latent_variance = results->variance,
                             .measurement_part = results->measurement,
                             .model_part = results->model};
    nim_error error;
    return nim_predict(predict->applied.predictor, &data, &wanted, &error) == NIM_OK ||
           file_complain(complaint, table_path(predict->applied.table), &error);
}

/* As text, numbers too, so that they keep all their digits. */
static bool write_kept(struct predict *predict, size_t place, struct complaint *complaint) {
    const struct kept *kept = &predict->kept;
    for (size_t i = 0; i < kept->count; i++) {
        struct span cell;
        if (!table_text(predict->applied.table, place, kept->column[i], &cell, complaint) ||
            !table_write_text(predict->writer, cell, complaint))
            return false;
    }
    return true;
}

static bool write_numbers(struct table_writer *writer, const double *value, size_t count,
                          struct complaint *complaint) {
    for (size_t i = 0; i < count; i++)
        if (!table_write_number(writer, value[i], complaint))
            return false;
    return true;
}

static bool write_latent(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct results *results = &predict->results;
    size_t classes = results->classes;
    if (!results->mean)
        return true;
    if (!write_numbers(predict->writer, results->mean + k * classes, classes, complaint))
        return false;
    for (size_t c = 0; c < classes; c++)
        if (!table_write_number(predict->writer, sqrt(results->variance[k * classes + c]),
                                complaint))
            return false;
    return true;
}

static bool write_parts(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct results *results = &predict->results;
    if (!results->model)
        return true;
    double measurement = results->measurement[k], model = results->model[k];
    double parts[] = {measurement, model, results->entropy[k] - measurement - model};
    return write_numbers(predict->writer, parts, 3, complaint);
}

static bool write_row(struct predict *predict, size_t k, struct complaint *complaint) {
    const struct results *results = &predict->results;
    const double *p = results->p + k * results->classes;
    const char *predicted =
        nim_model_class_name(predict->applied.model, most_probable(results->classes, p));
    return write_kept(predict, predict->applied.rows.place[k], complaint) &&
           write_numbers(predict->writer, p, results->classes, complaint) &&
           table_write_text(predict->writer, (struct span){predicted, strlen(predicted)},
                            complaint) &&
           table_write_number(predict->writer, results->entropy[k], complaint) &&
           write_parts(predict, k, complaint) && write_latent(predict, k, complaint) &&
           table_write_end(predict->writer, complaint);
}

static bool write_block(struct predict *predict, struct complaint *complaint) {
    if (!compute(predict, complaint))
        return false;
    for (size_t k = 0; k < predict->applied.rows.count; k++)
        if (!write_row(predict, k, complaint))
            return false;
    return true;
}

static bool stream(struct predict *predict, const struct arguments *arguments,
                   struct complaint *complaint) {
    struct rows *rows = &predict->applied.rows;
    /* The first rows come before the output, so that a table that is none leaves nothing. */
    if (!applied_open(&predict->applied, arguments, argument_operand(arguments, 0),
                      argument_operand(arguments, 1), false, complaint) ||
        !rows_next(rows, complaint) || !open_writer(predict, arguments, complaint) ||
        !make_room(predict, arguments, complaint))
        return false;
    while (rows->count)
        if (!write_block(predict, complaint) || !rows_next(rows, complaint))
            return false;
    applied_say_tally(&predict->applied);
    struct table_writer *writer = predict->writer;
    predict->writer = NULL;
    if (!table_writer_close(writer, complaint))
        return false;
    const char *path = argument_text(arguments, "output");
    size_t written = rows->seen - rows->filtered;
    if (strcmp(path, "-") != 0)
        say(arguments, "%zu row%s in %s", written, plain_plural(written), path);
    return true;
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct predict predict = {0};
    bool fine = stream(&predict, arguments, complaint);
    table_writer_abandon(predict.writer);
    free_room(&predict.results);
    free(predict.column);
    free(predict.names);
    kept_free(&predict.kept);
    applied_close(&predict.applied);
    return fine;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "Class probabilities of a table's rows",
    .operands = "MODEL TABLE",
    .least_operands = 2,
    .most_operands = 2,
    .description =
        "Writes a row for each row of TABLE: the probability p_CLASS of every class, the most "
        "probable class as 'predicted', and the entropy of the probabilities in nats. Features and "
        "their errors are found by name; the order of columns does not matter. Rows are read, "
        "predicted and written in blocks, so a table may be of any size, or a pipe.",
    .examples = "# Predictions beside the columns of the table\n"
                "nimgp predict toy.nimgp test.csv --keep -o predicted.csv\n"
                "# The sources of a catalogue that have no class yet, as FITS\n"
                "nimgp predict agn.nimgp gll_psc_v27.fit.gz --where \"CLASS1 = ''\" \\\n"
                "    --keep-only Source_Name -o unassociated.fits\n",
    .options = options,
    .run = run,
};
