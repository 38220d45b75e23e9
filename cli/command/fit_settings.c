/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a fit: its files, and the options of a new model or of one to continue. */
#define _POSIX_C_SOURCE 200809L
#include "cli/command/fit.h"
#include "cli/model/files.h"
#include "cli/terminal/team.h"
#include "text/ascii.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool settle_files(struct fit *fit, struct complaint *complaint) {
    const struct arguments *arguments = fit->arguments;
    fit->output = argument_text(arguments, "output");
    if (!fit->output || !*fit->output)
        return complain(complaint, BAD_USAGE, "fit: no output file is given; use -o MODEL");
    if (strcmp(fit->output, "-") == 0)
        return complain(complaint, BAD_USAGE,
                        "fit: a model cannot be written to standard output; use -o FILE");
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
            return complain(
                complaint, BAD_INPUT,
                "%s: exists and is not a checkpoint; use --checkpoint FILE for another file",
                fit->checkpoint);
        if (access(fit->checkpoint, F_OK) == 0)
            say(arguments, "%s is the checkpoint of an earlier training; --resume continues it",
                fit->checkpoint);
    }
    fit->others = argument_text(arguments, "population-from");
    if (fit->others && (argument_given(arguments, "from") || argument_given(arguments, "resume")))
        return complain(complaint, BAD_USAGE,
                        "fit: --population-from is for a new model; --from and --resume keep the "
                        "population of their model");
    return file_check_output(fit->output, complaint) &&
           file_check_output(fit->checkpoint, complaint) &&
           (!fit->others || (file_check_apart(fit->output, fit->others, complaint) &&
                             file_check_apart(fit->checkpoint, fit->others, complaint))) &&
           file_check_apart(fit->output, fit->table, complaint) &&
           file_check_apart(fit->checkpoint, fit->table, complaint);
}

/* Compares the options of the model to continue with those given; calls `change` for each
 * difference. */
static bool compare_options(struct fit *fit,
                            bool (*change)(struct fit *, const char *name, const char *before,
                                           const char *after, struct complaint *),
                            struct complaint *complaint) {
    const nim_options *before = nim_model_request(fit->model);
    char old[64], new[64], decided[64];
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < nim_option_count(); i++) {
            const char *name = nim_option_describe(i)->name;
            nim_options_get(before, name, old, sizeof old, NULL);
            nim_options_get(fit->options, name, new, sizeof new, NULL);
            if (pass == 0)
                nim_options_set(fit->options, name, old, NULL);
            nim_options_get(nim_model_options(fit->model), name, decided, sizeof decided, NULL);
            if (pass == 1 && strcmp(old, new) != 0 && strcmp(decided, new) != 0 &&
                !change(fit, name, old, new, complaint))
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
    bool chosen = nim_model_reason(fit->model, name, NULL, 0) > 0;
    return complain(complaint, BAD_USAGE,
                    "fit: %s %s contradicts the training to be resumed, which %s%s; omit it", name,
                    after, chosen ? "chose it itself" : "has ", chosen ? "" : before);
}

bool fit_settle_new(struct fit *fit, struct complaint *complaint) {
    nim_model *like = fit->like ? file_load_model(fit->like, complaint) : NULL;
    if (fit->like && !like)
        return false;
    fit->options = like ? nim_options_copy(nim_model_request(like)) : nim_options_create();
    bool fine = (fit->options || complain_of_memory(complaint)) &&
                argument_engine(fit->arguments, fit->options, complaint) &&
                task_settle(&fit->task, fit->arguments, fit->options, NULL, complaint) &&
                fit_request_from_arguments(&fit->request, fit->arguments, complaint) &&
                (!like || fit_request_complete(&fit->request, like, complaint));
    nim_model_free(like);
    return fine;
}

static bool settle_model(struct fit *fit, struct complaint *complaint) {
    const char *resume = argument_text(fit->arguments, "resume");
    const char *from = argument_text(fit->arguments, "from");
    if (resume && from)
        return complain(complaint, BAD_USAGE, "fit: --resume and --from cannot be used together");
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

/* Given now, or when the training to continue was started: it was checked then. */
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
                        "fit: --memory: '%s' is not a size such as 500M or 2G, nor auto", text);
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
    monitor->periodic =
        argument_given(arguments, "checkpoint") || argument_given(arguments, "every");
    return !argument_given(arguments, "every") ||
           argument_whole(arguments, "every", 1, 1000000, &monitor->every, complaint);
}

bool fit_settle(struct fit *fit, struct complaint *complaint) {
    return (argument_given(fit->arguments, "explain") || settle_files(fit, complaint)) &&
           settle_model(fit, complaint) && settle_validation(fit, complaint) &&
           settle_memory(fit, complaint) && settle_progress(fit, complaint);
}
