/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp evaluate: how good predictions are where the classes are known. */
#include "applied.h"
#include "given.h"
#include "grid.h"
#include "json.h"
#include "metrics.h"
#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "label",
     .value = "COLUMN",
     .help = "The column of true classes; as in training unless given."},
    {.name = "json", .help = "One JSON object instead of text."},
    {.name = "probabilities",
     .value = "FILE",
     .help = "No MODEL: rate the columns p_CLASS of FILE, whose rows are those of TABLE.",
     .complete = COMPLETE_FILE},
    APPLIED_OPTIONS,
    {0}};

/* What is kept of the rows. */
struct rated {
    size_t rows, room, classes, attributes;
    double *p;         /* rows x classes */
    int32_t *class;    /* rows */
    double *x, *sigma; /* rows x attributes */
    double *noise;     /* rows: level of noise, once it is known */
    size_t *order;     /* rows, by noise */
};

enum { GROUPS = 3 };

struct group {
    double least, most; /* levels of noise */
    struct metrics metrics;
};

struct evaluation {
    const struct arguments *arguments;
    const char *rival; /* the file whose probabilities are rated */
    struct applied applied;
    struct given given; /* in place of a model */
    struct rated rated;
    struct metrics metrics;
    double *confusion; /* classes x classes */
    struct group group[GROUPS];
    size_t groups;
};

static const char *class_name(const struct evaluation *evaluation, size_t c) {
    return evaluation->applied.classes.name.item[c];
}

/* ---------------------------------------------------------------- predicting ------------------ */

static void *grown(void *array, size_t count, size_t size, bool *fine) {
    void *larger = *fine && count <= SIZE_MAX / size ? realloc(array, count * size) : NULL;
    *fine = larger != NULL;
    return larger ? larger : array;
}

static bool make_room(struct rated *rated, size_t more, struct complaint *complaint) {
    if (rated->rows + more <= rated->room)
        return true;
    size_t room = 2 * rated->room + ROWS_BLOCK, cell = sizeof(double);
    bool fine = true;
    rated->p = grown(rated->p, room, rated->classes * cell, &fine);
    rated->x = grown(rated->x, room, rated->attributes * cell + 1, &fine);
    rated->sigma = grown(rated->sigma, room, rated->attributes * cell + 1, &fine);
    rated->noise = grown(rated->noise, room, cell, &fine);
    rated->class = grown(rated->class, room, sizeof *rated->class, &fine);
    rated->order = grown(rated->order, room, sizeof *rated->order, &fine);
    if (fine)
        rated->room = room;
    return fine || complain(complaint, EXIT_NUMERICAL, "out of memory after %zu rows", rated->rows);
}

/* Probabilities of the block's rows into p. */
static bool predict_block(const struct evaluation *evaluation, double *p,
                          struct complaint *complaint) {
    const struct rows *rows = &evaluation->applied.rows;
    nim_data data = rows_data(rows);
    nim_prediction wanted = {.probabilities = p};
    nim_error error;
    return nim_predict(evaluation->applied.predictor, &data, &wanted, &error) == NIM_OK ||
           file_complain(complaint, table_path(rows->table), &error);
}

static bool look_up_block(const struct evaluation *evaluation, double *p,
                          struct complaint *complaint) {
    const struct rows *rows = &evaluation->applied.rows;
    const struct given *given = &evaluation->given;
    size_t classes = given->classes.count;
    for (size_t k = 0; k < rows->count; k++) {
        size_t row = rows->first + rows->place[k];
        if (row >= given->rows)
            return complain(complaint, EXIT_BAD_INPUT,
                            "%s: more rows than the %zu there are probabilities for",
                            table_path(rows->table), given->rows);
        memcpy(p + k * classes, given->p + row * classes, classes * sizeof *p);
    }
    return true;
}

static bool rate_block(struct evaluation *evaluation, struct complaint *complaint) {
    struct rated *rated = &evaluation->rated;
    const struct rows *rows = &evaluation->applied.rows;
    size_t cells = rows->count * rated->attributes, end = rated->rows * rated->attributes;
    if (!make_room(rated, rows->count, complaint))
        return false;
    double *p = rated->p + rated->rows * rated->classes;
    if (!(evaluation->applied.model ? predict_block : look_up_block)(evaluation, p, complaint))
        return false;
    memcpy(rated->x + end, rows->x, cells * sizeof *rated->x);
    memcpy(rated->sigma + end, rows->sigma, cells * sizeof *rated->sigma);
    memcpy(rated->class + rated->rows, rows->class, rows->count * sizeof *rated->class);
    rated->rows += rows->count;
    return true;
}

