/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp fit: learns a model from a table. */
#define _POSIX_C_SOURCE 200809L
#include "cli/command/fit.h"
#include "cli/command/plan_table.h"
#include "cli/model/files.h"
#include "cli/rows/units.h"
#include "cli/terminal/team.h"
#include "text/ascii.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "MODEL",
     .help = "The file to write the model to; required, except with --check and --explain."},

    {.name = "explain",
     .help = "Print all options with the reasons for their values, and do not train."},

    {.name = "check",
     .help = "Print what the columns are and what is odd about them, as nimgp check does, and do "
             "not train."},

    {.name = "", .help = "Columns and rows"},
    COLUMN_OPTIONS,
    {.name = "class-weight",
     .value = "A=X,...|balanced",
     .help = "Weights of the classes, 1 by default; balanced gives all classes the same total "
             "weight. They multiply --weights."},
    WHERE_OPTION,
    UNITS_OPTION,
    FORMAT_OPTION,

    {.name = "", .help = "Model and training"},
    TASK_OPTIONS,
    TIER(EVERYDAY),
    {.name = "population-from",
     .value = "TABLE",
     .help = "A table of rows without labels, from which the population is learned as well. It "
             "needs the same features and errors; --where is not applied to it."},
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
         "Start a new training from this model. The table may have new rows after the old ones."},
    {.name = "resume",
     .value = "FILE",
     .help = "Continue the training of this checkpoint, with the same table. No other option needs "
             "to be repeated."},
    {.name = "checkpoint",
     .value = "FILE",
     .help = "The file to which Ctrl-C saves the training, MODEL.checkpoint by default. With this "
             "option it is also written every 30 seconds."},
    {.name = "every",
     .value = "N",
     .help = "Write the checkpoint after every N epochs instead of every 30 seconds."},
    {.name = "progress",
     .value = "STYLE",
     .values = "bar, json, none",
     .help = "What to print on standard error during training: a progress bar, which is the "
             "default on a terminal, or a line of JSON per epoch."},

    {.name = "", .help = "For experts; the defaults suit nearly all data"},
    TIER(EXPERT),
    SET_OPTION,
    {0}};

static bool leave_checkpoint(struct fit *fit, struct complaint *complaint) {
    const char *const words[] = {fit->table, "-o", fit->output, "--resume", fit->checkpoint};
    nim_error error;
    if (team_leads() && nim_model_save(fit->model, fit->checkpoint, &error) != NIM_OK)
        return complain(complaint, BAD_INPUT, "interrupted, and the checkpoint is lost: %s",
                        error.message);
    char *line = shell_line("fit", sizeof words / sizeof *words, words);
    complain(complaint, INTERRUPTED, "stopped after %zu epoch%s; to continue: %s",
             nim_model_epochs(fit->model), plural_s(nim_model_epochs(fit->model)),
             line ? line : "nimgp fit --resume");
    free(line);
    return false;
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

/* Where calibration found that there is nothing to learn. */
static void say_nothing_learned(const struct fit *fit) {
    double temperature = 1.0;
    if (nim_model_get(fit->model, "temperature", &temperature, 1, NULL, NULL) == NIM_OK &&
        isinf(temperature))
        say(fit->arguments,
            "no better than the shares of the classes: nothing was learned that helped "
            "to predict held-out rows, so these shares are predicted for every row");
}

/* The figures of the held-out rows, said and kept. */
static bool report_validation(struct fit *fit, struct complaint *complaint) {
    struct scores scores;
    nim_error error;
    static const char weighted[] = " (weighted as in training)";
    char text[256];
    if (!fit->training.held_out.rows || !team_leads())
        return true;
    if (!monitor_validate(&fit->monitor, &scores, complaint))
        return false;
    describe_scores(&scores, text, sizeof text - sizeof weighted);
    if (fit->training.held_out.weights)
        strcat(text, weighted);
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
    say_trained(fit, before, seconds_now() - fit->start);
    say_nothing_learned(fit);
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

/* The model to continue, or a new one. */
static bool have_model(struct fit *fit, struct complaint *complaint) {
    nim_data data = training_set_data(&fit->training.set);
    fit->start = seconds_now();
    progress_begin(&fit->monitor.progress);
    fit->storage = (struct row_storage){.arguments = fit->arguments, .memory = fit->plan.memory};
    bool made = !fit->model;
    if (made && !fit_make_model(fit, &data, complaint))
        return false;
    if (made)
        plan_report_idle(fit->model, fit->arguments);
    return row_storage_lend(&fit->storage, fit->model, complaint);
}

/* Everything up to the first step. */
static bool prepare(struct fit *fit, struct complaint *complaint) {
    nim_error error;
    return team_can_read(fit->table, complaint) && fit_settle(fit, complaint) &&
           fit_read_table(fit, complaint) && have_model(fit, complaint) &&
           fit_take_notes(fit, complaint) &&
           (!fit->others || fit_learn_population(fit, complaint)) &&
           (nim_model_set_collectives(fit->model, team_collectives(), &error) == NIM_OK ||
            complain_of(complaint, &error));
}

static bool learn(struct fit *fit, struct complaint *complaint) {
    bool resumed = argument_given(fit->arguments, "resume");
    if (!team_agree(prepare(fit, complaint), complaint))
        return false;
    if (argument_given(fit->arguments, "explain")) {
        if (team_leads())
            plan_table_print(fit->model, true);
        return true;
    }
    if (resumed && !nim_model_under_way(fit->model))
        say(fit->arguments, "the training was already complete");
    else if (!train(fit, complaint))
        return false;
    return finish(fit, complaint);
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    if (argument_given(arguments, "check"))
        return command_check.run(arguments, complaint);
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
        "Learns from the rows of TABLE (CSV, TSV, ECSV, FITS or VOTable, "
        "gzipped or not, or a row file; '-' is standard input) how to predict the target from the "
        "features, and writes the model to a file. The target is a class unless --task "
        "says otherwise. Columns of 1-sigma errors are found by their names, and the "
        "columns that are used are printed. Values and errors may be missing.\n\n"
        "Ctrl-C ends the training after the current step and writes a checkpoint. "
        "--resume continues from it; the model has the same bits as after an uninterrupted "
        "training.",
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
        "# Which options nimgp would choose for a table, and why\n"
        "nimgp fit train.csv --explain\n"
        "# Continue after Ctrl-C\n"
        "nimgp fit train.csv -o toy.nimgp --resume toy.nimgp.checkpoint\n",
    .many = true,
    .options = options,
    .run = run,
};
