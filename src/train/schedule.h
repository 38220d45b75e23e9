/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_SCHEDULE_H
#define NIMGP_TRAIN_SCHEDULE_H

/*
 * How a training goes: warm-up, stages of falling step size, end.
 *
 * Warm-up. At first the draws of the inputs are narrow and grow to their full width. Drawn in full
 * from the start, the inputs near a boundary look as if their labels were random, a rare class is
 * given up, and the bound, flat in rows whose class is given up, never gets it back. For the same
 * reason rows of rare classes count for more at first, and for what they are when draws are full.
 *
 * Stages. The bound of a step is a noisy number; it is averaged over laps of some steps. It has
 * settled when the mean over the last half of a window of laps is no longer above the mean over the
 * first half by more than the noise of the two. Then the rate falls, so that the iterates stop
 * jumping about the optimum; after the last stage, training ends.
 */

#include "model/checkpoint_state.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCHEDULE_WINDOW = CHECKPOINT_LAPS, SCHEDULE_STAGES = 3 };

struct schedule_plan {
    bool fixed;        /* constant rate, no early end */
    double rate;       /* at the start */
    size_t most_steps; /* the end at the latest; with `fixed` the end */
    size_t lap_steps;  /* steps of a lap */
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

/* Tells the bound of the step just done; false when training is over, and from then on. */
bool schedule_continue(struct schedule *schedule, double bound);

/* Into a checkpoint and back: all it takes to go on another day. */
void schedule_write(const struct schedule *schedule, struct checkpoint_state *state);
struct schedule schedule_read(const struct checkpoint_state *state);

#endif
