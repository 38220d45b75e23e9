/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp fit: learns a model from a table. */
#define _POSIX_C_SOURCE 200809L
#include "cli/command/fit.h"
#include "cli/model/files.h"
#include "cli/rows/input_report.h"
#include "cli/rows/units.h"
#include "cli/terminal/team.h"
#include "cli/training/training_report.h"
#include "text/ascii.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "MODEL",
     .help = "The file to write the model to; required.",
     .complete = COMPLETE_FILE},

    {.name = "", .help = "Columns and rows"},
    {.name = "label",
     .value = "COLUMN",
     .help = "The column to predict: class names, levels, numbers or counts; for multilabel "
             "A,B,...: one column of 0 and 1 per label. Default: 'class' or 'level', otherwise the "
             "last column if it can be a label; 'y' for regress, 'count' for count."},
    {.name = "exposure",
     .value = "COLUMN",
     .help = "The column of the time, area or effort over which each count was collected."},
    {.name = "features",
     .value = "A,B,...",
     .help = "The columns to learn from, in this order. log(A) and log10(A) are logarithms, A-B is "
             "a difference, and *mag stands for all columns whose names end in mag. Default: all "
             "columns of numbers."},
    {.name = "exclude",
     .value = "A,B,...",
     .help = "Columns to use neither as features nor as errors; * matches any characters, ? "
             "matches one."},
    {.name = "errors",
     .value = "A=B,...|none",
     .help = "A=B: column B holds the 1-sigma errors of feature A. A=B:C: B holds the lower, C the "
             "upper errors. A=[B:C]: B and C hold the ends of the error bars. A=: the values of A "
             "are exact. Other error columns are found by name: A_err, A_error, e_A, Unc_A, "
             "sigma_A, A_unc, err_A, A_sigma, dA; pairs such as A_err2 and A_err1, A_errlo and "
             "A_errhi; ends A_lo and A_hi. Two more columns are found by name: A_B_corr holds "
             "correlations of errors, and A_limit or l_A holds < or > where a value is a limit."},
    {.name = "log",
     .value = "A,B,...|auto|none",
     .help = "Features whose logarithm is used; auto: those that are positive and skewed."},
    {.name = "classes",
     .value = "A,B,...",
     .help = "Use only rows of these classes; also sets the order of the classes, for levels from "
             "lowest to highest."},
    {.name = "ignore-case", .help = "Ignore case in labels and --where."},
    {.name = "weights",
     .value = "COLUMN",
     .help = "The column of row weights in training, which are not negative. It is not used as a "
             "feature."},
    {.name = "class-weight",
     .value = "A=X,...|balanced",
     .help = "Weights of the classes, 1 by default; balanced gives all classes the same total "
             "weight. They multiply --weights."},
    MISSING_VALUE_OPTION(""),
    WHERE_OPTION,
    UNITS_OPTION,
    FORMAT_OPTION,

    {.name = "", .help = "Model"},
    TASK_OPTIONS,
    {.name = "input", .value = "NAME", .engine = "input", .complete = COMPLETE_VALUES},
    {.name = "population", .value = "NAME", .engine = "population", .complete = COMPLETE_VALUES},
    {.name = "population-from",
     .value = "TABLE",
     .help = "A table of rows without labels, from which the population is learned as well. It "
             "needs the same features and errors; --where is not applied to it.",
     .complete = COMPLETE_FILE},
    {.name = "missing", .value = "NAME", .engine = "missing", .complete = COMPLETE_VALUES},
    {.name = "warp", .value = "NAME", .engine = "warp", .complete = COMPLETE_VALUES},
    {.name = "noise", .value = "NAME", .engine = "noise", .complete = COMPLETE_VALUES},
    {.name = "noise-start", .value = "X", .engine = "noise_start"},
    {.name = "kernel", .value = "NAME", .engine = "kernel", .complete = COMPLETE_VALUES},
    {.name = "degree", .value = "N", .engine = "degree"},
    {.name = "prior-variance", .value = "X", .engine = "prior_variance"},
    {.name = "lengthscale-prior", .value = "X", .engine = "lengthscale_prior"},
    {.name = "inducing", .value = "N", .engine = "inducing"},
    {.name = "alpha", .value = "X", .engine = "alpha"},
    {.name = "caution", .value = "X", .engine = "caution"},
    {.name = "eps", .value = "X", .engine = "epsilon"},
    {.name = "learn-eps",
     .engine = "learn_epsilon",
     .help = "Learn the share of wrong labels, starting at --eps."},
    {.name = "layers", .value = "N", .engine = "layers"},
    {.name = "units", .value = "N", .engine = "units"},
    {.name = "points", .value = "N", .engine = "points"},
    {.name = "tolerance", .value = "X", .engine = "tolerance"},

    {.name = "", .help = "Training"},
    {.name = "epochs", .value = "N", .engine = "epochs"},
    {.name = "stop", .value = "WHEN", .engine = "stop", .complete = COMPLETE_VALUES},
    {.name = "calibrate", .value = "NAME", .engine = "calibrate", .complete = COMPLETE_VALUES},
    {.name = "novelty", .value = "WHEN", .engine = "novelty", .complete = COMPLETE_VALUES},
    {.name = "batch", .value = "N", .engine = "batch"},
    {.name = "rate", .value = "X", .engine = "rate"},
    {.name = "precision", .value = "NAME", .engine = "precision", .complete = COMPLETE_VALUES},
    {.name = "samples", .value = "N", .engine = "samples"},
    {.name = "warm-up", .value = "N", .engine = "warm_up"},
    {.name = "seed", .value = "N", .engine = "seed"},
    {.name = "threads", .value = "N", .engine = "threads"},
    {.name = "memory",
     .value = "SIZE",
     .fallback = "auto",
     .help =
         "The memory that the rows of the table may use, such as 500M or 2G; auto is half of the "
         "machine's memory. A larger table is kept in a temporary file in TMPDIR, or in /var/tmp. "
         "The same limit holds for the parameters of rows with --input latent or narrow. Row files "
         "are mapped and not copied."},
    {.name = "validation",
     .value = "SHARE",
     .help = "Hold out this share of the rows of each class, up to 0.5, and print how well they "
             "are predicted."},

    {.name = "", .help = "Continuing and monitoring"},
    {.name = "from",
     .value = "MODEL",
     .help =
         "Start a new training from this model. The table may have new rows after the old ones.",
     .complete = COMPLETE_FILE},
    {.name = "resume",
     .value = "FILE",
     .help = "Continue the training of this checkpoint, with the same table. No other option needs "
             "to be repeated.",
     .complete = COMPLETE_FILE},
    {.name = "checkpoint",
     .value = "FILE",
     .help = "The file that Ctrl-C writes the training to, MODEL.checkpoint by default. If it is "
             "given, it is also written every 30 seconds.",
     .complete = COMPLETE_FILE},
    {.name = "every",
     .value = "N",
     .help = "Write the checkpoint after every N epochs instead of every 30 seconds."},
    {.name = "progress",
     .value = "STYLE",
     .values = "bar|json|none",
     .help = "What to print on standard error during training: a progress bar, which is the "
             "default on a terminal, or a line of JSON per epoch.",
     .complete = COMPLETE_VALUES},
    {0}};

