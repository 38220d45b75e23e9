/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of threads: every unit runs once, for any number of units, round after round. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/pool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 8, MOST_UNITS = 5000 };

/* Not atomic on purpose: a thread sanitizer detects units or workers that use the same element. */
struct tally {
    size_t threads, round;
    size_t visits[MOST_UNITS];
    double result[MOST_UNITS];
    size_t done_by[MOST_THREADS];
};

static double expected(size_t round, size_t unit) {
    return (double)(unit * unit) + 0.5 * (double)round;
}

static void count_unit(void *context, size_t unit, size_t worker) {
    struct tally *tally = context;
    if (worker >= tally->threads)
        abort();
    tally->visits[unit]++;
    tally->result[unit] = expected(tally->round, unit);
    tally->done_by[worker]++;
}

static void check_round(struct pool *pool, struct tally *tally, size_t count) {
    memset(tally->visits, 0, (count + 1) * sizeof *tally->visits);
    memset(tally->done_by, 0, sizeof tally->done_by);
    tally->round++;
    pool_run(pool, count, count_unit, tally);
    size_t done = 0;
    for (size_t w = 0; w < tally->threads; w++)
        done += tally->done_by[w];
    assert_int_equal(done, count);
    assert_int_equal(tally->visits[count], 0);
    for (size_t unit = 0; unit < count; unit++) {
        assert_int_equal(tally->visits[unit], 1);
        assert_true(tally->result[unit] == expected(tally->round, unit));
    }
}

static void every_unit_once(void **state) {
    (void)state;
    static struct tally tally;
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 64, 1000, MOST_UNITS - 1, 0, 1};
    for (size_t threads = 1; threads <= MOST_THREADS; threads++) {
        struct pool *pool = pool_create(threads);
        assert_non_null(pool);
        assert_int_equal(pool_threads(pool), threads);
        tally.threads = threads;
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            check_round(pool, &tally, counts[k]);
        pool_free(pool);
    }
}

/* Rounds in such quick succession that a worker of the last one may still be looking for work. */
static void rounds_in_quick_succession(void **state) {
    (void)state;
    static struct tally tally;
    for (size_t threads = 1; threads <= 4; threads++) {
        struct pool *pool = pool_create(threads);
        assert_non_null(pool);
        tally.threads = threads;
        size_t rounds = threads <= 2 ? 1500 : 100; /* slow if threads share a processor */
        for (size_t round = 0; round < rounds; round++)
            check_round(pool, &tally, round % 12);
        pool_free(pool);
    }
}

static void rest(long milliseconds) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Workers spin for about a millisecond and then sleep; a later round has to wake them. */
static void sleeping_workers_wake(void **state) {
    (void)state;
    static struct tally tally;
    for (size_t threads = 2; threads <= MOST_THREADS; threads += 3) {
        struct pool *pool = pool_create(threads);
        assert_non_null(pool);
        tally.threads = threads;
        for (long pause = 0; pause < 12; pause++) {
            rest(2 * pause);
            check_round(pool, &tally, 50);
        }
        rest(25);
        pool_free(pool); /* while all of them sleep */
    }
}

/* Units that end only when another thread has started the other one: both must run at once. */
struct meeting {
    _Atomic size_t arrived;
};

static void wait_for_the_others(void *context, size_t unit, size_t worker) {
    (void)unit, (void)worker;
    struct meeting *meeting = context;
    meeting->arrived++;
    while (meeting->arrived < 2)
        rest(1);
}

static void units_run_at_the_same_time(void **state) {
    (void)state;
    struct pool *pool = pool_create(2);
    assert_non_null(pool);
    for (long pause = 0; pause < 30; pause += 10) {
        struct meeting meeting = {0};
        rest(pause);
        pool_run(pool, 2, wait_for_the_others, &meeting);
        assert_int_equal(meeting.arrived, 2);
    }
    pool_free(pool);
}

static void create_and_free_again_and_again(void **state) {
    (void)state;
    static struct tally tally;
    for (size_t time = 0; time < 100; time++) {
        size_t threads = 1 + time % MOST_THREADS;
        struct pool *pool = pool_create(threads);
        assert_non_null(pool);
        tally.threads = threads;
        if (time % 3) /* a pool that never worked must be freed as well */
            check_round(pool, &tally, time);
        pool_free(pool);
    }
    pool_free(NULL);
}

static void several_pools_side_by_side(void **state) {
    (void)state;
    static struct tally tally[3];
    struct pool *pool[3];
    for (size_t k = 0; k < 3; k++) {
        pool[k] = pool_create(k + 2);
        assert_non_null(pool[k]);
        tally[k].threads = k + 2;
    }
    for (size_t round = 0; round < 60; round++)
        check_round(pool[round % 3], &tally[round % 3], round);
    for (size_t k = 0; k < 3; k++)
        pool_free(pool[k]);
}

static void there_is_a_processor(void **state) {
    (void)state;
    assert_true(pool_processors() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_once),
        cmocka_unit_test(rounds_in_quick_succession),
        cmocka_unit_test(sleeping_workers_wake),
        cmocka_unit_test(units_run_at_the_same_time),
        cmocka_unit_test(create_and_free_again_and_again),
        cmocka_unit_test(several_pools_side_by_side),
        cmocka_unit_test(there_is_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
