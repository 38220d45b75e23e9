/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp simulate: writes simulated tables with known best predictions. */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal/command.h"
#include "generate/mock.h"
#include "cli/terminal/interrupt.h"
#include "text/nearest.h"
#include "text/ascii.h"
#include "table/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

/* ---------------------------------------------------------------- the problem ----------------- */

enum problem { TOY, SYNTHETIC, CATALOGUE, FIRST_WAVE, PROBLEMS = FIRST_WAVE + WAVE_KINDS };

/* Their names, and which of the options below they have. */
static const struct {
    const char *name, *options;
} problem[PROBLEMS] = {
    {"toy", "classes lengthscale"},
    {"synthetic", "dims classes lengthscale"},
    {"catalogue", "worse missing measured"},
    {"sine", ""},
    {"counts", ""},
    {"ordinal", ""},
};

static bool find_problem(const struct arguments *arguments, enum problem *which,
                         struct complaint *complaint) {
    static const char *const only_some[] = {"worse", "missing", "measured",
                                            "dims",  "classes", "lengthscale"};
    const char *kind = argument_operand(arguments, 0);
    struct nearest nearest = {.word = kind};
    for (*which = 0; *which < PROBLEMS && strcmp(kind, problem[*which].name) != 0; ++*which)
        nearest_try(&nearest, problem[*which].name);
    if (*which == PROBLEMS)
        return complain(complaint, BAD_USAGE,
                        "simulate: '%s' is not one of toy, synthetic, catalogue, sine, counts, "
                        "ordinal%s%s%s",
                        kind, nearest.found ? "; did you mean " : "",
                        nearest.found ? nearest.found : "", nearest.found ? "?" : "");
    for (size_t i = 0; i < sizeof only_some / sizeof *only_some; i++)
        if (argument_given(arguments, only_some[i]) &&
            !strstr(problem[*which].options, only_some[i]))
            return complain(complaint, BAD_USAGE, "simulate: %s has no --%s", kind, only_some[i]);
    return true;
}

static bool make_synthetic(const struct arguments *arguments, struct synthetic_settings settings,
                           struct mock *mock, struct complaint *complaint) {
    double lengthscale = sqrt(settings.lambda_square);
    if ((argument_given(arguments, "classes") &&
         !argument_whole(arguments, "classes", 2, 100, &settings.classes, complaint)) ||
        (argument_given(arguments, "dims") &&
         !argument_whole(arguments, "dims", 1, 100, &settings.dims, complaint)) ||
        (argument_given(arguments, "noise-var") &&
         !argument_real(arguments, "noise-var", 0.0, 1e6, &settings.noise, complaint)) ||
        (argument_given(arguments, "lengthscale") &&
         !argument_real(arguments, "lengthscale", 0.1, 1e3, &lengthscale, complaint)))
        return false;
    if (argument_given(arguments, "lengthscale"))
        settings.lambda_square = lengthscale * lengthscale;
    return mock_synthetic(mock, &settings) || complain_of_memory(complaint);
}

/* The place of an option's value in the list of its choices. */
static int place_of_choice(const struct arguments *arguments, const char *option,
                           const char *const *choice) {
    const char *wanted = argument_text(arguments, option);
    int place = 0;
    while (choice[place] && strcmp(wanted, choice[place]) != 0)
        place++;
    return place;
}

static bool make_mock(const struct arguments *arguments, struct mock *mock,
                      struct complaint *complaint) {
    static const char *const missing[] = {"few", "random", "faint", NULL};
    static const char *const measured[] = {"plain", "correlated", "lopsided", "limits", NULL};
    size_t seed;
    double noise = 1.0;
    enum problem which;
    if (!argument_whole(arguments, "seed", 0, SIZE_MAX, &seed, complaint) ||
        !find_problem(arguments, &which, complaint))
        return false;
    if (which == TOY || which == SYNTHETIC)
        return make_synthetic(arguments, which == TOY ? synthetic_toy(seed) : synthetic_paper(seed),
                              mock, complaint);
    if (argument_given(arguments, "noise-var") &&
        !argument_real(arguments, "noise-var", 1e-6, 100.0, &noise, complaint))
        return false;
    if (which == CATALOGUE)
        mock_catalogue(mock, seed, noise, place_of_choice(arguments, "missing", missing),
                       place_of_choice(arguments, "measured", measured));
    else
        mock_wave(mock, (enum wave_kind)(which - FIRST_WAVE), seed, noise);
    return true;
}