/* ---------------------------------------------------------------- what is wanted -------------- */

static bool settle_files(struct fit *fit, struct complaint *complaint) {
    const struct arguments *arguments = fit->arguments;
    fit->output = argument_text(arguments, "output");
    if (!fit->output || !*fit->output)
        return complain(complaint, BAD_USAGE, "fit: the output file is missing; -o MODEL names it");
    if (strcmp(fit->output, "-") == 0)
        return complain(complaint, BAD_USAGE,
                        "fit: a model cannot be written to standard output; -o names a file");
    size_t size = strlen(fit->output) + sizeof ".checkpoint";
    fit->default_checkpoint = malloc(size);
    if (!fit->default_checkpoint)
        return complain_of_memory(complaint);
    snprintf(fit->default_checkpoint, size, "%s.checkpoint", fit->output);
    fit->checkpoint = argument_text(arguments, "checkpoint");
    if (!fit->checkpoint)
        fit->checkpoint = argument_text(arguments, "resume");
    if (!fit->checkpoint) {
        fit->checkpoint = fit->default_checkpoint;
        if (access(fit->checkpoint, F_OK) == 0 && !file_is_model(fit->checkpoint))
            return complain(complaint, BAD_INPUT,
                            "%s: exists and is not a checkpoint; --checkpoint names another file",
                            fit->checkpoint);
        if (access(fit->checkpoint, F_OK) == 0)
            say(arguments, "%s is the checkpoint of an earlier training; --resume continues it",
                fit->checkpoint);
    }
    fit->others = argument_text(arguments, "population-from");
    if (fit->others && (argument_given(arguments, "from") || argument_given(arguments, "resume")))
        return complain(complaint, BAD_USAGE,
                        "fit: --population-from is for a new model; --from and --resume keep the "
                        "population of theirs");
    return file_check_output(fit->output, complaint) &&
           file_check_output(fit->checkpoint, complaint) &&
           (!fit->others || (file_check_apart(fit->output, fit->others, complaint) &&
                             file_check_apart(fit->checkpoint, fit->others, complaint))) &&
           file_check_apart(fit->output, fit->table, complaint) &&
           file_check_apart(fit->checkpoint, fit->table, complaint);
}

