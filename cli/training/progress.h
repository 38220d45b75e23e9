/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_PROGRESS_H
#define CLI_TRAINING_PROGRESS_H

/* Training as it is seen on standard error: a line that is drawn over and over, or a line of JSON
 * per epoch. */

#include "nimgp.h"

#include <stdbool.h>

enum progress_style { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_JSON };

struct progress {
    enum progress_style style;
    bool may_end_early;   /* the time left is the most there can be */
    double start;         /* seconds_now() when training started; the caller's to set */
    double first, drawn;  /* likewise: the first call, the last drawing; 0 before */
    double passes_before; /* passes over the data before the first call */
    bool line;            /* a line stands there that is not ended */
};

/* Seconds since some moment in the past. */
double seconds_now(void);

/* `nll` of held-out rows; NaN where there is none. Draws a few times a second at most. */
void progress_show(struct progress *progress, const nim_progress *state, double nll);

/* Wipes the line away, before something else is said. */
void progress_clear(struct progress *progress);

#endif
