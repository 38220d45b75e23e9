/* SPDX-License-Identifier: Apache-2.0 */
/* How wide draws are, when the rate falls and when training ends, on made-up courses of a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "train/schedule.h"

#include <math.h>

#define RATE 0.02

enum { LONGEST = 60000 };

/* The bound of every step to come. */
struct course {
    double level, slope, noise;
    size_t rises_for; /* steps; flat from then on */
    uint64_t seed;
};

static double bound_at(const struct course *course, size_t step) {
    double draw;
    random_normal((struct random_key){course->seed, 100}, 0, step, 1, &draw);
    size_t risen = step < course->rises_for ? step : course->rises_for;
    return course->level + course->slope * (double)risen + course->noise * draw;
}

static struct schedule_plan plan(size_t most, size_t lap) {
    return (struct schedule_plan){.rate = RATE, .most_steps = most, .lap_steps = lap};
}

/* The rate and width in force in each step of the last run. */
static double rates[LONGEST], widths[LONGEST];

/* Runs to the end and returns the steps done. */
static size_t run(struct schedule_plan plan, const struct course *course) {
    struct schedule schedule = schedule_start(plan);
    size_t steps = 0;
    for (bool more = true; more; steps++) {
        assert_true(steps < plan.most_steps);
        assert_true(isfinite(schedule.rate) && schedule.rate > 0.0);
        assert_true(schedule.width > 0.0 && schedule.width <= 1.0);
        rates[steps] = schedule.rate;
        widths[steps] = schedule.width;
        more = schedule_continue(&schedule, bound_at(course, steps));
    }
    return steps;
}

/* How many rates there were; they may only fall. */
static size_t stages(size_t steps) {
    size_t count = 1;
    for (size_t s = 1; s < steps; s++) {
        assert_true(rates[s] <= rates[s - 1]);
        count += rates[s] < rates[s - 1];
    }
    return count;
}

/* Steps at the rate of the start. */
static size_t steps_at_full_rate(size_t steps) {
    size_t count = 0;
    while (count < steps && rates[count] == RATE)
        count++;
    return count;
}

static void rising_keeps_full_rate(void **state) {
    (void)state;
    for (size_t lap = 1; lap <= 10; lap += 9)
        for (int noisy = 0; noisy < 2; noisy++) {
            struct course course = {-1000.0, 1.0, noisy ? 3.0 : 0.0, LONGEST, 1};
            size_t steps = run(plan(1000 * lap, lap), &course);
            assert_true(steps_at_full_rate(steps) >=
                        (1000 - SCHEDULE_STAGES * SCHEDULE_WINDOW) * lap);
            assert_int_equal(stages(steps), SCHEDULE_STAGES);
        }
}

/* Nothing but the number of steps may end a training whose bound still rises. */
static void rising_uses_every_step(void **state) {
    (void)state;
    static const size_t most[] = {121, 150, 1000, 3001};
    for (size_t lap = 1; lap <= 10; lap += 3)
        for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
            struct course course = {-1000.0, 1.0, 0.0, LONGEST, 1};
            assert_int_equal(run(plan(most[k], lap), &course), most[k]);
        }
}

/* Too few steps for a window in every stage: then each stage has its share, the first one too. */
static void short_training_shares_its_steps(void **state) {
    (void)state;
    static const size_t laps[] = {6, 30, 60, 90, 119};
    for (size_t k = 0; k < sizeof laps / sizeof *laps; k++) {
        struct course course = {-1000.0, 1.0, 0.0, LONGEST, 1};
        size_t steps = run(plan(laps[k] * 10, 10), &course), full = steps_at_full_rate(steps);
        if (full < steps / SCHEDULE_STAGES)
            fail_msg("of %zu steps only %zu were done at the full rate", steps, full);
    }
}

static void noisy_flat_ends_after_stages(void **state) {
    (void)state;
    for (size_t lap = 1; lap <= 10; lap += 9)
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct course course = {-1000.0, 0.0, 5.0, 0, seed};
            size_t steps = run(plan(LONGEST, lap), &course);
            assert_in_range(steps, SCHEDULE_STAGES * SCHEDULE_WINDOW * lap, 600 * lap);
            assert_int_equal(stages(steps), SCHEDULE_STAGES);
            assert_true(steps_at_full_rate(steps) >= SCHEDULE_WINDOW * lap);
            assert_true(rates[steps - 1] < 0.2 * RATE);
        }
}

static void rise_then_rest_ends_soon_after(void **state) {
    (void)state;
    struct course course = {-1000.0, 1.0, 1.0, 300, 2};
    size_t steps = run(plan(LONGEST, 1), &course);
    assert_in_range(steps, 301, 900);
    assert_true(steps_at_full_rate(steps) >= 300);
}

static void falling_bound_lowers_rate(void **state) {
    (void)state;
    struct course course = {-1000.0, -1.0, 1.0, LONGEST, 3};
    assert_int_equal(run(plan(LONGEST, 1), &course), SCHEDULE_STAGES * SCHEDULE_WINDOW);
    assert_true(rates[SCHEDULE_WINDOW] < RATE);
}

/* A bound without any noise is not above itself: it has settled. */
static void constant_bound_ends(void **state) {
    (void)state;
    struct course course = {-1000.0, 0.0, 0.0, 0, 4};
    assert_int_equal(run(plan(LONGEST, 1), &course), SCHEDULE_STAGES * SCHEDULE_WINDOW);
}

static void never_more_than_most(void **state) {
    (void)state;
    for (size_t most = 1; most < 260; most++)
        for (int flat = 0; flat < 2; flat++) {
            struct course course = {-1000.0, flat ? 0.0 : 1.0, 2.0, LONGEST, most};
            size_t steps = run(plan(most, 1 + most % 3), &course);
            assert_true(steps <= most);
            if (most <= SCHEDULE_WINDOW) /* too short to judge: all of it is used */
                assert_int_equal(steps, most);
        }
}