/* The options of the model to go on with, and those given; `change` is told what differs. */
static bool compare_options(struct fit *fit,
                            bool (*change)(struct fit *, const char *name, const char *before,
                                           const char *after, struct complaint *),
                            struct complaint *complaint) {
    const nim_options *before = nim_model_options(fit->model);
    char old[64], new[64];
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < nim_option_count(); i++) {
            const char *name = nim_option_describe(i)->name;
            nim_options_get(before, name, old, sizeof old, NULL);
            nim_options_get(fit->options, name, new, sizeof new, NULL);
            if (pass == 0)
                nim_options_set(fit->options, name, old, NULL);
            else if (strcmp(old, new) != 0 && !change(fit, name, old, new, complaint))
                return false;
        }
        if (pass == 0 && !argument_engine(fit->arguments, fit->options, complaint))
            return false;
    }
    return true;
}

static bool change_option(struct fit *fit, const char *name, const char *before, const char *after,
                          struct complaint *complaint) {
    (void)before;
    nim_error error;
    return nim_model_set_option(fit->model, name, after, &error) == NIM_OK ||
           complain_of(complaint, &error);
}

/* How many threads there are changes nothing; anything else would. */
static bool refuse_option(struct fit *fit, const char *name, const char *before, const char *after,
                          struct complaint *complaint) {
    if (strcmp(name, "threads") == 0)
        return change_option(fit, name, before, after, complaint);
    static const char *const by_itself[] = {"inducing", "epochs", "noise_start"}; /* when 0 */
    bool chosen = false;
    for (size_t i = 0; i < sizeof by_itself / sizeof *by_itself; i++)
        chosen = chosen || (strcmp(before, "0") == 0 && strcmp(name, by_itself[i]) == 0);
    return complain(complaint, BAD_USAGE,
                    "fit: %s %s contradicts the training to be resumed, which %s%s; omit it", name,
                    after, chosen ? "chose it itself" : "has ", chosen ? "" : before);
}

bool fit_settle_new(struct fit *fit, struct complaint *complaint) {
    fit->options = nim_options_create();
    if (!fit->options)
        return complain_of_memory(complaint);
    return argument_engine(fit->arguments, fit->options, complaint) &&
           task_settle(&fit->task, fit->arguments, fit->options, NULL, complaint) &&
           fit_request_from_arguments(&fit->request, fit->arguments, complaint);
}

static bool settle_model(struct fit *fit, struct complaint *complaint) {
    const char *resume = argument_text(fit->arguments, "resume");
    const char *from = argument_text(fit->arguments, "from");
    if (resume && from)
        return complain(complaint, BAD_USAGE, "fit: --resume or --from, not both");
    if (!resume && !from)
        return fit_settle_new(fit, complaint);
    fit->options = nim_options_create();
    if (!fit->options)
        return complain_of_memory(complaint);
    fit->model = file_load_model(resume ? resume : from, complaint);
    if (!fit->model)
        return false;
    if (from && nim_model_under_way(fit->model))
        return complain(complaint, BAD_INPUT,
                        "%s: is a checkpoint of an unfinished training; --resume continues it",
                        from);
    return task_settle(&fit->task, fit->arguments, fit->options, fit->model, complaint) &&
           (from ? fit_request_to_continue : fit_request_to_resume)(&fit->request, fit->arguments,
                                                                    fit->model, complaint) &&
           compare_options(fit, from ? change_option : refuse_option, complaint);
}

