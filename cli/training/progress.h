/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_PROGRESS_H
#define CLI_TRAINING_PROGRESS_H

/* The progress of a training on standard error: a line that is redrawn, or a line of JSON per
 * epoch. */

#include "nimgp.h"

#include <stdbool.h>

enum progress_style { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_JSON };

struct progress {
    enum progress_style style;
    bool may_end_early;   /* the time left is an upper limit */
    double start;         /* seconds_now() when training started; the caller's to set */
    double first, drawn;  /* likewise: the first call, the last drawing; 0 before */
    double passes_before; /* passes over the data before the first call */
    bool line;            /* a line without newline is on the terminal */
};

/* Seconds of a monotonic clock. */
double seconds_now(void);

/* Before the first step: the population of the true inputs is learned. */
void progress_begin(struct progress *progress);

/* `nll` of held-out rows; NaN if there is none. Draws at most a few times a second. */
void progress_show(struct progress *progress, const nim_progress *state, double nll);

/* Until all epochs are over, from the time of those that are; NaN while it is unknown. */
double progress_seconds_left(const struct progress *progress, const nim_progress *state);

/* "1:05", "2:00:09" */
void progress_write_time(double time, char *text, size_t size);

/* Clears the line before another message. */
void progress_clear(struct progress *progress);

#endif
