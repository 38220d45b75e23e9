/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "cli/training/progress.h"

#include "text/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN_DRAWINGS 0.1 /* seconds */

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* After the last pass, the steps are those of the calibration. */
static bool calibrates(const nim_progress *state) {
    return state->epoch >= state->epochs && state->batch > 0;
}

static double part_of(const nim_progress *state) {
    return state->batches ? (double)state->batch / (double)state->batches : 0.0;
}

static double passes_of(const nim_progress *state) {
    return calibrates(state) ? (double)state->epochs : (double)state->epoch + part_of(state);
}

static void write_json(const struct progress *progress, const nim_progress *state, double nll) {
    struct json_writer json = json_start(stderr);
    json_object(&json, NULL);
    json_whole(&json, "epoch", state->epoch);
    json_whole(&json, "epochs", state->epochs);
    json_whole(&json, "step", state->step);
    json_real(&json, "bound", state->bound);
    json_real(&json, "rate", state->rate);
    json_real(&json, "seconds", seconds_now() - progress->start);
    json_real(&json, "validation_nll", nll);
    json_close(&json);
}

double progress_seconds_left(const struct progress *progress, const nim_progress *state) {
    double passes = passes_of(state), done = passes - progress->passes_before;
    double elapsed = seconds_now() - progress->first;
    double left = ceil(elapsed / done * ((double)state->epochs - passes));
    return done > 0.0 && elapsed >= 0.5 && left >= 0.0 && left < 1e8 ? left : (double)NAN;
}

void progress_write_time(double time, char *text, size_t size) {
    long seconds = (long)time, hours = seconds / 3600, minutes = seconds / 60 % 60;
    if (hours)
        snprintf(text, size, "%ld:%02ld:%02ld", hours, minutes, seconds % 60);
    else
        snprintf(text, size, "%ld:%02ld", minutes, seconds % 60);
}

/* Empty while it is unknown. */
static void write_time_left(const struct progress *progress, const nim_progress *state, char *text,
                            size_t size) {
    double left = progress_seconds_left(progress, state);
    char time[32];
    text[0] = '\0';
    if (isnan(left))
        return;
    progress_write_time(left, time, sizeof time);
    snprintf(text, size, "  %s%s left", progress->may_end_early ? "< " : "", time);
}

static size_t terminal_width(void) {
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        return window.ws_col;
    return 80;
}

/* Over the line before, cut where the window ends. */
static void draw_line(struct progress *progress, const char *line) {
    size_t width = terminal_width();
    fprintf(stderr, "\r%.*s\033[K", (int)(width > 1 ? width - 1 : 1), line);
    fflush(stderr);
    progress->line = true;
}

enum { BAR = 8 }; /* so that all of it fits into 80 columns */

static void draw(struct progress *progress, const nim_progress *state, double nll) {
    char line[256], left[64] = "", held[64] = "", bound[64] = "", bar[BAR + 1];
    double share = calibrates(state) ? part_of(state)
                   : state->epochs   ? passes_of(state) / (double)state->epochs
                                     : 0.0;
    size_t filled = (size_t)(fmin(fmax(share, 0.0), 1.0) * BAR);
    for (size_t i = 0; i < BAR; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    if (!isnan(nll))
        snprintf(held, sizeof held, "  validation NLL %.3f", nll);
    if (!isnan(state->bound)) /* there is none in the first epoch */
        snprintf(bound, sizeof bound, "  bound %.5g", state->bound);
    if (!calibrates(state))
        write_time_left(progress, state, left, sizeof left);
    if (calibrates(state))
        snprintf(line, sizeof line, "%3.0f%% [%s] calibration%s", 100.0 * share, bar, held);
    else
        snprintf(line, sizeof line, "%3.0f%% [%s] epoch %zu/%zu%s%s%s", 100.0 * share, bar,
                 state->epoch, state->epochs, bound, held, left);
    draw_line(progress, line);
}

void progress_begin(struct progress *progress) {
    if (progress->style == PROGRESS_BAR)
        draw_line(progress, "  0% [........] looking at the rows, learning their population");
}

void progress_show(struct progress *progress, const nim_progress *state, double nll) {
    double now = seconds_now();
    bool epoch_ended = state->batch == 0;
    if (progress->first <= 0.0) {
        progress->first = now;
        progress->passes_before = passes_of(state);
    }
    if (progress->style == PROGRESS_JSON && epoch_ended)
        write_json(progress, state, nll);
    if (progress->style == PROGRESS_BAR && now - progress->drawn >= BETWEEN_DRAWINGS) {
        draw(progress, state, nll);
        progress->drawn = now;
    }
}

void progress_clear(struct progress *progress) {
    if (progress->line)
        fputs("\r\033[K", stderr);
    progress->line = false;
}