/* Given now, or when the training to go on with began: it was checked then. */
static bool settle_validation(struct fit *fit, struct complaint *complaint) {
    const char *text = fit->request.text[REQUEST_VALIDATION];
    double *share = &fit->plan.held_out_share;
    if (argument_given(fit->arguments, "validation"))
        return argument_real(fit->arguments, "validation", 0.0, 0.5, share, complaint);
    if (text && !number_parse(text, share))
        *share = 0.0;
    return true;
}

/* "500M": a number and K, M, G or T of bytes. */
static bool settle_memory(struct fit *fit, struct complaint *complaint) {
    static const char units[] = "kmgt";
    const char *text = argument_text(fit->arguments, "memory");
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (strcmp(text, "auto") == 0) {
        fit->plan.memory = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : 0;
        return true;
    }
    char number[32] = "";
    size_t length = strlen(text);
    const char *unit = length ? strchr(units, ascii_lower(text[length - 1])) : NULL;
    double size = 0.0;
    if (unit && *unit && length < sizeof number)
        memcpy(number, text, length - 1);
    if (!number_parse(number, &size) || !(size > 0.0) || size > 1e6)
        return complain(complaint, BAD_USAGE,
                        "fit: --memory %s; expected a size such as 500M or 2G, or auto", text);
    for (const char *u = units; u <= unit; u++)
        size *= 1024.0;
    fit->plan.memory = size < 1.0 ? 1 : (size_t)size;
    return true;
}

static bool settle_progress(struct fit *fit, struct complaint *complaint) {
    const struct arguments *arguments = fit->arguments;
    struct monitor *monitor = &fit->monitor;
    const char *style = argument_text(arguments, "progress");
    char stop[16];
    monitor->progress.style = PROGRESS_NONE;
    if (style)
        monitor->progress.style = strcmp(style, "bar") == 0    ? PROGRESS_BAR
                                  : strcmp(style, "json") == 0 ? PROGRESS_JSON
                                                               : PROGRESS_NONE;
    else if (isatty(STDERR_FILENO) && !argument_given(arguments, "quiet"))
        monitor->progress.style = PROGRESS_BAR;
    if (!team_leads())
        monitor->progress.style = PROGRESS_NONE;
    nim_options_get(fit->options, "stop", stop, sizeof stop, NULL);
    monitor->progress.may_end_early = strcmp(stop, "auto") == 0;
    monitor->arguments = arguments;
    monitor->checkpoint = fit->checkpoint;
    monitor->periodic = team_leads() && (argument_given(arguments, "checkpoint") ||
                                         argument_given(arguments, "every"));
    return !argument_given(arguments, "every") ||
           argument_whole(arguments, "every", 1, 1000000, &monitor->every, complaint);
}

/* ---------------------------------------------------------------- the model ------------------- */

static bool name_parts(struct fit *fit, struct complaint *complaint) {
    const struct columns *columns = &fit->training.input.columns;
    const struct name_list *classes = &fit->training.input.target.classes.name;
    nim_error error;
    const char **names = calloc(columns->count, sizeof *names);
    if (!names)
        return complain_of_memory(complaint);
    for (size_t j = 0; j < columns->count; j++)
        names[j] = columns->feature[j].name;
    bool fine =
        nim_model_name_attributes(fit->model, names, &error) == NIM_OK &&
        (!classes->count ||
         nim_model_name_classes(fit->model, (const char *const *)classes->item, &error) == NIM_OK);
    free(names);
    if (error.status == NIM_INVALID_ARGUMENT) /* names come from the table */
        error.status = NIM_BAD_DATA;
    return fine || file_complain(complaint, fit->table, &error);
}

bool fit_make_model(struct fit *fit, const nim_data *data, struct complaint *complaint) {
    nim_error error;
    char classes[32];
    snprintf(classes, sizeof classes, "%zu", fit->training.input.target.classes.name.count);
    if (nim_options_set(fit->options, "classes", classes, &error) != NIM_OK ||
        nim_model_create(fit->options, data, &fit->model, &error) != NIM_OK)
        return file_complain(complaint, fit->table, &error);
    return name_parts(fit, complaint);
}

