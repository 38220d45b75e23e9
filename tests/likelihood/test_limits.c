/* SPDX-License-Identifier: Apache-2.0 */
/* Cases in which one likelihood equals another: limits and special cases, each with its rate of
 * convergence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/likelihood_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double means[] = {-7.0, -1.2, 0.0, 0.3, 4.0};
static const double variances[] = {1e-4, 0.3, 2.0, 50.0};
enum { MEANS = 5, VARIANCES = 4 };

typedef void place_function(double mean, double variance);

static void everywhere(place_function *check) {
    for (size_t m = 0; m < MEANS; m++)
        for (size_t v = 0; v < VARIANCES; v++)
            check(means[m], variances[v]);
}

/* All answers to two questions are the same, except those by parameters. */
static void same_answers(const struct likelihood_case *one, const struct likelihood_case *other,
                         double tolerance) {
    struct case_answer a = case_ask(one), b = case_ask(other);
    case_close(one, "E log p", a.value, b.value, tolerance * (1.0 + fabs(b.value)));
    case_close(one, "d mean", a.d_mean[0], b.d_mean[0], tolerance * (1.0 + fabs(b.d_mean[0])));
    case_close(one, "d variance", a.d_variance[0], b.d_variance[0],
               tolerance * (1.0 + fabs(b.d_variance[0])));
    if (one->blurred)
        case_close(one, "d blur", a.d_blur[0], b.d_blur[0], tolerance * (1.0 + fabs(b.d_blur[0])));
}

static struct likelihood_case one_function(const struct likelihood *likelihood, size_t classes,
                                           double mean, double variance) {
    return (struct likelihood_case){.likelihood = likelihood,
                                    .classes = classes,
                                    .functions = 1,
                                    .mean = {mean},
                                    .variance = {variance},
                                    .blur = {0.4}};
}

/* ---------------------------------------------------------------- two classes ----------------- */

/* Two levels with their threshold at zero, and one label with W = 1 and b = 0, are a probit. */
static void is_probit(double mean, double variance) {
    for (size_t n = 0; n < 4; n++) {
        struct likelihood_case probit = one_function(&likelihood_probit, 2, mean, variance);
        struct likelihood_case ordinal = one_function(&likelihood_ordinal, 2, mean, variance);
        struct likelihood_case label = one_function(&likelihood_multilabel, 1, mean, variance);
        double p[2], level[2], set[1];
        label.theta[0] = 1.0;
        probit.target[0] = ordinal.target[0] = label.target[0] = (double)(n % 2);
        probit.blurred = ordinal.blurred = label.blurred = n > 1;
        same_answers(&ordinal, &probit, 1e-15);
        same_answers(&label, &probit, 1e-14);
        case_predict(&probit, p);
        case_predict(&ordinal, level);
        case_predict(&label, set);
        assert_memory_equal(p, level, sizeof p);
        case_close(&label, "p", set[0], p[1], 1e-15);
        case_close(&probit, "p0 + p1", p[0] + p[1], 1, 1e-15);
        case_close(&probit, "p", p[1], reference_normal_cdf(mean / sqrtl(1 + (real)variance)),
                   1e-15);
    }
}

static void probit_by_other_names(void **state) {
    (void)state;
    everywhere(is_probit);
}

/* A set of labels with one function each equals the same number of probits. */
static void labels_on_their_own(void **state) {
    (void)state;
    struct likelihood_case set = {.likelihood = &likelihood_multilabel,
                                  .classes = 3,
                                  .functions = 3,
                                  .theta = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  .target = {1.0, 0.0, 1.0},
                                  .mean = {0.3, -2.0, 1.0},
                                  .variance = {0.2, 3.0, 11.0}};
    double total = 0.0, p[3], q[2];
    case_predict(&set, p);
    for (size_t l = 0; l < 3; l++) {
        struct likelihood_case one =
            one_function(&likelihood_probit, 2, set.mean[l], set.variance[l]);
        one.target[0] = set.target[l];
        total += case_ask(&one).value;
        case_predict(&one, q);
        case_close(&set, "p", p[l], q[1], 1e-15);
    }
    case_close(&set, "E log p", case_ask(&set).value, total, 1e-13);
}

/*
 * Robust-max of two functions asks for the sign of f0 - f1 ~ N(m0 - m1, v0 + v1), but for eps: P0 =
 * Phi((m0 - m1) / sqrt(v0 + v1)). A probit's noise of one is nothing beside f when f is scaled up
 * by a: Phi(a m / sqrt(1 + a^2 v)) goes to the same, from below where it is above 1/2, as 1/a^2.
 */
