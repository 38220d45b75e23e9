/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Steps of small models take 100 microseconds: a worker first spins for about that long, since
 * falling asleep and being woken costs more than the work. */
enum { SPINS = 20000 };

struct worker {
    struct pool *pool;
    size_t number;
    pthread_t thread;
};

struct pool {
    size_t threads;
    struct worker *workers; /* threads - 1 of them; the caller is worker 0 */
    unit_function *function;
    void *context;
    size_t count;
    atomic_size_t next;  /* the next unit nobody has taken */
    atomic_size_t busy;  /* workers that have not finished this round */
    atomic_size_t round; /* raised when there is new work */
    atomic_bool stopping;
    atomic_size_t asleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_units(struct pool *pool, size_t worker) {
    for (;;) {
        size_t unit = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (unit >= pool->count)
            return;
        pool->function(pool->context, unit, worker);
    }
}

/* Returns the number of the new round. */
static size_t wait_for_round(struct pool *pool, size_t seen) {
    for (int spin = 0; spin < SPINS; spin++) {
        size_t round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen)
            return round;
        relax();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, 1);
    size_t round;
    while ((round = atomic_load(&pool->round)) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
    return round;
}

static void *work(void *argument) {
    struct worker *self = argument;
    struct pool *pool = self->pool;
    size_t seen = 0;
    for (;;) {
        seen = wait_for_round(pool, seen);
        if (atomic_load(&pool->stopping))
            return NULL;
        take_units(pool, self->number);
        atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_release);
    }
}

static void announce_round(struct pool *pool) {
    atomic_fetch_add(&pool->round, 1);
    /* A worker counts itself asleep under the mutex before it looks at the round once more, so
     * either it sees the new round or we see it asleep. */
    if (atomic_load(&pool->asleep)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

void pool_run(struct pool *pool, size_t count, unit_function *function, void *context) {
    if (pool->threads == 1 || count == 1) {
        for (size_t unit = 0; unit < count; unit++)
            function(context, unit, 0);
        return;
    }
    pool->function = function;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, pool->threads - 1, memory_order_relaxed);
    announce_round(pool);
    take_units(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->busy, memory_order_acquire); spin++) {
        if (spin < SPINS)
            relax();
        else
            sched_yield();
    }
}

struct pool *pool_create(size_t threads) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = 1;
    pool->workers = calloc(threads, sizeof *pool->workers);
    if (!pool->workers) {
        pool_free(pool);
        return NULL;
    }
    while (pool->threads < threads) {
        struct worker *worker = &pool->workers[pool->threads - 1];
        *worker = (struct worker){.pool = pool, .number = pool->threads};
        if (pthread_create(&worker->thread, NULL, work, worker)) {
            pool_free(pool);
            return NULL;
        }
        pool->threads++;
    }
    return pool;
}

void pool_free(struct pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->stopping, true);
    announce_round(pool);
    for (size_t i = 0; i + 1 < pool->threads; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->workers);
    free(pool);
}

size_t pool_threads(const struct pool *pool) {
    return pool->threads;
}

size_t pool_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (size_t)count : 1;
}