static char *joined_units(const struct training_table *training) {
    struct name_list units = {0};
    struct complaint ignored;
    bool any = false, fine = true;
    for (size_t j = 0; fine && j < training->input.columns.count; j++) {
        const char *unit = table_column(training->input.table,
                                        (size_t)training->input.columns.feature[j].value.column)
                               ->unit;
        any = any || unit;
        fine = name_list_add(&units, unit ? unit : "", unit ? strlen(unit) : 0, &ignored);
    }
    char *text = fine && any ? name_list_join(&units) : NULL;
    name_list_free(&units);
    return text;
}

static char *joined_rows(const struct training_table *training) {
    struct name_list rows = {0};
    struct complaint ignored;
    bool fine = true;
    for (size_t c = 0; fine && c < training->input.target.classes.name.count; c++) {
        char count[32];
        snprintf(count, sizeof count, "%zu", training->class_rows[c]);
        fine = name_list_add(&rows, count, strlen(count), &ignored);
    }
    char *text = fine ? name_list_join(&rows) : NULL;
    name_list_free(&rows);
    return text;
}

/* The column, or a list of them. */
static char *joined_labels(const struct training_table *training) {
    const struct target *target = &training->input.target;
    struct name_list names = {0};
    struct complaint ignored;
    bool fine = true;
    if (target->task->predicts != PREDICTS_LABELS)
        return strdup(table_column_name(training->input.table, target->column[0]));
    for (size_t i = 0; fine && i < target->count; i++) {
        const char *name = table_column_name(training->input.table, target->column[i]);
        fine = name_list_add(&names, name, strlen(name), &ignored);
    }
    char *text = fine ? name_list_join(&names) : NULL;
    name_list_free(&names);
    return text;
}

/* Nothing of time or place, so that the same fit leaves the same bytes. */
bool fit_take_notes(struct fit *fit, struct complaint *complaint) {
    const struct training_table *training = &fit->training;
    char held[32], *errors = columns_errors(&training->input.columns, training->input.table);
    char *units = joined_units(training), *rows = joined_rows(training),
         *label = joined_labels(training);
    snprintf(held, sizeof held, "%zu", training->held_out.rows);
    const struct {
        const char *key, *text;
    } notes[] = {
        {NOTE_TABLE, strcmp(fit->table, "-") == 0 ? "standard input" : file_name(fit->table)},
        {NOTE_LABEL, label},
        {NOTE_ERRORS, errors},
        {NOTE_UNITS, units},
        {NOTE_CLASS_ROWS, task_has_classes(fit->task) ? rows : NULL},
        {NOTE_HELD_OUT, training->held_out.rows ? held : NULL},
        {NOTE_VALIDATION, NULL},
    };
    nim_error error;
    bool fine = errors && rows && label;
    if (!fine)
        complain_of_memory(complaint);
    for (size_t i = 0; fine && i < sizeof notes / sizeof *notes; i++)
        fine = nim_model_set_note(fit->model, notes[i].key, notes[i].text, &error) == NIM_OK ||
               complain_of(complaint, &error);
    free(errors);
    free(units);
    free(rows);
    free(label);
    return fine && fit_request_note(&fit->request, fit->model, complaint);
}

/* Whether an option of the model to be has one of the values; "" ends the list. */
static bool option_is(const struct fit *fit, const char *name, const char *const *value) {
    char text[64] = "";
    nim_options_get(fit->options, name, text, sizeof text, NULL);
    while (**value && strcmp(text, *value) != 0)
        value++;
    return **value != '\0';
}

/* What was settled before, as reading the table needs it. With a model to go on with, only errors
 * named now count; the others are the model's. */
