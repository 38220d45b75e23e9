/* SPDX-License-Identifier: Apache-2.0 */
/* When training lowers its rate and when it ends, on made-up courses of the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "train/schedule.h"

#include <math.h>

#define RATE 0.02

enum { LONGEST = 5000 };

/* The bound of every epoch to come. */
struct course {
    double level, slope, noise;
    size_t rises_for; /* epochs; flat from then on */
    uint64_t seed;
};

static double bound_at(const struct course *course, size_t epoch) {
    double draw;
    random_normal((struct random_key){course->seed, 100}, 0, epoch, 1, &draw);
    size_t risen = epoch < course->rises_for ? epoch : course->rises_for;
    return course->level + course->slope * (double)risen + course->noise * draw;
}

/* Runs to the end and returns the epochs done; rates[e] is the rate in force in epoch e. */
static size_t run(struct schedule *schedule, const struct course *course, double *rates) {
    size_t epochs = 0;
    bool more = true;
    while (more) {
        assert_true(epochs < schedule->most);
        rates[epochs] = schedule->rate;
        assert_true(isfinite(schedule->rate) && schedule->rate > 0.0);
        more = schedule_continue(schedule, bound_at(course, epochs));
        epochs++;
        assert_int_equal(schedule->epochs, epochs);
    }
    return epochs;
}

/* How many rates there were; they may only fall, and each must have had a window of epochs. */
static size_t stages(const double *rates, size_t epochs) {
    size_t count = 1, since = 0;
    for (size_t e = 1; e < epochs; e++) {
        since++;
        assert_true(rates[e] <= rates[e - 1]);
        if (rates[e] < rates[e - 1]) {
            assert_true(since >= SCHEDULE_WINDOW);
            since = 0;
            count++;
        }
    }
    return count;
}

static void rising_keeps_full_rate(void **state) {
    (void)state;
    static double rates[LONGEST];
    for (int noisy = 0; noisy < 2; noisy++) {
        struct course course = {-1000.0, 1.0, noisy ? 3.0 : 0.0, LONGEST, 1};
        struct schedule schedule = schedule_start(false, RATE, 1000);
        size_t epochs = run(&schedule, &course, rates);
        size_t kept = 1000 - SCHEDULE_STAGES * SCHEDULE_WINDOW;
        assert_true(epochs > kept);
        for (size_t e = 0; e < kept; e++)
            assert_true(rates[e] == RATE);
        assert_int_equal(stages(rates, epochs), SCHEDULE_STAGES);
    }
}

/* Nothing but the number of epochs may end a training whose bound still rises. */
static void rising_uses_every_epoch(void **state) {
    (void)state;
    static double rates[LONGEST];
    static const size_t most[] = {121, 150, 1000, 3001};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct course course = {-1000.0, 1.0, 0.0, LONGEST, 1};
        struct schedule schedule = schedule_start(false, RATE, most[k]);
        assert_int_equal(run(&schedule, &course, rates), most[k]);
    }
}

static void noisy_flat_ends_after_stages(void **state) {
    (void)state;
    static double rates[LONGEST];
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct course course = {-1000.0, 0.0, 5.0, 0, seed};
        struct schedule schedule = schedule_start(false, RATE, LONGEST);
        size_t epochs = run(&schedule, &course, rates);
        assert_in_range(epochs, SCHEDULE_STAGES * SCHEDULE_WINDOW, 600);
        assert_int_equal(stages(rates, epochs), SCHEDULE_STAGES);
        assert_true(rates[0] == RATE);
        assert_true(rates[epochs - 1] < 0.2 * RATE);
    }
}

static void rise_then_rest_ends_soon_after(void **state) {
    (void)state;
    static double rates[LONGEST];
    struct course course = {-1000.0, 1.0, 1.0, 300, 2};
    struct schedule schedule = schedule_start(false, RATE, LONGEST);
    size_t epochs = run(&schedule, &course, rates);
    assert_in_range(epochs, 301, 900);
    for (size_t e = 0; e < 300; e++)
        assert_true(rates[e] == RATE);
}

static void falling_bound_lowers_rate(void **state) {
    (void)state;
    static double rates[LONGEST];
    struct course course = {-1000.0, -1.0, 1.0, LONGEST, 3};
    struct schedule schedule = schedule_start(false, RATE, LONGEST);
    size_t epochs = run(&schedule, &course, rates);
    assert_int_equal(epochs, SCHEDULE_STAGES * SCHEDULE_WINDOW);
    assert_true(rates[SCHEDULE_WINDOW] < RATE);
}

/* A bound without any noise is not above itself: it has settled. */
static void constant_bound_ends(void **state) {
    (void)state;
    static double rates[LONGEST];
    struct course course = {-1000.0, 0.0, 0.0, 0, 4};
    struct schedule schedule = schedule_start(false, RATE, LONGEST);
    assert_int_equal(run(&schedule, &course, rates), SCHEDULE_STAGES * SCHEDULE_WINDOW);
}

static void never_more_than_most(void **state) {
    (void)state;
    static double rates[LONGEST];
    for (size_t most = 1; most < 260; most++)
        for (int flat = 0; flat < 2; flat++) {
            struct course course = {-1000.0, flat ? 0.0 : 1.0, 2.0, LONGEST, most};
            struct schedule schedule = schedule_start(false, RATE, most);
            size_t epochs = run(&schedule, &course, rates);
            assert_true(epochs <= most);
            if (most <= SCHEDULE_WINDOW) /* too short to judge: all of it is used */
                assert_int_equal(epochs, most);
        }
}

static void fixed_is_exact_and_constant(void **state) {
    (void)state;
    static double rates[LONGEST];
    static const size_t most[] = {1, 2, 39, 40, 41, 120, 121, 1000};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct course course = {-1000.0, 0.0, 1.0, 0, k};
        struct schedule schedule = schedule_start(true, RATE, most[k]);
        assert_int_equal(run(&schedule, &course, rates), most[k]);
        for (size_t e = 0; e < most[k]; e++)
            assert_true(rates[e] == RATE);
    }
}

/* Bounds that are not numbers cannot be judged, but must not spoil the rate or run for ever. */
static void strange_bounds_do_no_harm(void **state) {
    (void)state;
    static double rates[LONGEST];
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308};
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
        struct course course = {strange[k], 0.0, 0.0, 0, 0};
        struct schedule schedule = schedule_start(false, RATE, 500);
        assert_true(run(&schedule, &course, rates) <= 500);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_keeps_full_rate),
        cmocka_unit_test(rising_uses_every_epoch),
        cmocka_unit_test(noisy_flat_ends_after_stages),
        cmocka_unit_test(rise_then_rest_ends_soon_after),
        cmocka_unit_test(falling_bound_lowers_rate),
        cmocka_unit_test(constant_bound_ends),
        cmocka_unit_test(never_more_than_most),
        cmocka_unit_test(fixed_is_exact_and_constant),
        cmocka_unit_test(strange_bounds_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
