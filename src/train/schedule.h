/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_SCHEDULE_H
#define NIMGP_TRAIN_SCHEDULE_H

/*
 * When to lower the step size and when to stop.
 *
 * The bound of an epoch is a noisy number. It has settled when the mean over the last half of a
 * window of epochs is no longer above the mean over the first half by more than the noise of the
 * two. Then the rate falls, so that the iterates stop jumping about the optimum; after the last
 * stage, training ends.
 */

#include <stdbool.h>
#include <stddef.h>

enum { SCHEDULE_WINDOW = 40, SCHEDULE_STAGES = 3 };

struct schedule {
    bool fixed;    /* constant rate, no early end */
    double rate;   /* in force */
    size_t stage;  /* how often the rate has fallen */
    size_t since;  /* epochs in this stage */
    size_t epochs; /* done */
    size_t most;   /* epochs at most */
    double recent[SCHEDULE_WINDOW];
};

struct schedule schedule_start(bool fixed, double rate, size_t most_epochs);

/* Tells the bound of the epoch just done; false when training is over. */
bool schedule_continue(struct schedule *schedule, double bound);

#endif