static void settle_plan(struct fit *fit, const struct name_list *conditions) {
    static const char *const exact[] = {"exact", ""};
    static const char *const probit[] = {"probit", ""};
    char *const *text = fit->request.text;
    char seed[32];
    nim_options_get(fit->options, "seed", seed, sizeof seed, NULL);
    fit->plan.seed = strtoull(seed, NULL, 10);
    fit->plan.uses_errors = errors_count(fit->options);
    fit->plan.exact_inputs = option_is(fit, "input", exact);
    fit->plan.two_classes_only = option_is(fit, "likelihood", probit);
    fit->plan.class_weight = text[REQUEST_CLASS_WEIGHT];
    fit->plan.noise_was_chosen = argument_given(fit->arguments, "noise");
    fit->plan.table = (struct table_request){
        .path = fit->table,
        .format = file_format(fit->arguments, "format"),
        .task = fit->task,
        .model = fit->model,
        .with_targets = true,
        .ignore_case = text[REQUEST_IGNORE_CASE] != NULL,
        .ignore_units = argument_given(fit->arguments, "ignore-units"),
        .label = text[REQUEST_LABEL],
        .exposure = text[REQUEST_EXPOSURE],
        .features = text[REQUEST_FEATURES],
        .exclude = text[REQUEST_EXCLUDE],
        .weights = text[REQUEST_WEIGHTS],
        .missing_value = text[REQUEST_MISSING_VALUE],
        .errors = fit->model ? argument_text(fit->arguments, "errors") : text[REQUEST_ERRORS],
        .options = fit->options,
        .log = text[REQUEST_LOG],
        .classes = text[REQUEST_CLASSES],
        .aside = {fit->aside[0], fit->aside[1]},
        .conditions = conditions};
}

bool fit_read_table(struct fit *fit, struct complaint *complaint) {
    struct name_list conditions = {0};
    const char *where = fit->request.text[REQUEST_WHERE];
    bool fine = !where || name_list_split(&conditions, where, "--where", complaint);
    if (fine) {
        settle_plan(fit, &conditions);
        fine = training_table_read(&fit->training, &fit->plan, complaint) &&
               training_report(&fit->training, &fit->plan, fit->arguments, complaint) &&
               training_table_hold_out(&fit->training, &fit->plan, complaint);
    }
    name_list_free(&conditions);
    return fine;
}

/* The rows of --population-from, as the model that there is now sees them. */
static bool learn_population(struct fit *fit, struct complaint *complaint) {
    struct table_input input = {0};
    struct training_set others = {0};
    struct table_request request = {.path = fit->others,
                                    .format = file_format(fit->arguments, "format"),
                                    .task = fit->task,
                                    .model = fit->model,
                                    .ignore_units = argument_given(fit->arguments, "ignore-units"),
                                    .errors = argument_text(fit->arguments, "errors")};
    nim_error error;
    bool fine = table_input_open(&input, &request, complaint);
    if (fine)
        report_what_is_lost(&input, fit->model, fit->arguments);
    fine = fine && training_set_read(&others, &input.rows, NULL, complaint);
    if (fine) {
        nim_data rows = training_set_data(&others), data = training_set_data(&fit->training.set);
        fine = nim_model_learn_population(fit->model, &data, &rows, &error) == NIM_OK ||
               file_complain(complaint, fit->others, &error);
    }
    if (fine)
        report_cut_short(input.table, fit->arguments);
    if (fine)
        say(fit->arguments, "population: also learned from %zu row%s of %s", others.rows,
            plural_s(others.rows), fit->others);
    training_set_free(&others);
    table_input_close(&input);
    return fine;
}

/* ---------------------------------------------------------------- training -------------------- */

/* A word as a shell reads it back. */
static void quote_word(const char *word, char *out, size_t size) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+:@%,=";
    size_t used = 0;
    bool bare = *word && strspn(word, plain) == strlen(word);
    for (const char *c = word; *c && used + 8 < size; c++) {
        if (c == word && !bare)
            out[used++] = '\'';
        if (*c == '\'') {
            memcpy(out + used, "'\\'", 3);
            used += 3;
        }
        out[used++] = *c;
    }
    if (!bare && used)
        out[used++] = '\'';
    out[used] = '\0';
}

static bool leave_checkpoint(struct fit *fit, struct complaint *complaint) {
    char table[256], output[256], checkpoint[256];
    nim_error error;
    if (team_leads() && nim_model_save(fit->model, fit->checkpoint, &error) != NIM_OK)
        return complain(complaint, BAD_INPUT, "interrupted, and the checkpoint is lost: %s",
                        error.message);
    quote_word(fit->table, table, sizeof table);
    quote_word(fit->output, output, sizeof output);
    quote_word(fit->checkpoint, checkpoint, sizeof checkpoint);
    return complain(complaint, INTERRUPTED,
                    "stopped after %zu epoch%s; to continue: nimgp fit %s -o %s --resume %s",
                    nim_model_epochs(fit->model), plural_s(nim_model_epochs(fit->model)), table,
                    output, checkpoint);
}

