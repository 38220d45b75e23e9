/* SPDX-License-Identifier: Apache-2.0 */
#include "train/schedule.h"

#include <math.h>
#include <string.h>

#define STAGE_FACTOR 0.3 /* of the rate from one stage to the next */
#define LEAST_WIDTH 0.1  /* of the draws, when the warm-up starts */
#define FULL_RATE 0.2    /* share of the steps at the full rate, without laps */

static double width_at(const struct schedule_plan *plan, size_t step) {
    if (step >= plan->warm_steps)
        return 1.0;
    return LEAST_WIDTH + (1.0 - LEAST_WIDTH) * (double)step / (double)plan->warm_steps;
}

struct schedule schedule_start(struct schedule_plan plan) {
    /* A short training still has most of its steps at full width. */
    if (plan.warm_steps > plan.most_steps / 3)
        plan.warm_steps = plan.most_steps / 3;
    return (struct schedule){.plan = plan, .rate = plan.rate, .width = width_at(&plan, 0)};
}

/* Mean, and variance of the mean, of laps first .. first+count-1. */
static void moments(const struct schedule *schedule, size_t first, size_t count, double *mean,
                    double *variance) {
    double total = 0.0, squares = 0.0, n = (double)count;
    for (size_t lap = first; lap < first + count; lap++)
        total += schedule->recent[lap % SCHEDULE_WINDOW];
    *mean = total / n;
    for (size_t lap = first; lap < first + count; lap++) {
        double distance = schedule->recent[lap % SCHEDULE_WINDOW] - *mean;
        squares += distance * distance;
    }
    *variance = squares / (n * (n - 1.0));
}

static bool settled(const struct schedule *schedule) {
    enum { HALF = SCHEDULE_WINDOW / 2 };
    double early, late, early_variance, late_variance;
    if (schedule->laps < SCHEDULE_WINDOW)
        return false;
    moments(schedule, schedule->laps - 2 * HALF, HALF, &early, &early_variance);
    moments(schedule, schedule->laps - HALF, HALF, &late, &late_variance);
    return late - early <= 2.0 * sqrt(early_variance + late_variance);
}

/*
 * Whether the remaining steps are just enough for the remaining stages: one window each, or a sixth
 * of all steps if that is less.
 */
static bool must_hurry(const struct schedule *schedule) {
    size_t left = schedule->plan.most_steps - schedule->steps;
    size_t stages = SCHEDULE_STAGES - 1 - schedule->stage;
    size_t window = SCHEDULE_WINDOW * schedule->plan.lap_steps;
    size_t sixth = schedule->plan.most_steps / 6;
    return left <= stages * (window < sixth ? window : sixth);
}

/* Ends a lap. False after the last stage. */
static bool end_lap(struct schedule *schedule) {
    schedule->recent[schedule->laps++ % SCHEDULE_WINDOW] =
        schedule->lap_sum / (double)schedule->lap_steps;
    schedule->lap_sum = 0.0;
    schedule->lap_steps = 0;
    bool last = schedule->stage == SCHEDULE_STAGES - 1;
    if (!settled(schedule) && (last || !must_hurry(schedule)))
        return true;
    if (last)
        return false;
    schedule->stage++;
    schedule->rate *= STAGE_FACTOR;
    schedule->laps = 0;
    return true;
}

/* The rate of a step, without laps. */
static double rate_at(const struct schedule_plan *plan, size_t step) {
    double left = 1.0 - (double)step / (double)plan->most_steps;
    return plan->rate * fmin(1.0, left / (1.0 - FULL_RATE));
}

bool schedule_continue(struct schedule *schedule, double bound) {
    bool warming = schedule->steps < schedule->plan.warm_steps;
    schedule->steps++;
    schedule->width = width_at(&schedule->plan, schedule->steps);
    if (schedule->ended || schedule->steps >= schedule->plan.most_steps) {
        schedule->ended = true;
    } else if (!schedule->plan.fixed && !schedule->plan.lap_steps) {
        schedule->rate = rate_at(&schedule->plan, schedule->steps);
    } else if (!schedule->plan.fixed && !warming) {
        schedule->lap_sum += bound;
        if (++schedule->lap_steps == schedule->plan.lap_steps)
            schedule->ended = !end_lap(schedule);
    }
    return !schedule->ended;
}

void schedule_write(const struct schedule *schedule, struct checkpoint_state *state) {
    const struct schedule_plan *plan = &schedule->plan;
    state->schedule.plan_fixed = plan->fixed;
    state->schedule.plan_rate = plan->rate;
    state->schedule.plan_most_steps = (double)plan->most_steps;
    state->schedule.plan_lap_steps = (double)plan->lap_steps;
    state->schedule.plan_warm_steps = (double)plan->warm_steps;
    state->schedule.rate = schedule->rate;
    state->schedule.width = schedule->width;
    state->schedule.ended = schedule->ended;
    state->schedule.steps = (double)schedule->steps;
    state->schedule.stage = (double)schedule->stage;
    state->schedule.laps = (double)schedule->laps;
    state->schedule.lap_steps = (double)schedule->lap_steps;
    state->schedule.lap_sum = schedule->lap_sum;
    memcpy(state->schedule.recent, schedule->recent, sizeof schedule->recent);
}

/* Numbers may come from a file. One that cannot be a count becomes zero. */
static size_t as_count(double number) {
    return number >= 0.0 && number < 9007199254740992.0 ? (size_t)number : 0;
}

struct schedule schedule_read(const struct checkpoint_state *state) {
    struct schedule schedule = {.plan = {.fixed = state->schedule.plan_fixed != 0.0,
                                         .rate = state->schedule.plan_rate,
                                         .most_steps = as_count(state->schedule.plan_most_steps),
                                         .lap_steps = as_count(state->schedule.plan_lap_steps),
                                         .warm_steps = as_count(state->schedule.plan_warm_steps)},
                                .rate = state->schedule.rate,
                                .width = state->schedule.width,
                                .ended = state->schedule.ended != 0.0,
                                .steps = as_count(state->schedule.steps),
                                .stage = as_count(state->schedule.stage),
                                .laps = as_count(state->schedule.laps),
                                .lap_steps = as_count(state->schedule.lap_steps),
                                .lap_sum = state->schedule.lap_sum};
    memcpy(schedule.recent, state->schedule.recent, sizeof schedule.recent);
    return schedule;
}