static void fixed_is_exact_and_constant(void **state) {
    (void)state;
    static const size_t most[] = {1, 2, 39, 40, 41, 120, 121, 1000};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct course course = {-1000.0, 0.0, 1.0, 0, k};
        struct schedule_plan fixed = plan(most[k], 1 + k);
        fixed.fixed = true;
        assert_int_equal(run(fixed, &course), most[k]);
        assert_int_equal(steps_at_full_rate(most[k]), most[k]);
    }
}

/* Without laps: all steps, whatever the bound. The rate is constant and then falls by equal amounts
 * to nearly zero, so that its average is 0.6 of the first. */
static void without_laps_rate_falls_evenly(void **state) {
    (void)state;
    static const size_t most[] = {1, 2, 7, 1000, 20000};
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct course course = {k % 2 ? NAN : -1000.0, 0.0, 1.0, 0, k};
        size_t steps = run(plan(most[k], 0), &course), full = steps_at_full_rate(steps);
        double total = 0.0, n = (double)steps;
        assert_int_equal(steps, most[k]);
        for (size_t s = 0; s < steps; s++)
            total += rates[s];
        assert_true(fabs((double)full - 0.2 * n) <= 1.0);
        assert_true(fabs(total / n / RATE - 0.6) <= 0.5 / n + 1e-9);
        for (size_t s = full + 1; s < steps; s++)
            assert_true(fabs(rates[s - 1] - rates[s] - RATE / (0.8 * n)) < 1e-12);
    }
}

/* Draws widen step by step, and until they are at full width the bound is not judged. */
static void warm_up_comes_first(void **state) {
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        struct course course = {-1000.0, -1.0, 1.0, LONGEST, 5};
        struct schedule_plan warm = plan(5000, 1);
        warm.fixed = fixed;
        warm.warm_steps = 500;
        size_t steps = run(warm, &course);
        assert_true(widths[0] < 0.5);
        for (size_t s = 1; s < 500; s++)
            assert_true(widths[s] > widths[s - 1] && widths[s] < 1.0 && rates[s] == RATE);
        for (size_t s = 500; s < steps; s++)
            assert_true(widths[s] == 1.0);
        assert_int_equal(steps, fixed ? 5000 : 500 + SCHEDULE_STAGES * SCHEDULE_WINDOW);
    }
}

/* However long the warm-up is meant to be, most steps are done at full width; without one, all. */
static void warm_up_leaves_room(void **state) {
    (void)state;
    struct course course = {-1000.0, 1.0, 1.0, LONGEST, 6};
    for (size_t most = 1; most < 100; most++) {
        struct schedule_plan warm = plan(most, 10);
        warm.warm_steps = 1000000;
        size_t steps = run(warm, &course), full = 0;
        for (size_t s = 0; s < steps; s++)
            full += widths[s] == 1.0;
        assert_true(2 * full >= steps);
        steps = run(plan(most, 10), &course);
        for (size_t s = 0; s < steps; s++)
            assert_true(widths[s] == 1.0);
    }
}

/* Bounds that are not numbers cannot be judged, but must not spoil the rate or run for ever. */
static void strange_bounds_do_no_harm(void **state) {
    (void)state;
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308};
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
        struct course course = {strange[k], 0.0, 0.0, 0, 0};
        assert_true(run(plan(500, 1 + k), &course) <= 500);
    }
}

/* Draws grow from narrow to full while warming up, in at most a third of the steps. */
static void warm_up_widens_draws(void **state) {
    (void)state;
    static const size_t warm[] = {0, 1, 100, 5000}, most = 600;
    for (size_t k = 0; k < sizeof warm / sizeof *warm; k++) {
        struct schedule schedule =
            schedule_start((struct schedule_plan){true, RATE, most, 1, warm[k]});
        size_t expected = warm[k] < most / 3 ? warm[k] : most / 3;
        double before = 0.0;
        for (size_t step = 0; step < most; step++) {
            assert_true(schedule.width > 0.0 && schedule.width >= before);
            assert_true((schedule.width == 1.0) == (step >= expected));
            before = schedule.width;
            schedule_continue(&schedule, 0.0);
        }
    }
}

/* With laps of several steps, a flat bound takes that many times longer to be judged. */
static void laps_average_steps(void **state) {
    (void)state;
    struct schedule schedule = schedule_start((struct schedule_plan){false, RATE, LONGEST, 7, 50});
    size_t steps = 1;
    while (schedule_continue(&schedule, -1000.0))
        steps++;
    assert_int_equal(steps, 50 + 7 * SCHEDULE_STAGES * SCHEDULE_WINDOW);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_keeps_full_rate),
        cmocka_unit_test(rising_uses_every_step),
        cmocka_unit_test(short_training_shares_its_steps),
        cmocka_unit_test(noisy_flat_ends_after_stages),
        cmocka_unit_test(rise_then_rest_ends_soon_after),
        cmocka_unit_test(falling_bound_lowers_rate),
        cmocka_unit_test(constant_bound_ends),
        cmocka_unit_test(never_more_than_most),
        cmocka_unit_test(fixed_is_exact_and_constant),
        cmocka_unit_test(without_laps_rate_falls_evenly),
        cmocka_unit_test(warm_up_comes_first),
        cmocka_unit_test(warm_up_leaves_room),
        cmocka_unit_test(strange_bounds_do_no_harm),
        cmocka_unit_test(warm_up_widens_draws),
        cmocka_unit_test(laps_average_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
