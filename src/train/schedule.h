/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_SCHEDULE_H
#define NIMGP_TRAIN_SCHEDULE_H

/*
 * The schedule of a training: warm-up, stages of falling step size, end.
 *
 * Warm-up. The draws of the inputs start narrow and grow to their full width. With full draws from
 * the first step, the labels of inputs near a boundary seem random and a rare class may be lost.
 * The bound is flat in rows of a lost class, so the class does not come back. For the same reason
 * rows of rare classes have a larger weight at first, and their own weight when draws are full.
 *
 * Stages. The bound of a step is noisy, so it is averaged over laps of several steps. It has
 * settled when the mean over the second half of a window of laps is not above the mean over the
 * first half by more than the noise of the two. Then the step size falls, so that the iterates come
 * closer to the optimum. After the last stage, training ends.
 *
 * Where a training is short, or a single pass over many rows is long, there is nothing to wait for.
 * Its number of steps is fixed, without laps: the step size is constant at first and then falls
 * linearly to zero, so that the last iterates average out the noise of small batches.
 */

#include "model/checkpoint_state.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCHEDULE_WINDOW = CHECKPOINT_LAPS, SCHEDULE_STAGES = 3 };

struct schedule_plan {
    bool fixed;        /* constant rate, no early end */
    double rate;       /* at the start */
    size_t most_steps; /* the maximum; with `fixed` the exact number */
    size_t lap_steps;  /* steps of a lap; 0: without laps */
    size_t warm_steps; /* steps until draws have their full width */
};

struct schedule {
    struct schedule_plan plan;
    double rate;  /* in force */
    double width; /* of the draws of inputs, up to 1 */
    bool ended;
    size_t steps; /* done */
    size_t stage; /* how often the rate has fallen */
    size_t laps;  /* done in this stage */
    size_t lap_steps;
    double lap_sum;
    double recent[SCHEDULE_WINDOW];
};

struct schedule schedule_start(struct schedule_plan plan);

/* Adds the bound of the last step; false from the end of the training on. */
bool schedule_continue(struct schedule *schedule, double bound);

/* The state of the schedule, to and from a checkpoint. */
void schedule_write(const struct schedule *schedule, struct checkpoint_state *state);
struct schedule schedule_read(const struct checkpoint_state *state);

#endif
