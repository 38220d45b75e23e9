/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The caller's progress function during a prediction. It receives the number of completed rows and
 * can stop the prediction.
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

/* Must be called before the threads start. Calls the function for the first time. */
void watch_begin(struct watch *watch, size_t rows);

/* Called by every thread before each unit of `rows` rows: whether to continue. Thread 0, the
 * caller's thread, calls the function again after a tenth of a second. */
bool watch_goes_on(struct watch *watch, size_t rows, size_t worker);
