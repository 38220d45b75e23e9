/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "generate/mock.h"
#include "interrupt.h"
#include "nearest.h"
#include "table/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 256, PATH = 4096 };

/* ---------------------------------------------------------------- the problem ----------------- */

static bool no_memory(struct complaint *complaint) {
    return complain(complaint, EXIT_NUMERICAL, "out of memory");
}

/* An option that only another problem has. */
static bool refuse(const struct arguments *arguments, const char *option,
                   struct complaint *complaint) {
    if (!argument_given(arguments, option))
        return true;
    return complain(complaint, EXIT_USAGE, "simulate: %s has no --%s",
                    argument_operand(arguments, 0), option);
}

static bool make_synthetic(const struct arguments *arguments, struct synthetic_settings settings,
                           struct mock *mock, struct complaint *complaint) {
    if (argument_given(arguments, "classes") &&
        !argument_whole(arguments, "classes", 2, 100, &settings.classes, complaint))
        return false;
    if (argument_given(arguments, "dims") &&
        !argument_whole(arguments, "dims", 1, 100, &settings.dims, complaint))
        return false;
    if (argument_given(arguments, "noise-var") &&
        !argument_real(arguments, "noise-var", 0.0, 1e6, &settings.noise, complaint))
        return false;
    return mock_synthetic(mock, &settings) || no_memory(complaint);
}

static bool make_catalogue(const struct arguments *arguments, uint64_t seed, struct mock *mock,
                           struct complaint *complaint) {
    double noise = 1.0;
    if (!refuse(arguments, "dims", complaint) || !refuse(arguments, "classes", complaint))
        return false;
    if (argument_given(arguments, "noise-var") &&
        !argument_real(arguments, "noise-var", 1e-6, 100.0, &noise, complaint))
        return false;
    return mock_catalogue(mock, seed, noise) || no_memory(complaint);
}

static bool make_mock(const struct arguments *arguments, struct mock *mock,
                      struct complaint *complaint) {
    const char *kind = argument_operand(arguments, 0);
    size_t seed;
    if (!argument_whole(arguments, "seed", 0, SIZE_MAX, &seed, complaint))
        return false;
    if (strcmp(kind, "toy") == 0)
        return refuse(arguments, "dims", complaint) &&
               make_synthetic(arguments, synthetic_toy(seed), mock, complaint);
    if (strcmp(kind, "synthetic") == 0)
        return make_synthetic(arguments, synthetic_paper(seed), mock, complaint);
    if (strcmp(kind, "catalogue") == 0)
        return make_catalogue(arguments, seed, mock, complaint);
    struct nearest nearest = {.word = kind};
    nearest_try(&nearest, "toy");
    nearest_try(&nearest, "synthetic");
    nearest_try(&nearest, "catalogue");
    return complain(complaint, EXIT_USAGE,
                    "simulate: '%s' is not one of toy, synthetic, catalogue%s%s%s", kind,
                    nearest.found ? "; did you mean " : "", nearest.found ? nearest.found : "",
                    nearest.found ? "?" : "");
}

/* ---------------------------------------------------------------- the files ------------------- */

/* Columns of a table under construction; names live as long. */
struct header {
    size_t count;
    struct column *column;
    char (*name)[MOCK_NAME + 8];
};

static bool header_create(struct header *header, size_t most) {
    header->count = 0;
    header->column = calloc(most, sizeof *header->column);
    header->name = calloc(most, sizeof *header->name);
    return header->column && header->name;
}

static void header_free(struct header *header) {
    free(header->column);
    free(header->name);
}

static void header_add(struct header *header, const char *before, const char *name,
                       const char *after, const char *unit, size_t text_width) {
    char *whole = header->name[header->count];
    snprintf(whole, sizeof *header->name, "%s%s%s", before, name, after);
    header->column[header->count++] =
        (struct column){.name = whole,
                        .kind = text_width ? COLUMN_TEXT : COLUMN_NUMBER,
                        .unit = unit,
                        .width = text_width};
}

