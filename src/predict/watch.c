/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "predict/predictor.h"

#define REPORT_SECONDS 0.1

static void ask(struct watch *watch) {
    nim_progress progress = {.batch = atomic_load(&watch->done), .batches = watch->rows};
    if (watch->function(&progress, watch->context))
        atomic_store(&watch->stopped, true);
    clock_gettime(CLOCK_MONOTONIC, &watch->reported);
}

static double seconds_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void watch_begin(struct watch *watch, size_t rows) {
    watch->rows = rows;
    atomic_store(&watch->done, 0);
    atomic_store(&watch->stopped, false);
    if (watch->function)
        ask(watch);
}

bool watch_goes_on(struct watch *watch, size_t rows, size_t worker) {
    if (!watch->function)
        return true;
    if (atomic_load(&watch->stopped))
        return false;
    if (worker == 0 && seconds_since(&watch->reported) >= REPORT_SECONDS)
        ask(watch);
    atomic_fetch_add(&watch->done, rows);
    return !atomic_load(&watch->stopped);
}

nim_status nim_predictor_set_progress(nim_predictor *predictor, nim_progress_function progress,
                                      void *context, nim_error *error) {
    if (!predictor)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor is NULL");
    predictor->watch.function = progress;
    predictor->watch.context = context;
    return succeed(error);
}
