/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every likelihood in difficult cases: (1/alpha) log E p^alpha against sums in long double, its
 * derivatives against differences of those sums, for alpha = 0 (E log p), 0.3 and 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/lattice.h"
#include "support/likelihood_case.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative; where a derivative vanishes, relative to the value over the distance in which it
 * changes; and what rounding leaves of a difference of long doubles. */
#define VALUE_TOLERANCE 1e-9L
#define SLOPE_TOLERANCE 1e-7L
#define VANISHING 1e-10L
#define ROUNDING 2e-18L

/* Of the combinations of five variances, five distances and three blurs, every n-th is used, so
 * that each value is combined with each other somewhere. Sanitizers check memory: few are enough.
 */
enum { EVERY = SANITIZED ? 13 : 4 };

/* ---------------------------------------------------------------- differences ----------------- */

/* The numbers of the case in long double, so that they can be changed slightly. */
struct moved {
    const struct likelihood_case *c;
    real mean[MOST_F], variance[MOST_F], blur[MOST_F];
    double theta[MOST_THETA];
};

static struct moved start_moving(const struct likelihood_case *c) {
    struct moved moved = {.c = c};
    memcpy(moved.theta, c->theta, sizeof moved.theta);
    for (size_t k = 0; k < MOST_F; k++) {
        moved.mean[k] = c->mean[k];
        moved.variance[k] = c->variance[k];
        moved.blur[k] = c->blur[k];
    }
    return moved;
}

static real reference_value(const struct moved *moved) {
    struct reference_likelihood reference = case_reference(moved->c);
    reference.theta = moved->theta;
    return reference_expectation(&reference, moved->c->target, moved->mean, moved->variance,
                                 moved->c->blurred ? moved->blur : NULL);
}