/* ---------------------------------------------------------------- the files ------------------- */

enum { TRAIN, TEST, BAYES, UNLABELLED, FILES };

/* What is written, and how it went. */
struct files {
    const struct arguments *arguments;
    struct mock *mock;
    const char *directory;
    struct table_writer *writer[FILES];
    size_t rows, test_rows;
    double worse;              /* factor to errors of all rows but those to learn from */
    size_t seen[MOCK_MOST];    /* training rows of each class */
    double nll, wrong, square; /* of the optimal prediction */
};

/* A file with the first columns of a table. */
static struct table_writer *open_file(const struct files *files, const char *name,
                                      const struct mock_table *table, size_t columns,
                                      struct complaint *complaint) {
    char path[PATH];
    struct column column[MOCK_COLUMNS];
    int length = snprintf(path, sizeof path, "%s/%s", files->directory, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        complain(complaint, BAD_USAGE, "simulate: the name of the directory is too long");
        return NULL;
    }
    for (size_t i = 0; i < columns; i++)
        column[i] = (struct column){.name = table->column[i].name,
                                    .unit = table->column[i].unit,
                                    .kind = table->column[i].text ? COLUMN_TEXT : COLUMN_NUMBER};
    return table_writer_open(path, TABLE_CSV, columns, column, complaint);
}

static bool open_files(struct files *files, struct complaint *complaint) {
    static const char *const name[] = {"train.csv", "test.csv", "bayes.csv", "unlabelled.csv"};
    size_t count = files->mock->has_id ? FILES : UNLABELLED;
    for (size_t i = 0; i < count; i++) {
        const struct mock_table *table = i == BAYES ? &files->mock->best : &files->mock->rows;
        files->writer[i] =
            open_file(files, name[i], table, table->columns - (i == UNLABELLED), complaint);
        if (!files->writer[i])
            return false;
    }
    return true;
}

/* mkdir -p */
static bool make_directory(const char *directory, struct complaint *complaint) {
    char path[PATH];
    size_t length = strlen(directory);
    if (!length || length >= sizeof path)
        return complain(complaint, BAD_USAGE,
                        "simulate: --out: '%s' is not a valid name for a directory", directory);
    for (size_t i = 1; i <= length; i++) {
        if (directory[i] != '/' && directory[i] != '\0')
            continue;
        memcpy(path, directory, i);
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return complain(complaint, BAD_INPUT, "%s: cannot create the directory: %s", path,
                            strerror(errno));
    }
    struct stat status;
    if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is not a directory", directory);
    return true;
}

/* ---------------------------------------------------------------- the rows -------------------- */

static bool write_row(const struct mock_table *table, size_t columns, struct table_writer *writer,
                      struct complaint *complaint) {
    for (size_t i = 0; i < columns; i++) {
        const struct mock_column *column = &table->column[i];
        if (column->text)
            table_write_text(writer, span_of(*column->text));
        else
            table_write_number(writer, *column->number);
    }
    return table_write_end(writer, complaint);
}

static void rate_answer(struct files *files, double log_density) {
    const struct mock *mock = files->mock;
    double share = 1.0 / (double)files->test_rows, miss = mock->y - mock->answer[0];
    size_t best = 0;
    for (size_t c = 0; c < mock->classes; c++)
        best = mock->answer[c] > mock->answer[best] ? c : best;
    files->nll -= log_density * share;
    files->wrong += (best != (size_t)mock->label) * share;
    files->square += miss * miss * share;
}

static bool write_bayes(struct files *files, struct complaint *complaint) {
    double log_density;
    if (!mock_bayes(files->mock, &log_density))
        return complain_of_memory(complaint);
    rate_answer(files, log_density);
    return write_row(&files->mock->best, files->mock->best.columns, files->writer[BAYES],
                     complaint);
}