/* "100 rows, NLL 0.39 +- 0.11, error 10.00 +- 3.02 %" */
static void describe_scores(const struct scores *scores, char *text, size_t size) {
    const struct named_score *miss = &scores->score[0];
    struct score nll = scores->score[1].score;
    bool share = miss->unit < 1.0;
    if (scores->rows == 1)
        snprintf(text, size, "one row, NLL %.4f", nll.value);
    else if (share)
        snprintf(text, size, "%zu rows, NLL %.4f +- %.4f, %s %.2f +- %.2f %%", scores->rows,
                 nll.value, nll.deviation, miss->name, miss->score.value / miss->unit,
                 miss->score.deviation / miss->unit);
    else
        snprintf(text, size, "%zu rows, NLL %.4f +- %.4f, %s %.4g +- %.2g", scores->rows, nll.value,
                 nll.deviation, miss->name, miss->score.value, miss->score.deviation);
}

/* The figures of the held-out rows, said and kept. */
static bool report_validation(struct fit *fit, struct complaint *complaint) {
    struct scores scores;
    nim_error error;
    char text[256];
    if (!fit->training.held_out.rows || !team_leads())
        return true;
    if (!monitor_validate(&fit->monitor, &scores, complaint))
        return false;
    describe_scores(&scores, text, sizeof text);
    say(fit->arguments, "held out: %s", text);
    return nim_model_set_note(fit->model, NOTE_VALIDATION, text, &error) == NIM_OK ||
           complain_of(complaint, &error);
}

static void say_trained(const struct fit *fit, size_t before, double seconds) {
    size_t epochs = nim_model_epochs(fit->model), done = epochs - before;
    const struct monitor *monitor = &fit->monitor;
    char all[48] = "";
    if (before)
        snprintf(all, sizeof all, ", %zu in total,", epochs);
    say(fit->arguments, "%zu %sepoch%s%s in %.1f s; bound %.6g", done, before ? "more " : "",
        plural_s(done), all, seconds, nim_model_bound(fit->model));
    /* The library's own limit ends with small steps, and is no reason to worry. */
    char limit[32] = "0";
    nim_options_get(nim_model_options(fit->model), "epochs", limit, sizeof limit, NULL);
    if (monitor->progress.may_end_early && monitor->used_up && strcmp(limit, "0") != 0)
        say(fit->arguments, "stopped after %zu epoch%s, while the bound was still improving",
            epochs, plural_s(epochs));
}

static bool train(struct fit *fit, struct complaint *complaint) {
    nim_data data = training_set_data(&fit->training.set);
    struct monitor *monitor = &fit->monitor;
    nim_error error;
    monitor->model = fit->model;
    monitor->targets = &fit->training.held_out.targets;
    monitor->held =
        fit->training.held_out.rows ? training_set_data(&fit->training.held_out) : (nim_data){0};
    if (!monitor_start(monitor, complaint))
        return false;
    size_t before = nim_model_epochs(fit->model);
    double start = seconds_now();
    nim_status status = nim_model_train(fit->model, &data, monitor_call, monitor, &error);
    progress_clear(&monitor->progress);
    if (status == NIM_CANCELLED)
        return leave_checkpoint(fit, complaint);
    if (status == NIM_OUT_OF_MEMORY && fit->storage.complaint.kind != NO_COMPLAINT) {
        *complaint = fit->storage.complaint;
        return false;
    }
    /* The options were checked before: what is left to be wrong is the table. */
    if (status == NIM_INVALID_ARGUMENT)
        error.status = NIM_BAD_DATA;
    if (status != NIM_OK)
        return file_complain(complaint, fit->table, &error);
    say_trained(fit, before, seconds_now() - start);
    return report_validation(fit, complaint);
}