static void robust_max_and_probit(void **state) {
    (void)state;
    for (size_t n = 0; n < MEANS; n++)
        for (double scale = 1e2; scale < 2e6; scale *= 1e2) {
            struct likelihood_case two = {.likelihood = &likelihood_robust_max,
                                          .classes = 2,
                                          .functions = 2,
                                          .epsilon = 1e-12,
                                          .mean = {0.1, 0.1 + 0.3 * means[n]},
                                          .variance = {0.4, 1.1}};
            struct likelihood_case one =
                one_function(&likelihood_probit, 2, scale * 0.3 * means[n], scale * scale * 1.5);
            double p[2], q[2];
            case_predict(&one, q);
            case_predict(&two, p);
            case_close(&two, "p", p[1], q[1], 1.0 / (scale * scale) + 1e-11);
        }
}

/* ---------------------------------------------------------------- softmax --------------------- */

static real log_logistic(real d, const void *context) {
    (void)context;
    return d > 0 ? -log1pl(expl(-d)) : d - log1pl(expl(d));
}

static real logistic(real d, const void *context) {
    (void)context;
    return 1 / (1 + expl(-d));
}

/* Of two functions only the difference counts, and it is normal: a logistic regression. */
static void softmax_of_two(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_softmax, .classes = 2, .functions = 2};
    case_prepare(&c);
    for (size_t n = 0; n < MEANS * 3; n++) {
        double v = (double[]){0.1, 1.0, 10.0}[n / MEANS], p[2];
        memcpy(c.mean, (double[]){0.4 * means[n % MEANS], -0.3}, 2 * sizeof *c.mean);
        memcpy(c.variance, (double[]){v, 0.5 * v}, 2 * sizeof *c.variance);
        real centre = c.mean[0] - (real)c.mean[1], spread = 1.5L * v;
        /* 256 points are a little correlated: the difference's variance is off by a few percent. */
        real tolerance = 1e-2L * v;
        case_close(&c, "E log p", case_ask(&c).value,
                   reference_average(log_logistic, NULL, centre, spread, 0, 1), tolerance);
        case_predict(&c, p);
        case_close(&c, "p", p[0], reference_average(logistic, NULL, centre, spread, 0, 1),
                   tolerance);
    }
    case_free(&c);
}

/* ---------------------------------------------------------------- numbers --------------------- */

/* t noise of nu degrees goes to Gaussian noise like 1/nu. */
static void is_gaussian(double mean, double variance) {
    double before = INFINITY;
    for (double nu = 1e3; nu < 2e8; nu *= 100.0) {
        struct likelihood_case t = one_function(&likelihood_student_t, 0, mean, variance);
        struct likelihood_case normal = one_function(&likelihood_gaussian, 0, mean, variance);
        t.theta[0] = normal.theta[0] = -0.4;
        t.theta[1] = log(nu - 2.0);
        t.target[0] = normal.target[0] = 0.8;
        for (int blurred = 0; blurred < 2; blurred++) {
            t.blurred = normal.blurred = blurred;
            double size = 1.0 + pow(mean - 0.8, 4) + variance * variance; /* of the 1/nu term */
            same_answers(&t, &normal, 30.0 * size / nu + 1e-10);
        }
        double error = fabs(case_ask(&t).value - case_ask(&normal).value);
        assert_true(error < 0.02 * before || error < 1e-9);
        before = error;
    }
}

static void student_t_of_many_degrees(void **state) {
    (void)state;
    everywhere(is_gaussian);
}

/* The same of what is predicted, out to eight deviations. */
static void student_t_predicts_as_gaussian(void **state) {
    (void)state;
    for (double y = -12.0; y < 13.0; y += 0.75) {
        struct likelihood_case t = one_function(&likelihood_student_t, 0, 0.3, 1.5);
        struct likelihood_case normal = one_function(&likelihood_gaussian, 0, 0.3, 1.5);
        const double nu = 1e6;
        t.theta[0] = normal.theta[0] = -0.4;
        t.theta[1] = log(nu - 2.0);
        t.target[0] = normal.target[0] = y;
        struct case_number a = case_number(&t), b = case_number(&normal);
        case_close(&t, "log density", a.log_density, b.log_density, (1.0 + pow(y, 4)) / nu);
        case_close(&t, "P(Y <= y)", a.cumulative, b.cumulative, 2.0 / nu);
        case_close(&t, "E y", a.first, b.first, 1e-15);
        case_close(&t, "E y^2", a.second, b.second, 4.0 / nu);
    }
}