/* Fourth order, by one of the numbers in `moved`. */
static real difference(struct moved *moved, real *at, real h) {
    static const real step[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    real kept = *at, total = 0;
    for (size_t k = 0; k < 4; k++) {
        *at = kept + step[k] * h;
        total += weight[k] * reference_value(moved) / (12 * h);
    }
    *at = kept;
    return total;
}

/* The same by a parameter, moved by steps that a double can hold. */
static real parameter_difference(struct moved *moved, size_t k) {
    static const real step[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    real kept = moved->theta[k], total = 0, h = 0x1p-9L;
    for (size_t i = 0; i < 4; i++) {
        moved->theta[k] = (double)kept + (double)(step[i] * h);
        real exact = moved->theta[k] - kept; /* rounded, but known */
        total += weight[i] * reference_value(moved) / (12 * exact / step[i]);
    }
    moved->theta[k] = (double)kept;
    return total;
}

/*
 * As large as truncation allows: for most, a small part of the variance that f and the bend of log
 * p have together. Gaussian E log p is straight in v; the average over softmax's few points is
 * smooth in sqrt(v), not in v.
 */
static real variance_step(const struct likelihood_case *c, real v, real width) {
    if (c->likelihood == &likelihood_softmax)
        return 2e-3L * v / fmaxl(1, sqrtl(v));
    bool straight = c->likelihood == &likelihood_gaussian && c->alpha == 0;
    return straight ? 0.2L * v : fminl(0.2L * v, 2e-3L * (v + width * width));
}

/* The average over few points bends as sharply as at one of them. */
static real mean_step(const struct likelihood_case *c, real v, real width) {
    return 2e-3L * (c->likelihood == &likelihood_softmax ? width : sqrtl(v + width * width));
}

/* Blur is added to a variance of noise: that of y, or one. */
static real noise_of(const struct likelihood_case *c) {
    bool number = c->likelihood->target == TARGET_NUMBER;
    return (number ? expl(c->theta[0]) + (real)c->target[1] : 1) + (real)c->blur[0];
}

/* Numbers and counts: p may change over far less than log p bends over. */
static real width_of_p(const struct likelihood_case *c) {
    bool count = c->likelihood->target == TARGET_COUNT;
    return count ? 1 / sqrtl(1 + (real)c->target[0]) : sqrtl(noise_of(c));
}

/* The largest terms that the value is the sum of. */
static real magnitude(const struct likelihood_case *c, real value) {
    bool count = c->likelihood->target == TARGET_COUNT;
    return 1 + fabsl(value) + (count ? 20 * c->target[0] : 0);
}

/* A derivative by something that the value changes with over a distance of `scale`. */
static void check_slope(const struct likelihood_case *c, const char *what, double slope,
                        struct moved *moved, real *at, real h, real scale, real value) {
    real expected = difference(moved, at, h);
    case_close(c, what, slope, expected,
               SLOPE_TOLERANCE * fabsl(expected) + VANISHING * (1 + fabsl(value)) / scale +
                   ROUNDING * magnitude(c, value) / h);
}

static void check_answers_at(const struct likelihood_case *c, real width) {
    if (c->alpha > 0)
        width = fminl(width, width_of_p(c));
    struct case_answer answer = case_ask(c);
    struct moved moved = start_moving(c);
    struct likelihood_setting setting = case_setting(c);
    real value = reference_value(&moved);
    case_close(c, "value", answer.value, value,
               VALUE_TOLERANCE * fabsl(value) + 1e-14L + ROUNDING * magnitude(c, value));
    for (size_t k = 0; k < c->functions; k++) {
        real v = c->variance[k], scale = sqrtl(v + width * width);
        check_slope(c, "d mean", answer.d_mean[k], &moved, &moved.mean[k], mean_step(c, v, width),
                    scale, value);
        check_slope(c, "d variance", answer.d_variance[k], &moved, &moved.variance[k],
                    variance_step(c, v, width), scale * scale, value);
        if (c->blurred)
            check_slope(c, "d blur", answer.d_blur[k], &moved, &moved.blur[k],
                        fminl(0.2L * c->blur[k], 2e-3L * noise_of(c)), noise_of(c), value);
    }
    size_t count = likelihood_parameters(c->likelihood, &setting);
    for (size_t k = 0; k < count; k++) {
        real slope = parameter_difference(&moved, k);
        case_close(c, "d theta", answer.d_theta[k], slope,
                   SLOPE_TOLERANCE * fabsl(slope) + VANISHING * magnitude(c, value));
    }
}

/* Compares all answers to one question; `width` is the distance over which log p(y | f) bends. */
static void check_answers(struct likelihood_case *c, real width) {
    static const double alphas[] = {0.0, 0.3, 1.0};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        c->alpha = alphas[i];
        check_answers_at(c, width);
    }
}

/* ---------------------------------------------------------------- hard places ----------------- */

static const double variances[] = {1e-6, 1e-3, 0.3, 20.0, 1e4};
static const double distances[] = {-30.0, -6.0, 0.0, 0.4, 30.0};
static const double blurs[] = {-1.0, 1e-4, 3.0}; /* negative: none */
enum { VARIANCES = 5, DISTANCES = 5, BLURS = 3 };

/* With every variance, distance and blur. */
static void check_everywhere(struct likelihood_case *c, double from, real width) {
    size_t turn = 0;
    for (size_t v = 0; v < VARIANCES; v++)
        for (size_t d = 0; d < DISTANCES; d++)
            for (size_t b = 0; b < BLURS; b++) {
                if (turn++ % EVERY)
                    continue;
                c->blurred = c->likelihood->blurs && blurs[b] > 0.0;
                if (!c->blurred && b)
                    continue;
                c->mean[0] = from + distances[d];
                c->variance[0] = variances[v];
                c->blur[0] = c->blurred ? blurs[b] : 0.0;
                check_answers(c, sqrtl(width * width + (real)c->blur[0]));
            }
}

static void gaussian(void **state) {
    (void)state;
    double error = 0.0; /* of y: none, small and large beside the noise */
    for (double log_noise = -20.0; log_noise < 6.0; log_noise += 17.0, error = 3.0 * error + 0.1) {
        struct likelihood_case c = {.likelihood = &likelihood_gaussian,
                                    .functions = 1,
                                    .theta = {log_noise},
                                    .target = {0.7, error}};
        check_everywhere(&c, 0.7, sqrtl(expl(log_noise) + error));
    }
}

static void probit(void **state) {
    (void)state;
    for (double y = 0.0; y < 2.0; y += 1.0) {
        struct likelihood_case c = {
            .likelihood = &likelihood_probit, .classes = 2, .functions = 1, .target = {y}};
        check_everywhere(&c, 0.0, 1);
    }
}

/* Levels: all below -1; one so narrow that Phi(b) - Phi(a) is 4e-4; a wide one; all above. */
static void ordinal(void **state) {
    (void)state;
    for (double y = 0.0; y < 4.0; y += 1.0) {
        struct likelihood_case c = {.likelihood = &likelihood_ordinal,
                                    .classes = 4,
                                    .functions = 1,
                                    .theta = {-1.0, -7.0, 3.0},
                                    .target = {y}};
        check_everywhere(&c, -1.0, 1);
    }
}

static void student_t(void **state) {
    (void)state;
    static const double freedoms[] = {2.05, 4.0, 400.0}, noises[] = {1e-2, 1.0, 50.0};
    for (size_t n = 0; n < 9; n += 2) {
        struct likelihood_case c = {.likelihood = &likelihood_student_t,
                                    .functions = 1,
                                    .theta = {log(noises[n / 3]), log(freedoms[n % 3] - 2.0)},
                                    .target = {-1.3, n % 4 ? 0.2 : 0.0}};
        check_everywhere(&c, -1.3, sqrtl(freedoms[n % 3] * (noises[n / 3] + c.target[1])));
    }
}

/* Counts of none and of a million, exposures from a moment to an age. The variance of f is that of
 * a logarithm: of 9 already its rate varies by factors of 20. */
static void poisson(void **state) {
    (void)state;
    static const double counts[] = {0.0, 1.0, 17.0, 1e6}, exposures[] = {1e-5, 1.0, 1e8};
    static const double variance[] = {1e-6, 1e-2, 1.0, 9.0}, distance[] = {-8.0, -1.0, 0.0, 2.0};
    for (size_t n = 0; n < 4 * 3 * 4 * 4; n += 2 * EVERY + 1) {
        struct likelihood_case c = {.likelihood = &likelihood_poisson,
                                    .functions = 1,
                                    .theta = {-0.7},
                                    .target = {counts[n % 4], exposures[n / 4 % 3]}};
        c.mean[0] = log((c.target[0] + 0.5) / c.target[1]) + 0.7 + distance[n / 12 % 4];
        c.variance[0] = variance[n / 48];
        check_answers(&c, 0.1L); /* the terms cancel if the rate equals the count */
    }
}

/* Two functions, three labels; one label looks at one function only. */
static void multilabel(void **state) {
    (void)state;
    for (size_t n = 0; n < VARIANCES * DISTANCES * BLURS; n += EVERY) {
        struct likelihood_case c = {.likelihood = &likelihood_multilabel,
                                    .classes = 3,
                                    .functions = 2,
                                    .theta = {1.0, 0.0, -0.6, 0.8, 3.0, 2.0, 0.5, -1.0, 0.1},
                                    .target = {1.0, 0.0, 1.0},
                                    .mean = {distances[n % DISTANCES], 0.4},
                                    .variance = {variances[n / DISTANCES % VARIANCES], 0.2}};
        c.blurred = blurs[n % BLURS] > 0.0;
        c.blur[0] = c.blurred ? blurs[n % BLURS] : 0.0;
        c.blur[1] = c.blurred ? 0.05 : 0.0;
        check_answers(&c, 1);
    }
}

/* At the points of the lattice, as the library says. */
static void softmax(void **state) {
    (void)state;
    struct likelihood_case c = {
        .likelihood = &likelihood_softmax, .classes = 4, .functions = 4, .target = {2.0}};
    case_prepare(&c);
    for (size_t n = 0; n < VARIANCES * DISTANCES; n += EVERY) {
        double v = variances[n % VARIANCES], d = distances[n / VARIANCES];
        memcpy(c.mean, (double[]){0.3, -0.2, d, 0.1}, 4 * sizeof *c.mean);
        memcpy(c.variance, (double[]){v, 0.5, v, 2.0}, 4 * sizeof *c.variance);
        check_answers(&c, 1);
    }
    case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian),  cmocka_unit_test(probit),  cmocka_unit_test(ordinal),
        cmocka_unit_test(student_t), cmocka_unit_test(poisson), cmocka_unit_test(multilabel),
        cmocka_unit_test(softmax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