/* id, x1 .., x1_err .., class */
static void add_row_columns(struct header *header, const struct mock *mock, bool labelled) {
    if (mock->has_id)
        header_add(header, "", "id", "", NULL, MOCK_NAME);
    for (size_t j = 0; j < mock->attributes; j++)
        header_add(header, "", mock->attribute[j].name, "", mock->attribute[j].unit, 0);
    for (size_t j = 0; j < mock->attributes; j++)
        if (mock->attribute[j].has_error)
            header_add(header, "", mock->attribute[j].name, "_err", mock->attribute[j].unit, 0);
    if (labelled)
        header_add(header, "", "class", "", NULL, MOCK_NAME);
}

/* What is written, and how it went. */
struct files {
    const struct arguments *arguments;
    struct mock *mock;
    const char *directory;
    struct table_writer *train, *test, *bayes, *unlabelled;
    size_t rows, test_rows, written; /* written: of all tables, for the ids */
    double *value, *error, *p;       /* BLOCK x attributes, BLOCK x classes */
    int32_t *label;                  /* BLOCK */
    size_t *seen;                    /* classes: training rows of each */
    double nll, wrong;               /* of the optimal prediction */
};

static struct table_writer *open_file(const struct files *files, const char *name,
                                      const struct header *header, struct complaint *complaint) {
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/%s", files->directory, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        complain(complaint, EXIT_USAGE, "simulate: the name of the directory is too long");
        return NULL;
    }
    return table_writer_open(path, TABLE_CSV, header->count, header->column, complaint);
}

static bool open_files(struct files *files, struct complaint *complaint) {
    const struct mock *mock = files->mock;
    struct header rows = {0}, bare = {0}, bayes = {0};
    bool good = header_create(&rows, 2 * mock->attributes + 2) &&
                header_create(&bare, 2 * mock->attributes + 2) &&
                header_create(&bayes, mock->classes);
    if (good) {
        add_row_columns(&rows, mock, true);
        add_row_columns(&bare, mock, false);
        for (size_t c = 0; c < mock->classes; c++)
            header_add(&bayes, "p_", mock->class_name[c], "", NULL, 0);
        good = (files->train = open_file(files, "train.csv", &rows, complaint)) &&
               (files->test = open_file(files, "test.csv", &rows, complaint)) &&
               (files->bayes = open_file(files, "bayes.csv", &bayes, complaint)) &&
               (!mock->has_id ||
                (files->unlabelled = open_file(files, "unlabelled.csv", &bare, complaint)));
    } else {
        no_memory(complaint);
    }
    header_free(&rows);
    header_free(&bare);
    header_free(&bayes);
    return good;
}

/* mkdir -p */
static bool make_directory(const char *directory, struct complaint *complaint) {
    char path[PATH];
    size_t length = strlen(directory);
    if (!length || length >= sizeof path)
        return complain(complaint, EXIT_USAGE, "simulate: --out: '%s' cannot be a directory",
                        directory);
    for (size_t i = 1; i <= length; i++) {
        if (directory[i] != '/' && directory[i] != '\0')
            continue;
        memcpy(path, directory, i);
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return complain(complaint, EXIT_BAD_INPUT, "%s: cannot make the directory: %s", path,
                            strerror(errno));
    }
    struct stat status;
    if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode))
        return complain(complaint, EXIT_BAD_INPUT, "%s: is not a directory", directory);
    return true;
}

/* ---------------------------------------------------------------- the rows -------------------- */

static bool write_text(struct table_writer *writer, const char *text, struct complaint *complaint) {
    return table_write_text(writer, (struct span){.text = text, .length = strlen(text)}, complaint);
}