static bool rate_rows(struct evaluation *evaluation, struct complaint *complaint) {
    struct rows *rows = &evaluation->applied.rows;
    do {
        if (!rows_next(rows, complaint) || (rows->count && !rate_block(evaluation, complaint)))
            return false;
    } while (rows->count);
    if (rows_all_filtered(rows))
        return complain(complaint, EXIT_BAD_INPUT, "%s: no row meets --where",
                        table_path(rows->table));
    if (!evaluation->rated.rows)
        return complain(
            complaint, EXIT_BAD_INPUT,
            "%s: no row has a known class in column %s; expected %s, ...", table_path(rows->table),
            table_column(rows->table, (size_t)rows->label)->name, class_name(evaluation, 0));
    return true;
}

/* ---------------------------------------------------------------- by noise -------------------- */

/* Standard deviation of an attribute over the rows. */
static double deviation_of(const struct rated *rated, size_t j) {
    double count = 0.0, mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < rated->rows; i++) {
        double x = rated->x[i * rated->attributes + j], distance = x - mean;
        if (isnan(x))
            continue;
        mean += distance / ++count;
        squares += distance * (x - mean);
    }
    return count > 0.0 ? sqrt(squares / count) : 0.0;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Median of the errors of an attribute that are known. */
static double median_error(const struct rated *rated, size_t j, double *scratch) {
    size_t count = 0;
    for (size_t i = 0; i < rated->rows; i++) {
        double sigma = rated->sigma[i * rated->attributes + j];
        if (!isnan(sigma))
            scratch[count++] = sigma;
    }
    qsort(scratch, count, sizeof *scratch, by_size);
    return count ? 0.5 * scratch[(count - 1) / 2] + 0.5 * scratch[count / 2] : 0.0;
}

/*
 * A row's level of noise: the mean over attributes of error / deviation of the attribute in this
 * table. A missing value counts as 1, as far off as any; an unknown error as the median of those
 * that are known.
 */
static bool measure_noise(struct rated *rated, struct complaint *complaint) {
    double *scratch = malloc(rated->rows * sizeof *scratch);
    if (!scratch)
        return complain(complaint, EXIT_NUMERICAL, "out of memory");
    memset(rated->noise, 0, rated->rows * sizeof *rated->noise);
    for (size_t j = 0; j < rated->attributes; j++) {
        double deviation = deviation_of(rated, j), usual = median_error(rated, j, scratch);
        for (size_t i = 0; i < rated->rows; i++) {
            size_t cell = i * rated->attributes + j;
            double sigma = isnan(rated->sigma[cell]) ? usual : rated->sigma[cell];
            double level = isnan(rated->x[cell])            ? 1.0
                           : deviation > 0.0 && sigma > 0.0 ? sigma / deviation
                                                            : 0.0;
            rated->noise[i] += level / (double)rated->attributes;
        }
    }
    free(scratch);
    return true;
}

struct levelled {
    double noise;
    size_t row;
};

