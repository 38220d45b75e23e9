/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of bounds: with the same parameters, more points inside the logarithm and a larger
 * alpha give a larger value on average, both by Jensen's inequality.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/problem.h"
#include "support/sanitized.h"

#include <math.h>

enum { STEPS = SANITIZED ? 20 : 400 };
enum { MOST_SAMPLES = 8 };

struct average {
    double mean, error;
};

/* The mean of the bound over the draws of many steps. The total number of points does not depend on
 * that of a row in one step. */
static struct average average_bound(const struct problem *problem) {
    struct fixture fixture;
    double sum = 0.0, squares = 0.0;
    size_t steps = STEPS * MOST_SAMPLES / problem->samples;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    for (fixture.step = 0; fixture.step < steps; fixture.step++) {
        double value = fixture_bound(&fixture);
        sum += value;
        squares += value * value;
    }
    fixture_free(&fixture);
    double n = (double)steps, mean = sum / n;
    return (struct average){mean, sqrt(fmax(0.0, squares / n - mean * mean) / n)};
}

static struct problem base(const char *input, const char *population) {
    return (struct problem){.classes = 3,
                            .attributes = 2,
                            .inducing = 6,
                            .rows = 40,
                            .kernel = "se",
                            .input = input,
                            .noise = "given",
                            .population = population,
                            .gaps = population != NULL,
                            .noise_variance = 1.0};
}

/* E log (1/S) sum_s w_s p_s grows with S for any q; S = 1 is its analytic counterpart. */
static void more_points_are_tighter(void **state) {
    (void)state;
    static const char *const input[] = {"latent", "amortised", "marginal"};
    static const char *const population[] = {NULL, "gaussian", "mixture"};
    for (size_t i = 0; i < 3; i++)
        for (size_t p = 0; p < 3; p++) {
            struct problem problem = base(input[i], population[p]);
            struct average before = {-INFINITY, 0.0}, first = before;
            for (size_t samples = 1; samples <= MOST_SAMPLES; samples *= samples == 2 ? 4 : 2) {
                problem.samples = samples;
                struct average now = average_bound(&problem);
                double error = sqrt(now.error * now.error + before.error * before.error);
                if (!(now.mean > before.mean - 4.0 * error))
                    fail_msg("%s: %g +- %g after %g +- %g", problem_name(&problem), now.mean,
                             now.error, before.mean, before.error);
                if (samples == 1)
                    first = now;
                before = now;
            }
            double error = sqrt(before.error * before.error + first.error * first.error);
            if (STEPS >= 400 && !(before.mean > first.mean + 4.0 * error))
                fail_msg("%s: no tighter, %g +- %g after %g +- %g", problem_name(&problem),
                         before.mean, before.error, first.mean, first.error);
        }
}

/* (1/alpha) log E p^alpha grows with alpha at each point, so with the same draws the order is
 * certain. */
static void larger_alpha_is_tighter(void **state) {
    (void)state;
    static const char *const input[] = {"latent", "marginal", "exact"};
    for (size_t i = 0; i < 3; i++)
        for (size_t samples = 1; samples <= 5; samples += 4) {
            double before = -INFINITY;
            for (int k = 0; k < 3; k++) {
                struct problem problem = base(input[i], "gaussian");
                problem.samples = samples;
                problem.alpha = 0.5 * k;
                struct fixture fixture;
                fixture_create(&fixture, &problem);
                fixture_disturb(&fixture);
                double value = fixture_bound(&fixture);
                fixture_free(&fixture);
                if (!(value > before))
                    fail_msg("%s: %g after %g", problem_name(&problem), value, before);
                before = value;
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_points_are_tighter),
        cmocka_unit_test(larger_alpha_is_tighter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