static bool write_row(struct files *files, struct table_writer *writer, size_t row, bool labelled,
                      struct complaint *complaint) {
    const struct mock *mock = files->mock;
    const double *value = files->value + row * mock->attributes;
    const double *error = files->error + row * mock->attributes;
    char id[MOCK_NAME];
    snprintf(id, sizeof id, "S%06zu", ++files->written);
    bool good = !mock->has_id || write_text(writer, id, complaint);
    for (size_t j = 0; good && j < mock->attributes; j++)
        good = table_write_number(writer, value[j], complaint);
    for (size_t j = 0; good && j < mock->attributes; j++)
        good = !mock->attribute[j].has_error || table_write_number(writer, error[j], complaint);
    if (good && labelled)
        good = write_text(writer, mock->class_name[files->label[row]], complaint);
    return good && table_write_end(writer, complaint);
}

static bool write_bayes(struct files *files, size_t rows, struct complaint *complaint) {
    const size_t classes = files->mock->classes;
    if (!mock_bayes(files->mock, rows, files->value, files->error, files->p))
        return no_memory(complaint);
    for (size_t i = 0; i < rows; i++) {
        const double *p = files->p + i * classes;
        size_t best = 0;
        for (size_t c = 0; c < classes; c++) {
            best = p[c] > p[best] ? c : best;
            if (!table_write_number(files->bayes, p[c], complaint))
                return false;
        }
        if (!table_write_end(files->bayes, complaint))
            return false;
        files->nll -= log(p[files->label[i]]) / (double)files->test_rows;
        files->wrong += (best != (size_t)files->label[i]) / (double)files->test_rows;
    }
    return true;
}

/* One table, block by block. */
static bool write_table(struct files *files, struct table_writer *writer, size_t rows,
                        bool labelled, struct complaint *complaint) {
    for (size_t done = 0; done < rows; done += BLOCK) {
        size_t count = rows - done < BLOCK ? rows - done : BLOCK;
        if (interrupted())
            return complain(complaint, EXIT_INTERRUPTED, "interrupted");
        mock_draw(files->mock, count, files->value, files->error, files->label);
        for (size_t i = 0; i < count; i++) {
            if (!write_row(files, writer, i, labelled, complaint))
                return false;
            files->seen[files->label[i]] += writer == files->train;
        }
        if (writer == files->test && !write_bayes(files, count, complaint))
            return false;
    }
    return true;
}

static bool write_all(struct files *files, struct complaint *complaint) {
    const struct mock *mock = files->mock;
    files->value = malloc(BLOCK * mock->attributes * sizeof *files->value);
    files->error = malloc(BLOCK * mock->attributes * sizeof *files->error);
    files->p = malloc(BLOCK * mock->classes * sizeof *files->p);
    files->label = malloc(BLOCK * sizeof *files->label);
    files->seen = calloc(mock->classes, sizeof *files->seen);
    if (!files->value || !files->error || !files->p || !files->label || !files->seen)
        return no_memory(complaint);
    return write_table(files, files->train, files->rows, true, complaint) &&
           write_table(files, files->test, files->test_rows, true, complaint) &&
           (!files->unlabelled ||
            write_table(files, files->unlabelled, files->test_rows, false, complaint));
}

/* Closing puts a file in its place; none is before all are whole. */
static bool close_one(struct table_writer **writer, struct complaint *complaint) {
    struct table_writer *mine = *writer;
    *writer = NULL;
    return !mine || table_writer_close(mine, complaint);
}

static bool close_all(struct files *files, struct complaint *complaint) {
    return close_one(&files->train, complaint) && close_one(&files->test, complaint) &&
           close_one(&files->bayes, complaint) && close_one(&files->unlabelled, complaint);
}

static void release(struct files *files) {
    table_writer_abandon(files->train);
    table_writer_abandon(files->test);
    table_writer_abandon(files->bayes);
    table_writer_abandon(files->unlabelled);
    free(files->value);
    free(files->error);
    free(files->p);
    free(files->label);
    free(files->seen);
}

/* ---------------------------------------------------------------- the command ----------------- */