static int by_noise(const void *left, const void *right) {
    const struct levelled *a = left, *b = right;
    if (a->noise != b->noise)
        return a->noise < b->noise ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool sort_by_noise(struct rated *rated, struct complaint *complaint) {
    struct levelled *levelled = malloc(rated->rows * sizeof *levelled);
    if (!levelled)
        return complain(complaint, EXIT_NUMERICAL, "out of memory");
    for (size_t i = 0; i < rated->rows; i++)
        levelled[i] = (struct levelled){rated->noise[i], i};
    qsort(levelled, rated->rows, sizeof *levelled, by_noise);
    for (size_t i = 0; i < rated->rows; i++)
        rated->order[i] = levelled[i].row;
    free(levelled);
    return true;
}

/* Thirds of the rows by noise. Rows of the same level stay together, so that there is one group
 * when all are alike. */
static bool split_by_noise(struct evaluation *evaluation, struct complaint *complaint) {
    struct rated *rated = &evaluation->rated;
    if (!measure_noise(rated, complaint) || !sort_by_noise(rated, complaint))
        return false;
    const double *noise = rated->noise;
    const size_t *order = rated->order;
    for (size_t start = 0, g = 1; g <= GROUPS; g++) {
        size_t end = rated->rows * g / GROUPS;
        while (end && end < rated->rows && noise[order[end]] <= noise[order[end - 1]])
            end++;
        if (end <= start)
            continue;
        evaluation->group[evaluation->groups++] =
            (struct group){.least = noise[order[start]],
                           .most = noise[order[end - 1]],
                           .metrics = metrics_of(rated->classes, rated->p, rated->class,
                                                 end - start, order + start)};
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

static void print_score(struct grid *grid, const char *name, struct score score, double unit,
                        const char *remark) {
    grid_cell(grid, "%s", name);
    grid_cell(grid, "%.4g", unit * score.value);
    print_deviation(grid, 0, unit * score.deviation);
    grid_cell(grid, "%s", remark);
}

static void print_scores(const struct evaluation *evaluation) {
    const struct metrics *metrics = &evaluation->metrics;
    struct grid *grid = grid_create("lrrl");
    char remark[64];
    snprintf(remark, sizeof remark, "expected calibration error, %d bins", CALIBRATION_BINS);
    print_score(grid, "error", metrics->error, 100.0, "% of rows");
    print_score(grid, "NLL", metrics->nll, 1.0, "nats a row");
    print_score(grid, "Brier", metrics->brier, 1.0, "sum over classes");
    print_score(grid, "ECE", metrics->ece, 1.0, remark);
    grid_print(grid, stdout);
}

static void print_confusion(const struct evaluation *evaluation) {
    size_t classes = evaluation->rated.classes;
    char *alignment = malloc(classes + 4);
    if (!alignment)
        return;
    memset(alignment, 'r', classes + 3);
    alignment[0] = 'l';
    alignment[classes + 3] = '\0';
    struct grid *grid = grid_create(alignment);
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
    free(alignment);
}

static void print_groups(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrrrr");
    static const char *const head[] = {"noise level", "rows", "error", "", "NLL", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t g = 0; g < evaluation->groups; g++) {
        const struct group *group = &evaluation->group[g];
        if (group->least < group->most)
            grid_cell(grid, "%.3g to %.3g", group->least, group->most);
        else
            grid_cell(grid, "%.3g", group->least);
        grid_cell(grid, "%zu", group->metrics.rows);
        grid_cell(grid, "%.1f %%", 100.0 * group->metrics.error.value);
        print_deviation(grid, 1, 100.0 * group->metrics.error.deviation);
        grid_cell(grid, "%.3f", group->metrics.nll.value);
        print_deviation(grid, 3, group->metrics.nll.deviation);
    }
    grid_print(grid, stdout);
    puts("  (mean over features of error / deviation of the feature in this table)");
}

static void print_text(const struct evaluation *evaluation) {
    printf("%s on %s: %zu rows\n\n", evaluation->rival, table_path(evaluation->applied.table),
           evaluation->rated.rows);
    print_scores(evaluation);
    puts("");
    print_confusion(evaluation);
    if (evaluation->groups > 1) {
        puts("");
        print_groups(evaluation);
    }
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void write_score(struct json *json, const char *key, struct score score) {
    json_object(json, key);
    json_real(json, "value", score.value);
    json_real(json, "standard_error", score.deviation);
    json_close(json);
}

static void write_metrics(struct json *json, const struct metrics *metrics) {
    json_whole(json, "rows", metrics->rows);
    write_score(json, "error", metrics->error);
    write_score(json, "nll", metrics->nll);
    write_score(json, "brier", metrics->brier);
    write_score(json, "ece", metrics->ece);
}

/* Counts, shares of each true class's rows, and their standard errors. */
static void write_confusion(struct json *json, const struct evaluation *evaluation) {
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
    const struct applied *applied = &evaluation->applied;
    struct json json = json_start(stdout);
    json_object(&json, NULL);
    json_text(&json, "model", evaluation->rival);
    json_text(&json, "table", table_path(applied->table));
    json_array(&json, "classes");
    for (size_t c = 0; c < evaluation->rated.classes; c++)
        json_text(&json, NULL, class_name(evaluation, c));
    json_close(&json);
    write_metrics(&json, &evaluation->metrics);
    json_object(&json, "left_out");
    json_whole(&json, "no_label", applied->rows.unlabelled);
    json_whole(&json, "other_classes", applied->rows.other_class);
    json_close(&json);
    json_whole(&json, "ece_bins", CALIBRATION_BINS);
    write_confusion(&json, evaluation);
    json_array(&json, "by_noise");
    for (size_t g = 0; g < evaluation->groups; g++) {
        json_object(&json, NULL);
        json_real(&json, "least", evaluation->group[g].least);
        json_real(&json, "most", evaluation->group[g].most);
        write_metrics(&json, &evaluation->group[g].metrics);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool rate(struct evaluation *evaluation, struct complaint *complaint) {
    struct rated *rated = &evaluation->rated;
    rated->classes = evaluation->applied.classes.name.count;
    rated->attributes = evaluation->applied.columns.count;
    if (!rate_rows(evaluation, complaint))
        return false;
    evaluation->confusion = calloc(rated->classes * rated->classes, sizeof(double));
    if (!evaluation->confusion)
        return complain(complaint, EXIT_NUMERICAL, "out of memory");
    evaluation->metrics = metrics_of(rated->classes, rated->p, rated->class, rated->rows, NULL);
    confusion_of(rated->classes, rated->p, rated->class, rated->rows, evaluation->confusion);
    return !rated->attributes || split_by_noise(evaluation, complaint);
}

static void free_rated(struct rated *rated) {
    free(rated->p);
    free(rated->class);
    free(rated->x);
    free(rated->sigma);
    free(rated->noise);
    free(rated->order);
}

static bool open_rows(struct evaluation *evaluation, struct complaint *complaint) {
    const struct arguments *arguments = evaluation->arguments;
    const char *probabilities = argument_text(arguments, "probabilities");
    const char *first = argument_operand(arguments, 0), *second = argument_operand(arguments, 1);
    evaluation->rival = probabilities ? probabilities : first;
    if (!probabilities && second)
        return applied_open(&evaluation->applied, arguments, first, second, true, complaint);
    if (!probabilities || second)
        return complain(complaint, EXIT_USAGE, "evaluate: %s",
                        second ? "expected TABLE alone with --probabilities"
                               : "TABLE is missing; usage: nimgp evaluate MODEL TABLE");
    return given_read(&evaluation->given, probabilities, complaint) &&
           applied_open_table(&evaluation->applied, arguments, &evaluation->given.classes, first,
                              complaint);
}

/* The same name and number of rows: nobody who rates a model on its own lesson should be proud. */
static void warn_of_own_lesson(const struct evaluation *evaluation) {
    const nim_model *model = evaluation->applied.model;
    const char *table = model ? nim_model_note(model, NOTE_TABLE) : NULL;
    const char *held = model ? nim_model_note(model, NOTE_HELD_OUT) : NULL;
    if (!table || strcmp(table, file_name(table_path(evaluation->applied.table))) != 0)
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
        applied_say_tally(&evaluation.applied);
        warn_of_own_lesson(&evaluation);
        if (argument_given(arguments, "json"))
            print_json(&evaluation);
        else
            print_text(&evaluation);
    }
    free(evaluation.confusion);
    free_rated(&evaluation.rated);
    given_free(&evaluation.given);
    applied_close(&evaluation.applied);
    return fine;
}

const struct command command_evaluate = {
    .name = "evaluate",
    .summary = "How good a model's predictions are",
    .operands = "MODEL TABLE",
    .least_operands = 1,
    .most_operands = 2,
    .description =
        "Predicts the rows of TABLE, whose classes are known, and compares: share of wrong "
        "predictions, mean negative log probability of the true class (NLL), Brier score, "
        "expected calibration error (ECE), each with its standard error, and which classes are "
        "taken for which. Rows are also divided in thirds by how noisy they are.\n"
        "\n"
        "Standard errors are those of a mean over rows; that of ECE is found by leaving out each "
        "row in turn.",
    .examples = "# Text for people\n"
                "nimgp evaluate toy.nimgp test.csv\n"
                "# One figure for a script\n"
                "nimgp evaluate toy.nimgp test.csv --json | jq .nll.value\n",
    .options = options,
    .run = run,
};
