/* SPDX-License-Identifier: Apache-2.0 */
#include "train/schedule.h"

#include <math.h>

/* By how much the rate falls with each stage. */
#define STAGE_FACTOR 0.3

struct schedule schedule_start(bool fixed, double rate, size_t most_epochs) {
    return (struct schedule){.fixed = fixed, .rate = rate, .most = most_epochs};
}

/* Mean and variance of the mean of values at epochs first .. first+count-1 of the ring. */
static void moments(const struct schedule *schedule, size_t first, size_t count, double *mean,
                    double *variance) {
    double total = 0.0, squares = 0.0, n = (double)count;
    for (size_t e = first; e < first + count; e++)
        total += schedule->recent[e % SCHEDULE_WINDOW];
    *mean = total / n;
    for (size_t e = first; e < first + count; e++) {
        double distance = schedule->recent[e % SCHEDULE_WINDOW] - *mean;
        squares += distance * distance;
    }
    *variance = squares / (n * (n - 1.0));
}

static bool settled(const struct schedule *schedule) {
    enum { HALF = SCHEDULE_WINDOW / 2 };
    double early, late, early_variance, late_variance;
    if (schedule->since < SCHEDULE_WINDOW)
        return false;
    moments(schedule, schedule->since - 2 * HALF, HALF, &early, &early_variance);
    moments(schedule, schedule->since - HALF, HALF, &late, &late_variance);
    return late - early < 2.0 * sqrt(early_variance + late_variance);
}

/* Stages end when settled, or when their share of the epochs is used up. */
bool schedule_continue(struct schedule *schedule, double bound) {
    schedule->recent[schedule->since % SCHEDULE_WINDOW] = bound;
    schedule->since++;
    schedule->epochs++;
    if (schedule->epochs >= schedule->most)
        return false;
    if (schedule->fixed)
        return true;
    size_t left = schedule->most - schedule->epochs,
           stages_left = SCHEDULE_STAGES - schedule->stage;
    bool hurry = left <= stages_left * SCHEDULE_WINDOW;
    if (!settled(schedule) && !hurry)
        return true;
    if (hurry && schedule->since < SCHEDULE_WINDOW)
        return true;
    if (++schedule->stage == SCHEDULE_STAGES)
        return false;
    schedule->rate *= STAGE_FACTOR;
    schedule->since = 0;
    return true;
}