/* Blur is noise: E log p is that of the sum, and so is its derivative by it. */
static void blur_is_noise(double mean, double variance) {
    struct likelihood_case blurred = one_function(&likelihood_gaussian, 0, mean, variance);
    struct likelihood_case plain = blurred;
    blurred.theta[0] = -0.4;
    plain.theta[0] = log(exp(-0.4) + 0.4);
    blurred.target[0] = plain.target[0] = 0.8;
    blurred.blurred = true;
    struct case_answer a = case_ask(&blurred), b = case_ask(&plain);
    case_close(&blurred, "E log p", a.value, b.value, 1e-14 * (1.0 + fabs(b.value)));
    case_close(&blurred, "d mean", a.d_mean[0], b.d_mean[0], 1e-14 * (1.0 + fabs(b.d_mean[0])));
    double by_noise = b.d_theta[0] / (exp(-0.4) + 0.4);
    case_close(&blurred, "d blur", a.d_blur[0], by_noise, 1e-13 * (1.0 + fabs(by_noise)));
    case_close(&blurred, "d theta", a.d_theta[0], by_noise * exp(-0.4),
               1e-13 * (1.0 + fabs(by_noise)));
}

static void gaussian_blur(void **state) {
    (void)state;
    everywhere(blur_is_noise);
}

/* Without blur there is none: zero and NULL are the same. */
static void no_blur(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        if (!likelihood_list[l]->blurs)
            continue;
        bool number = likelihood_list[l]->target == TARGET_NUMBER;
        struct likelihood_case one = one_function(likelihood_list[l], number ? 0 : 2, 0.4, 1.2);
        memcpy(one.theta, (double[]){0.3, 0.7, -0.2, 0.1}, 4 * sizeof *one.theta);
        struct likelihood_case other = one;
        one.blur[0] = 0.0;
        one.blurred = true;
        struct case_answer a = case_ask(&one), b = case_ask(&other);
        assert_true(a.value == b.value && a.d_mean[0] == b.d_mean[0] &&
                    a.d_variance[0] == b.d_variance[0]);
    }
}

/* ---------------------------------------------------------------- counts ---------------------- */

/* A count depends on exposure e, base rate exp(b) and mean of f only through log e + b + mean. */
static void only_the_rate_counts(void **state) {
    (void)state;
    for (double y = 0.0; y < 2e6; y = 10.0 * y + 3.0) {
        struct likelihood_case one = one_function(&likelihood_poisson, 0, 1.0, 0.5), other = one;
        memcpy(one.target, (double[]){y, 20.0}, 2 * sizeof *one.target);
        memcpy(other.target, (double[]){y, 1.0}, 2 * sizeof *other.target);
        other.theta[0] = log(20.0);
        same_answers(&one, &other, 1e-13 * (1.0 + y));
        struct case_number a = case_number(&one), b = case_number(&other);
        case_close(&one, "log density", a.log_density, b.log_density, 1e-9);
        case_close(&one, "P(Y <= y)", a.cumulative, b.cumulative, 1e-9);
        case_close(&one, "E y", a.first, b.first, 1e-12 * b.first);
    }
}

/* As f becomes certain a count is Poisson: sums of its terms, and sums over all counts are one. */
static void counts_of_a_known_rate(void **state) {
    (void)state;
    for (double rate = 0.01; rate < 200.0; rate *= 7.0) {
        real p = expl(-(real)rate), below = p;
        for (double y = 0.0; y < 3.0 * rate + 20.0; y += 1.0) {
            const double v = 1e-10; /* E p = p (1 + v/2 ((y - rate)^2 - rate)) */
            struct likelihood_case c = one_function(&likelihood_poisson, 0, log(rate), v);
            memcpy(c.target, (double[]){y, 1.0}, 2 * sizeof *c.target);
            struct case_number number = case_number(&c);
            case_close(&c, "log density", number.log_density,
                       logl(p) + 0.5 * v * (pow(y - rate, 2) - rate), 1e-10);
            case_close(&c, "P(Y <= y)", number.cumulative, below, v * (1.0 + rate));
            p *= rate / (y + 1.0);
            below += p;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probit_by_other_names),
        cmocka_unit_test(labels_on_their_own),
        cmocka_unit_test(robust_max_and_probit),
        cmocka_unit_test(softmax_of_two),
        cmocka_unit_test(student_t_of_many_degrees),
        cmocka_unit_test(student_t_predicts_as_gaussian),
        cmocka_unit_test(gaussian_blur),
        cmocka_unit_test(no_blur),
        cmocka_unit_test(only_the_rate_counts),
        cmocka_unit_test(counts_of_a_known_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