static bool write_table(struct files *files, size_t which, size_t rows,
                        struct complaint *complaint) {
    const struct mock_table *table = &files->mock->rows;
    for (size_t i = 0; files->writer[which] && i < rows; i++) {
        if (interrupted())
            return complain(complaint, INTERRUPTED, "interrupted");
        mock_next(files->mock);
        if (!write_row(table, table->columns - (which == UNLABELLED), files->writer[which],
                       complaint) ||
            (which == TEST && !write_bayes(files, complaint)))
            return false;
        if (files->mock->classes)
            files->seen[files->mock->label] += which == TRAIN;
    }
    return true;
}

static bool write_all(struct files *files, struct complaint *complaint) {
    if (!write_table(files, TRAIN, files->rows, complaint))
        return false;
    files->mock->catalogue.worse = files->worse;
    return write_table(files, TEST, files->test_rows, complaint) &&
           write_table(files, UNLABELLED, files->test_rows, complaint);
}

/* Closing puts a file in its place; none is before all are whole. */
static bool close_all(struct files *files, struct complaint *complaint) {
    for (size_t i = 0; i < FILES; i++) {
        struct table_writer *mine = files->writer[i];
        files->writer[i] = NULL;
        if (mine && !table_writer_close(mine, complaint))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the command ----------------- */

static void report(const struct files *files) {
    const struct arguments *arguments = files->arguments;
    say(arguments, "%s/train.csv: %zu training row%s", files->directory, files->rows,
        plural_s(files->rows));
    say(arguments, "%s/test.csv: %zu test row%s", files->directory, files->test_rows,
        plural_s(files->test_rows));
    if (files->mock->has_id)
        say(arguments, "%s/unlabelled.csv: %zu row%s without a class", files->directory,
            files->test_rows, plural_s(files->test_rows));
    char how[64] = "", miss[64];
    size_t draws = mock_draws(files->mock);
    bool classes = files->mock->classes;
    if (draws)
        snprintf(how, sizeof how, ", estimated from %zu draws per row", draws);
    if (classes)
        snprintf(miss, sizeof miss, "%.1f %% wrong", 100.0 * files->wrong);
    else
        snprintf(miss, sizeof miss, "RMSE %.4g", sqrt(files->square));
    say(arguments, "%s/bayes.csv: the best possible %s of the test rows%s: NLL %.4f, %s",
        files->directory, classes ? "probabilities" : "predictions", how, files->nll, miss);
    for (size_t c = 0; c < files->mock->classes; c++)
        if (!files->seen[c])
            say(arguments, "note: no training row is of class %s; try another --seed",
                files->mock->class_name[c]);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct mock mock = {0};
    struct files files = {.arguments = arguments, .mock = &mock};
    files.directory = argument_text(arguments, "out");
    if (!files.directory)
        return complain(complaint, BAD_USAGE,
                        "simulate: no output directory is given; use --out DIR");
    bool good =
        argument_whole(arguments, "rows", 1, 1000000000, &files.rows, complaint) &&
        argument_whole(arguments, "test-rows", 1, 1000000000, &files.test_rows, complaint) &&
        argument_real(arguments, "worse", 1.0, 1000.0, &files.worse, complaint) &&
        make_mock(arguments, &mock, complaint) && make_directory(files.directory, complaint) &&
        open_files(&files, complaint) && write_all(&files, complaint) &&
        close_all(&files, complaint);
    if (good)
        report(&files);
    for (size_t i = 0; i < FILES; i++)
        table_writer_abandon(files.writer[i]);
    mock_free(&mock);
    return good;
}

static const struct option options[] = {
    {.name = "out",
     .letter = 'o',
     .value = "DIR",
     .help = "Directory for the files; created if it does not exist. Existing files are replaced."},
    {.name = "rows", .value = "N", .help = "Number of training rows.", .fallback = "1000"},
    {.name = "test-rows", .value = "N", .help = "Number of test rows.", .fallback = "1000"},
    {.name = "dims",
     .value = "N",
     .help = "For synthetic: number of attributes, 1 to 100; default 2."},
    {.name = "classes",
     .value = "N",
     .help = "For toy and synthetic: number of classes, 2 to 100; default 3."},
    {.name = "lengthscale",
     .value = "L",
     .help = "For toy and synthetic: lengthscale of the functions, 0.1 to 1000; the larger, the "
             "smoother they are and the easier the problem. Default 1 for toy and the square root "
             "of 2 for synthetic."},
    {.name = "noise-var",
     .value = "V",
     .help = "Variance of the measurement errors; default 0.1 for toy and 0.25 for synthetic. For "
             "the other problems: a factor that multiplies the variances; default 1."},
    {.name = "worse",
     .value = "K",
     .help = "For catalogue: a factor from 1 to 1000. The sources of test.csv and unlabelled.csv "
             "are measured again, with errors K times as large.",
     .fallback = "1"},
    {.name = "missing",
     .value = "KIND",
     .help = "For catalogue: which cells are missing, in all tables. few: 5 %, at random. random: "
             "30 %, at random. faint: 30 %, more often in faint sources, so that a missing cell is "
             "informative about the class.",
     .values = "few, random, faint",
     .fallback = "few"},
    {.name = "measured",
     .value = "KIND",
     .help = "For catalogue: errors of spectral index, curvature and variability. plain: 1-sigma "
             "errors. correlated: errors and their correlations. lopsided: upper and lower errors. "
             "limits: small curvatures and variabilities are listed as upper limits.",
     .values = "plain, correlated, lopsided, limits",
     .fallback = "plain"},
    {.name = "seed",
     .value = "N",
     .help = "Seed of the random numbers; the same seed gives the same files.",
     .fallback = "0"},
    {0},
};

const struct command command_simulate = {
    .name = "simulate",
    .summary = "Writes simulated tables with known best predictions",
    .operands = "toy|synthetic|catalogue|sine|counts|ordinal --out DIR",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Writes DIR/train.csv and DIR/test.csv with the columns x1, ..., x1_err, ..., class, and "
        "DIR/bayes.csv with the optimal probabilities p_CLASS of the test rows. No method can do "
        "better on average.\n\n"
        "toy: one attribute, uniform in [-3, 3], with errors of variance 0.1, and three classes. "
        "The class is given by the largest of three functions drawn from a Gaussian process.\n\n"
        "synthetic: the same with two attributes (or --dims) in the box [-2.5, 2.5] and errors of "
        "variance 0.25. The optimal probabilities are computed on a fine grid in one or two "
        "dimensions. For more dimensions, and for very small errors, they are estimated from "
        "random draws, and a message says so.\n\n"
        "catalogue: three kinds of sources with flux, spectral index, curvature, variability and "
        "latitude. Errors depend on the flux, faint sources are not listed, some cells and some "
        "errors are missing, and the latitude has no errors. Also writes DIR/unlabelled.csv, with "
        "as many rows as the test table, without the class. With --worse K the errors in test.csv "
        "and unlabelled.csv are K times as large as in train.csv. With --missing random or faint "
        "more cells are missing. With --measured the errors are correlated (columns such as "
        "curvature_variability_corr) or asymmetric (curvature_err1 and curvature_err2, as in "
        "Kepler's archive), or some values are limits (curvature_limit). DIR/bayes.csv takes all "
        "this into account.\n\n"
        "sine: a number. The attribute x is uniform in [-3, 3], with an error between 0.05 and 0.5 "
        "in each row; y is sin 2x plus noise of standard deviation 0.1. DIR/bayes.csv has the mean "
        "and sd of the best prediction.\n\n"
        "counts: the same x, and a Poisson count with the rate exp(1 + sin 2x) times the exposure, "
        "a column with values from 0.5 to 5.\n\n"
        "ordinal: the same x, and one of the levels 1 to 4: sin 2x plus noise of standard "
        "deviation 0.2, divided at -0.5, 0 and 0.5.",
    .examples = "# The paper's toy problem, a model of it and its scores\n"
                "nimgp simulate toy --out toy\n"
                "nimgp fit toy/train.csv -o toy.nimgp\n"
                "nimgp evaluate toy.nimgp toy/test.csv\n"
                "# Regression\n"
                "nimgp simulate sine --out sine\n"
                "nimgp fit sine/train.csv --task regress -o sine.nimgp\n"
                "# Test rows with larger errors than the training rows\n"
                "nimgp simulate catalogue --worse 3 --out worse\n"
                "# Upper and lower errors\n"
                "nimgp simulate catalogue --measured lopsided --out kepler\n"
                "# Five classes in three dimensions with large errors\n"
                "nimgp simulate synthetic --dims 3 --classes 5 --noise-var 0.5 --seed 7 --out hard",
    .options = options,
    .run = run,
};
