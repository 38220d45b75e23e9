/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/monitor.h"

#include "cli/terminal/interrupt.h"
#include "cli/terminal/team.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

/* What is said once of a training's costs. */
#define BEFORE_COSTS 5.0      /* seconds, after which the rest is known roughly */
#define LONG_TIME 30.0        /* seconds */
#define MUCH_MEMORY (1 << 20) /* kilobytes */

#define BETWEEN_WRITES 30.0 /* seconds */

/* Looking at held-out rows costs at most about a tenth of the time, and is not done more often than
 * anybody can read. */
#define BETWEEN_LOOKS 1.0 /* seconds */
#define LOOKING_SHARE 0.1

bool monitor_start(struct monitor *monitor, struct complaint *complaint) {
    monitor->nll = (double)NAN;
    monitor->progress.start = monitor->last_write = seconds_now();
    if (!monitor->held.rows)
        return true;
    return predictions_create(&monitor->predictions, monitor->model, 0, monitor->held.rows,
                              false) ||
           complain_of_memory(complaint);
}

void monitor_free(struct monitor *monitor) {
    predictions_free(&monitor->predictions);
}

bool monitor_validate(struct monitor *monitor, struct scores *scores, struct complaint *complaint) {
    nim_predictor *predictor = NULL;
    nim_error error;
    nim_data held = monitor->held;
    target_values_show(monitor->targets, &held);
    bool fine = nim_predictor_create(monitor->model, &predictor, &error) == NIM_OK &&
                predictions_make(&monitor->predictions, predictor, &held, &error) == NIM_OK;
    if (fine)
        *scores = scores_of(&monitor->predictions);
    nim_predictor_free(predictor);
    return fine || complain_of(complaint, &error);
}

/* A look that fails is no reason to stop: the next one, or the training itself, will say why. */
static bool look(struct monitor *monitor) {
    double start = seconds_now();
    if (!monitor->held.rows || start < monitor->next_look)
        return false;
    struct complaint ignored;
    struct scores scores = {0};
    monitor->nll =
        monitor_validate(monitor, &scores, &ignored) ? scores.score[1].score.value : (double)NAN;
    double end = seconds_now();
    monitor->next_look = end + fmax(BETWEEN_LOOKS, (end - start) / LOOKING_SHARE);
    return true;
}

static bool write_is_due(const struct monitor *monitor, const nim_progress *state) {
    if (!monitor->every)
        return seconds_now() - monitor->last_write >= BETWEEN_WRITES;
    return state->batch == 0 && state->epoch != monitor->written_epoch &&
           state->epoch % monitor->every == 0;
}

/* All processes complete the model, and the leader writes it. */
static void write_checkpoint(struct monitor *monitor, const nim_progress *state) {
    nim_error error;
    nim_status status = nim_model_gather(monitor->model, &error);
    if (status == NIM_OK && team_leads())
        status = nim_model_save(monitor->model, monitor->checkpoint, &error);
    monitor->last_write = seconds_now();
    monitor->written_epoch = state->epoch;
    monitor->wrote = monitor->wrote || status == NIM_OK;
    if (status == NIM_OK || monitor->complained)
        return;
    monitor->complained = true;
    progress_clear(&monitor->progress);
    say(monitor->arguments, "%s; training continues", error.message);
}

/* Once: that the training will take long, which a bar shows by itself, or takes much memory. */
static void say_costs(struct monitor *monitor, const nim_progress *state) {
    struct progress *progress = &monitor->progress;
    struct rusage used;
    char time[32], memory[64] = "";
    double left = progress_seconds_left(progress, state);
    if (monitor->said_costs || isnan(left) || seconds_now() - progress->first < BEFORE_COSTS)
        return;
    bool much = getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > MUCH_MEMORY;
    bool is_long = progress->style == PROGRESS_NONE && left > LONG_TIME;
    monitor->said_costs = true;
    if (!team_leads() || (!much && !is_long))
        return;
    if (much)
        snprintf(memory, sizeof memory, ", and uses %.1f GB of memory",
                 (double)used.ru_maxrss / (1024.0 * 1024.0));
    progress_write_time(left, time, sizeof time);
    progress_clear(progress);
    say(monitor->arguments,
        "training takes %s%s more%s; fewer classes, rows or inducing inputs (--inducing) take less",
        progress->may_end_early ? "at most " : "", time, memory);
}

int monitor_call(const nim_progress *state, void *context) {
    struct monitor *monitor = context;
    bool json = monitor->progress.style == PROGRESS_JSON;
    if (!state->batch) /* no step of the calibration */
        monitor->used_up = state->epoch >= state->epochs;
    bool looked =
        (json ? state->batch == 0 : monitor->progress.style == PROGRESS_BAR) && look(monitor);
    /* A line of JSON is permanent, so it does not repeat an old figure. */
    progress_show(&monitor->progress, state, json && !looked ? (double)NAN : monitor->nll);
    say_costs(monitor, state);
    if (monitor->periodic && team_follow(write_is_due(monitor, state))) /* its clock decides */
        write_checkpoint(monitor, state);
    return interrupted();
}
