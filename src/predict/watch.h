/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_PREDICT_WATCH_H
#define NIMGP_PREDICT_WATCH_H

/* The caller's progress function during a prediction: told how many rows are done, it may stop it.
 */

#include "nimgp.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct watch {
    nim_progress_function function; /* or NULL */
    void *context;
    size_t rows;
    atomic_size_t done;
    atomic_bool stopped;
    struct timespec reported;
};

/* Before a call is divided among threads. Asks for the first time. */
void watch_begin(struct watch *watch, size_t rows);

/* Before each unit of `rows` rows, by every thread: whether to go on. Thread 0 is the caller's, and
 * asks again when a tenth of a second has passed. */
bool watch_goes_on(struct watch *watch, size_t rows, size_t worker);

#endif