/* The default checkpoint is removed; one of another training is kept. */
static bool finish(struct fit *fit, struct complaint *complaint) {
    nim_error error;
    bool ours = fit->monitor.wrote || argument_given(fit->arguments, "resume");
    if (!team_leads())
        return true;
    if (nim_model_save(fit->model, fit->output, &error) != NIM_OK)
        return file_complain(complaint, fit->output, &error);
    if (ours && fit->checkpoint && !argument_given(fit->arguments, "checkpoint") &&
        strcmp(fit->checkpoint, fit->default_checkpoint) == 0)
        unlink(fit->checkpoint);
    say(fit->arguments, "the model is in %s", fit->output);
    return true;
}

/* The model to go on with, or a new one. */
static bool have_model(struct fit *fit, struct complaint *complaint) {
    nim_data data = training_set_data(&fit->training.set);
    fit->storage = (struct row_storage){.arguments = fit->arguments, .memory = fit->plan.memory};
    return (fit->model || fit_make_model(fit, &data, complaint)) &&
           row_storage_lend(&fit->storage, fit->model, complaint);
}

/* Everything up to the first step. */
static bool prepare(struct fit *fit, struct complaint *complaint) {
    nim_error error;
    return team_can_read(fit->table, complaint) && settle_files(fit, complaint) &&
           settle_model(fit, complaint) && settle_validation(fit, complaint) &&
           settle_memory(fit, complaint) && settle_progress(fit, complaint) &&
           fit_read_table(fit, complaint) && have_model(fit, complaint) &&
           fit_take_notes(fit, complaint) && (!fit->others || learn_population(fit, complaint)) &&
           (nim_model_set_collectives(fit->model, team_collectives(), &error) == NIM_OK ||
            complain_of(complaint, &error));
}

static bool learn(struct fit *fit, struct complaint *complaint) {
    bool resumed = argument_given(fit->arguments, "resume");
    if (!team_agree(prepare(fit, complaint), complaint))
        return false;
    if (resumed && !nim_model_under_way(fit->model))
        say(fit->arguments, "the training was already complete");
    else if (!train(fit, complaint))
        return false;
    return finish(fit, complaint);
}

void fit_free(struct fit *fit) {
    monitor_free(&fit->monitor);
    training_table_free(&fit->training);
    fit_request_free(&fit->request);
    nim_model_free(fit->model);
    row_storage_free(&fit->storage);
    nim_options_free(fit->options);
    free(fit->default_checkpoint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct fit fit = {.arguments = arguments, .table = argument_operand(arguments, 0)};
    bool fine = learn(&fit, complaint);
    fit_free(&fit);
    return fine;
}

const struct command command_fit = {
    .name = "fit",
    .summary = "Learns a model from a table",
    .operands = "TABLE -o MODEL",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Learns from the rows of TABLE (CSV, TSV, ECSV, FITS, VOTable, IDX or LIBSVM, "
        "gzipped or not, or a row file; '-' is standard input) how to predict the target from the "
        "features, and writes the model to a file. The target is a class unless --task "
        "says otherwise. Columns of 1-sigma errors are found by their names, and the "
        "columns that are used are printed. Values and errors may be missing.\n\n"
        "Ctrl-C ends the training after the current step and writes a checkpoint. "
        "--resume continues from it to the same bits as an uninterrupted training.",
    .examples =
        "# All columns of numbers, the label in column 'class'\n"
        "nimgp fit train.csv -o toy.nimgp\n"
        "# Three classes of a FITS catalogue, errors by name, a tenth held out\n"
        "nimgp fit gll_psc_v27.fit.gz --label CLASS1 --classes bll,fsrq,psr --ignore-case \\\n"
        "    --features Flux1000,Signif_Avg,Pivot_Energy,LP_SigCurv,LP_Index,LP_beta \\\n"
        "    --log auto --validation 0.1 -o agn.nimgp\n"
        "# Regression\n"
        "nimgp fit sine/train.csv --task regress --label y -o sine.nimgp\n"
        "# Use rows without a label to learn the distribution of the true inputs\n"
        "nimgp fit sky/train.csv --population-from sky/unlabelled.csv -o sky.nimgp\n"
        "# Counts collected over different times\n"
        "nimgp fit counts.csv --task count --label photons --exposure seconds -o counts.nimgp\n"
        "# Continue after Ctrl-C\n"
        "nimgp fit train.csv -o toy.nimgp --resume toy.nimgp.checkpoint\n",
    .many = true,
    .options = options,
    .run = run,
};
