/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_MONITOR_H
#define CLI_TRAINING_MONITOR_H

/* Monitors a training: shows the progress, evaluates held-out rows, writes checkpoints, and stops
 * the training on request. */

#include "cli/rows/target_values.h"
#include "cli/terminal/command.h"
#include "cli/training/progress.h"
#include "score/tally.h"

struct monitor {
    /* Set and owned by the caller. */
    const struct arguments *arguments;
    nim_model *model;
    nim_data held;                       /* rows held out; none when held.rows is 0 */
    const struct target_values *targets; /* theirs */
    struct progress progress;
    const char *checkpoint; /* file */
    bool periodic;          /* write it regularly, not only when stopped */
    size_t every;           /* epochs; 0: every half minute */

    /* Internal. */
    struct predictions predictions; /* of the rows held out */
    double nll;                     /* of the held-out rows at the last evaluation */
    double next_look;               /* seconds_now() */
    double last_write;              /* likewise */
    size_t written_epoch;           /* after which the last checkpoint was written */
    bool used_up;                   /* the maximum of epochs is reached */
    bool complained;                /* that a checkpoint could not be written */
    bool wrote;                     /* a checkpoint */
    bool said_costs;                /* that the training is long, or needs much memory */
};

bool monitor_start(struct monitor *monitor, struct complaint *complaint);
void monitor_free(struct monitor *monitor);

/* A nim_progress_function; the context is the monitor. */
int monitor_call(const nim_progress *state, void *context);

/* The scores of the held-out rows. */
bool monitor_validate(struct monitor *monitor, struct scores *scores, struct complaint *complaint);

#endif