static void report(const struct files *files) {
    const struct arguments *arguments = files->arguments;
    say(arguments, "%s/train.csv: %zu rows to learn from", files->directory, files->rows);
    say(arguments, "%s/test.csv: %zu rows to try them on", files->directory, files->test_rows);
    if (files->mock->has_id)
        say(arguments, "%s/unlabelled.csv: %zu rows without a class", files->directory,
            files->test_rows);
    char how[64] = "";
    size_t draws = mock_draws(files->mock);
    if (draws)
        snprintf(how, sizeof how, ", estimated from %zu draws a row", draws);
    say(arguments,
        "%s/bayes.csv: the best possible probabilities of the test rows%s: NLL %.4f, %.1f %% wrong",
        files->directory, how, files->nll, 100.0 * files->wrong);
    for (size_t c = 0; c < files->mock->classes; c++)
        if (!files->seen[c])
            say(arguments, "note: no training row is of class %s; another --seed may have some",
                files->mock->class_name[c]);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct mock mock = {0};
    struct files files = {.arguments = arguments, .mock = &mock};
    files.directory = argument_text(arguments, "out");
    if (!files.directory)
        return complain(complaint, EXIT_USAGE, "simulate: where to? --out DIR is needed");
    bool good =
        argument_whole(arguments, "rows", 1, 1000000000, &files.rows, complaint) &&
        argument_whole(arguments, "test-rows", 1, 1000000000, &files.test_rows, complaint) &&
        make_mock(arguments, &mock, complaint) && make_directory(files.directory, complaint) &&
        open_files(&files, complaint) && write_all(&files, complaint) &&
        close_all(&files, complaint);
    if (good)
        report(&files);
    release(&files);
    mock_free(&mock);
    return good;
}

static const struct option options[] = {
    {.name = "out",
     .letter = 'o',
     .value = "DIR",
     .help = "Directory for the files; made when it is not there. Files in it are replaced.",
     .complete = COMPLETE_DIRECTORY},
    {.name = "rows", .value = "N", .help = "Rows to learn from.", .fallback = "1000"},
    {.name = "test-rows", .value = "N", .help = "Rows to try them on.", .fallback = "1000"},
    {.name = "dims", .value = "N", .help = "Attributes, 1 to 100, of synthetic: 2 unless given."},
    {.name = "classes",
     .value = "N",
     .help = "Classes, 2 to 100, of toy and synthetic: 3 unless given."},
    {.name = "noise-var",
     .value = "V",
     .help = "Variance of the measurement errors: 0.1 for toy and 0.25 for synthetic unless given. "
             "For catalogue a factor to the errors' variances, 1 unless given."},
    {.name = "seed", .value = "N", .help = "Same seed, same files.", .fallback = "0"},
    {0},
};

const struct command command_simulate = {
    .name = "simulate",
    .summary = "Makes up tables with a known best answer",
    .operands = "toy|synthetic|catalogue --out DIR",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Writes DIR/train.csv and DIR/test.csv with the columns x1, ..., x1_err, ..., class, and "
        "DIR/bayes.csv with the optimal probabilities p_<class> of the test rows, row by row: no "
        "method can do better on average.\n\n"
        "toy: one attribute, three classes, uniform in [-3, 3], errors of variance 0.1. Which of "
        "three functions drawn from a Gaussian process is largest decides the class.\n\n"
        "synthetic: the same with two attributes (or --dims) in the box [-2.5, 2.5], errors of "
        "variance 0.25. The optimal probabilities come from a fine grid in one or two dimensions; "
        "beyond that, and for very small errors, they are estimated from draws, which it says.\n\n"
        "catalogue: sources of three kinds with flux, spectral index, curvature, variability and "
        "latitude. Errors follow the flux, faint sources are not listed, some cells and some "
        "errors are missing, the latitude has none. Also writes DIR/unlabelled.csv, as many rows "
        "as the test has, without the class.",
    .examples = "# the paper's toy problem, then a model of it and its score\n"
                "nimgp simulate toy --out toy\n"
                "nimgp fit toy/train.csv -o toy.nimgp\n"
                "nimgp evaluate toy.nimgp toy/test.csv\n"
                "# five classes in three dimensions, measured badly\n"
                "nimgp simulate synthetic --dims 3 --classes 5 --noise-var 0.5 --seed 7 --out hard",
    .options = options,
    .run = run,
};
