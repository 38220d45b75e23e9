/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WORKERS = 2 };

struct queue {
    size_t count;
    void (*perform)(void *context, size_t index);
    void *context;
    atomic_size_t next;
};

static void *work(void *context) {
    struct queue *queue = context;
    size_t i;
    while ((i = atomic_fetch_add(&queue->next, 1)) < queue->count)
        queue->perform(queue->context, i);
    return NULL;
}

void run_all(size_t count, void (*perform)(void *context, size_t index), void *context) {
    struct queue queue = {.count = count, .perform = perform, .context = context};
    pthread_t worker[WORKERS];
    for (size_t w = 0; w < WORKERS; w++)
        pthread_create(&worker[w], NULL, work, &queue);
    for (size_t w = 0; w < WORKERS; w++)
        pthread_join(worker[w], NULL);
}
