/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Helgrind does not know atomics: a build for it says what is handed from one thread to another
 * (docs/reliability.md). */
#ifdef NIMGP_HELGRIND
#include <valgrind/helgrind.h>
#define HAND_OVER(place) ANNOTATE_HAPPENS_BEFORE(place)
#define TAKE_OVER(place) ANNOTATE_HAPPENS_AFTER(place)
#define LEAVE_TO_ATOMICS(place, size) VALGRIND_HG_DISABLE_CHECKING(place, size)
#else
#define HAND_OVER(place) ((void)0)
#define TAKE_OVER(place) ((void)0)
#define LEAVE_TO_ATOMICS(place, size) ((void)0)
#endif

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
    _Atomic uint64_t units; /* of this round: their number << 32 | the next free one */
    atomic_size_t done;     /* units of this round that are finished */
    atomic_size_t round;    /* raised when there is new work */
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

/*
 * A round is over when its units are done, not when every worker has woken up to it: on a busy
 * machine that may be much later. A late worker finds no unit, or one of the next round, which
 * cannot end before that unit is done; count and next unit are read in one operation, so it can
 * never mistake one round for another.
 */
static void take_units(struct pool *pool, size_t worker) {
    for (;;) {
        uint64_t units = atomic_fetch_add_explicit(&pool->units, 1, memory_order_acq_rel);
        uint64_t count = units >> 32, unit = units & UINT32_MAX;
        if (unit >= count)
            return;
        TAKE_OVER(&pool->units);
        pool->function(pool->context, (size_t)unit, worker);
        HAND_OVER(&pool->done);
        atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
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

static void run_round(struct pool *pool, size_t count, unit_function *function, void *context) {
    pool->function = function;
    pool->context = context;
    HAND_OVER(&pool->units);
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->units, (uint64_t)count << 32, memory_order_release);
    announce_round(pool);
    take_units(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < count; spin++) {
        if (spin < SPINS)
            relax();
        else
            sched_yield();
    }
    TAKE_OVER(&pool->done);
}

/* Units of a longer run, cut into rounds that fit the 32 bits of a unit's number. */
struct part {
    unit_function *function;
    void *context;
    size_t first;
};

static void run_part(void *context, size_t unit, size_t worker) {
    const struct part *part = context;
    part->function(part->context, part->first + unit, worker);
}

void pool_run(struct pool *pool, size_t count, unit_function *function, void *context) {
    if (pool->threads == 1 || count <= 1) {
        for (size_t unit = 0; unit < count; unit++)
            function(context, unit, 0);
        return;
    }
    const size_t most = (size_t)1 << 31;
    if (count <= most) {
        run_round(pool, count, function, context);
        return;
    }
    struct part part = {function, context, 0};
    for (; part.first < count; part.first += most)
        run_round(pool, count - part.first < most ? count - part.first : most, run_part, &part);
}

struct pool *pool_create(size_t threads) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    LEAVE_TO_ATOMICS(&pool->units, offsetof(struct pool, mutex) - offsetof(struct pool, units));
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = 1;
    pool->workers = calloc(threads, sizeof *pool->workers);
    if (!pool->workers) {
        pool_free(pool);
        return NULL;
    }
    /* Signals are the host program's: its own threads get them, never these; but what a thread's
     * own reading causes, such as a mapped file that became shorter, ends the process if blocked.
     */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->threads < threads) {
        struct worker *worker = &pool->workers[pool->threads - 1];
        *worker = (struct worker){.pool = pool, .number = pool->threads};
        if (pthread_create(&worker->thread, NULL, work, worker))
            break;
        pool->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pool->threads == threads)
        return pool;
    pool_free(pool);
    return NULL;
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
#ifdef __linux__ /* only those that this process may use */
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
#else
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count > 0 ? (size_t)count : 1;
}
