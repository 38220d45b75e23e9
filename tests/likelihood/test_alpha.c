/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of (1/alpha) log E p^alpha that hold for every likelihood: its value at alpha = 0, its
 * growth and its value at alpha = 1; and the cases in which its integrand is hardest to locate,
 * against sums in long double. test_likelihoods.c tests its derivatives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "likelihood/power.h"
#include "support/likelihood_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void case_function(struct likelihood_case *c);

static const double means[] = {-3.0, -0.5, 0.4, 2.0};
static const double variances[] = {0.05, 0.8, 5.0};
enum { MEANS = 4, VARIANCES = 3, CLASSES = 4 };

/* A label, a set of them, a number, or a count over an exposure. */
static void choose_target(struct likelihood_case *c, size_t n) {
    switch (c->likelihood->target) {
    case TARGET_NUMBER:
        c->target[0] = 0.7 * (double)n - 1.0;
        break;
    case TARGET_COUNT:
        c->target[0] = (double)(n * n);
        c->target[1] = 2.5;
        break;
    case TARGET_LABELS:
        for (size_t l = 0; l < c->classes; l++)
            c->target[l] = (double)((n >> l) & 1);
        break;
    default:
        c->target[0] = (double)(n % c->classes);
    }
}

/* Calls `check` for every likelihood with ordinary f, y and parameters. */
static void every_case(case_function *check) {
    for (size_t l = 0; likelihood_list[l]; l++) {
        const struct likelihood *likelihood = likelihood_list[l];
        bool number = likelihood->target == TARGET_NUMBER || likelihood->target == TARGET_COUNT;
        size_t classes = likelihood->most_classes ? likelihood->most_classes : CLASSES;
        struct likelihood_case c = {.likelihood = likelihood,
                                    .classes = number ? 0 : classes,
                                    .epsilon = 0.02,
                                    .learn_epsilon = likelihood == &likelihood_robust_max};
        c.functions = likelihood_functions(likelihood, classes, 0);
        for (size_t k = 0; k < MOST_THETA; k++)
            c.theta[k] = c.learn_epsilon ? -3.0 : 0.6 * sin(2.0 * (double)k + 1.0);
        case_prepare(&c);
        for (size_t n = 0; n < MEANS * VARIANCES; n++) {
            for (size_t k = 0; k < c.functions; k++) {
                c.mean[k] = means[(n + k) % MEANS] * (k ? 0.5 : 1.0);
                c.variance[k] = variances[(n / MEANS + k) % VARIANCES];
                c.blur[k] = 0.2;
            }
            choose_target(&c, n);
            c.blurred = likelihood->blurs && n % 2;
            check(&c);
        }
        case_free(&c);
    }
}

static struct case_answer ask_at(struct likelihood_case *c, double alpha) {
    c->alpha = alpha;
    return case_ask(c);
}

/* ---------------------------------------------------------------- over nodes ------------------ */

/* For any nodes, also if most of the weight has almost no share; and the shares. */
static void sum_over_nodes(void **state) {
    (void)state;
    static const double alphas[] = {1e-12, 1e-6, 0.02, 0.3, 1.0};
    static const double rare[] = {0.5, 1e-3, 1e-15}, apart[] = {1e-3, 1.0, 50.0, 600.0};
    for (size_t n = 0; n < 5 * 3 * 4; n++) {
        double alpha = alphas[n % 5], q = rare[n / 5 % 3], gap = apart[n / 15];
        double log_p[3] = {-7.0 - gap, -7.0, -7.0 - 0.3 * gap}, weight[3] = {0.9 - q, q, 0.1};
        real share[3], total = 0, less = 0;
        for (size_t i = 0; i < 3; i++) {
            share[i] = weight[i] * expl(alpha * (log_p[i] - log_p[1]));
            total += share[i];
            less += weight[i] * expm1l(alpha * (log_p[i] - log_p[1]));
        }
        real value = log_p[1] + (total > 0.5L ? log1pl(less) : logl(total)) / alpha;
        double answer = power_mean(alpha, 3, log_p, weight);
        assert_true(fabsl(answer - value) <= 1e-14L * fabsl(value));
        for (size_t i = 0; i < 3; i++)
            assert_true(fabsl(weight[i] - share[i] / total) <= 1e-13L * share[i] / total);
    }
}

/* ---------------------------------------------------------------- where it begins ------------- */

/* All answers for two alphas differ by `tolerance` at most, relative to one or their size. */
static void same_answers(struct likelihood_case *c, double one, double other, double tolerance) {
    struct case_answer a = ask_at(c, one), b = ask_at(c, other);
    case_close(c, "value", b.value, a.value, tolerance * (1.0 + fabs(a.value)));
    for (size_t k = 0; k < c->functions; k++) {
        case_close(c, "d mean", b.d_mean[k], a.d_mean[k], tolerance * (1.0 + fabs(a.d_mean[k])));
        case_close(c, "d variance", b.d_variance[k], a.d_variance[k],
                   tolerance * (1.0 + fabs(a.d_variance[k])));
        case_close(c, "d blur", b.d_blur[k], a.d_blur[k], tolerance * (1.0 + fabs(a.d_blur[k])));
    }
    for (size_t k = 0; k < MOST_THETA; k++)
        case_close(c, "d theta", b.d_theta[k], a.d_theta[k],
                   tolerance * (1.0 + fabs(a.d_theta[k])));
}

/* It is E log p + alpha/2 Var log p + ...: with the smaller alpha only rounding errors could be
 * visible. The rates of counts vary by factors, so their variance is larger. */
static void begins_at_mean_log(struct likelihood_case *c) {
    bool count = c->likelihood->target == TARGET_COUNT;
    if (count && c->variance[0] > 1.0)
        return;
    same_answers(c, 0.0, 1e-6, count ? 1e-3 : 1e-4);
    same_answers(c, 0.0, 1e-11, 2e-8);
}

/* The slope there is half the variance of log p; for a Gaussian it is known. */
static void slope_at_zero(void **state) {
    (void)state;
    struct likelihood_case c = {.likelihood = &likelihood_gaussian,
                                .functions = 1,
                                .theta = {-0.3},
                                .target = {1.1},
                                .mean = {0.2},
                                .variance = {0.6}};
    const double h = 1e-5;
    double s2 = exp(-0.3), u2 = 0.81, v = 0.6;
    double start = ask_at(&c, 0.0).value, slope = (ask_at(&c, h).value - start) / h;
    double variance = (u2 * v + 0.5 * v * v) / (s2 * s2); /* of (u + sqrt(v) z)^2 / (2 s2) */
    case_close(&c, "slope", slope, 0.5 * variance, 1e-4);
}

static void continuous_at_zero(void **state) {
    (void)state;
    every_case(begins_at_mean_log);
}

/* ---------------------------------------------------------------- how it grows ---------------- */

/* Means of a power grow with the power (Jensen). */
static void never_falls(struct likelihood_case *c) {
    static const double alphas[] = {0.0, 1e-9, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0 - 1e-6, 1.0};
    double before = -INFINITY;
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        double value = ask_at(c, alphas[i]).value;
        if (!(value >= before - 1e-10 * (1.0 + fabs(before))))
            case_close(c, "value, after a smaller alpha", value, before, 0);
        before = value;
    }
}

static void grows_with_alpha(void **state) {
    (void)state;
    every_case(never_falls);
}

/* ---------------------------------------------------------------- where it ends --------------- */

/* The log of what is predicted for the target. */
static double log_predicted(const struct likelihood_case *c) {
    double p[MOST_F], total = 0.0;
    if (!c->classes)
        return case_number(c).log_density;
    case_predict(c, p);
    if (c->likelihood->target != TARGET_LABELS)
        return log(p[(size_t)c->target[0]]);
    for (size_t l = 0; l < c->classes; l++)
        total += c->target[l] > 0.0 ? log(p[l]) : log1p(-p[l]);
    return total;
}

static void ends_at_prediction(struct likelihood_case *c) {
    c->blurred = false;
    double value = ask_at(c, 1.0).value;
    case_close(c, "value", value, log_predicted(c), 1e-9 * (1.0 + fabs(value)));
}

/* Likelihoods for which alpha = 1 has its own formula. */
static void arrives_there(struct likelihood_case *c) {
    same_answers(c, 1.0, 1.0 - 1e-9, 1e-7);
}

static void predicted_at_one(void **state) {
    (void)state;
    every_case(ends_at_prediction);
}

static void continuous_at_one(void **state) {
    (void)state;
    every_case(arrives_there);
}

/* ---------------------------------------------------------------- label noise ----------------- */

/* By the logit of eps, against differences; test_bound.c and test_gradient.c do the same for all
 * parameters of a model. */
static void label_noise(void **state) {
    (void)state;
    for (double alpha = 0.0; alpha < 1.1; alpha += 0.25)
        for (double logit = -9.0; logit < 1.0; logit += 1.5) {
            struct likelihood_case c = {.likelihood = &likelihood_robust_max,
                                        .classes = 3,
                                        .functions = 3,
                                        .learn_epsilon = true,
                                        .theta = {logit},
                                        .target = {1.0},
                                        .mean = {0.3, 0.1, -2.0},
                                        .variance = {0.5, 1.5, 0.1}};
            double slope = ask_at(&c, alpha).d_theta[0], h = 1e-3, total = 0.0;
            for (int k = 0; k < 4; k++) {
                double step = (double[]){h, -h, 2 * h, -2 * h}[k];
                c.theta[0] = logit + step;
                total += (double[]){8, -8, -1, 1}[k] * case_ask(&c).value / (12 * h);
            }
            case_close(&c, "d logit", slope, total, 1e-10);
        }
}

/* ---------------------------------------------------------------- hard to find ---------------- */

/* Answers are finite, and the value is that of a sum in long double, which has its own last digits
 * where log p is the difference of large terms. */
static void check_far(struct likelihood_case *c) {
    static const double alphas[] = {1e-3, 0.1, 0.3, 0.8, 1.0};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        struct case_answer answer = ask_at(c, alphas[i]);
        struct reference_likelihood reference = case_reference(c);
        real mean = c->mean[0], variance = c->variance[0];
        real value = reference_expectation(&reference, c->target, &mean, &variance, NULL);
        real digits = c->likelihood->target == TARGET_COUNT ? 3e-17L * c->target[0] : 0;
        case_close(c, "value", answer.value, value, 1e-9L * (1 + fabsl(value)) + digits);
        assert_true(isfinite(answer.d_mean[0]) && isfinite(answer.d_variance[0]));
        assert_true(isfinite(answer.d_theta[0]) && isfinite(answer.d_theta[1]));
    }
}

/* The mode of N p^alpha is between the mean and a threshold, far from both, and for large variances
 * much narrower than f. */
static void far_intervals(void **state) {
    (void)state;
    static const double far[] = {-1e5, -300.0, -30.0, -9.0, 30.0, 2e3};
    static const double wide[] = {1e-4, 1.0, 40.0, 1e3, 1e4};
    for (size_t n = 0; n < 6 * 5; n++) {
        struct likelihood_case probit = {.likelihood = &likelihood_probit,
                                         .classes = 2,
                                         .functions = 1,
                                         .target = {1.0},
                                         .mean = {far[n / 5]},
                                         .variance = {wide[n % 5]}};
        struct likelihood_case level = {.likelihood = &likelihood_ordinal,
                                        .classes = 3,
                                        .functions = 1,
                                        .theta = {0.3, -3.0 + 2.0 * (double)(n % 4)},
                                        .target = {1.0},
                                        .mean = {far[n / 5]},
                                        .variance = {wide[n % 5]}};
        check_far(&probit);
        check_far(&level);
    }
}

/* Few counts where many are expected, many where few are expected, and so many that the deviation
 * of f is 1e5 times that of the logarithm of the count. */
static void far_counts(void **state) {
    (void)state;
    static const double counts[] = {0.0, 3.0, 1e3, 1e6, 1e9};
    static const double far[] = {-60.0, -12.0, 0.0, 5.0, 40.0}, wide[] = {1e-3, 1.0, 30.0};
    for (size_t n = 0; n < 5 * 5 * 3; n++) {
        struct likelihood_case c = {.likelihood = &likelihood_poisson,
                                    .functions = 1,
                                    .target = {counts[n % 5], 1.0},
                                    .mean = {far[n / 5 % 5]},
                                    .variance = {wide[n / 25]}};
        c.mean[0] += log(c.target[0] + 0.5);
        check_far(&c);
    }
}

/* Outliers: the integrand has a peak at y and one at the mean, here up to a hundred deviations
 * apart. For some nu and alpha they are equally high. */
static void two_bumps(void **state) {
    (void)state;
    static const double freedom[] = {2.05, 4.0, 16.0, 150.0, 1090.0};
    static const double noise[] = {1e-4, 0.05, 1.0, 30.0};
    for (size_t n = 0; n < 5 * 4; n++)
        for (double distance = 0.0; distance < 160.0; distance = 1.7 * distance + 4.0) {
            struct likelihood_case c = {.likelihood = &likelihood_student_t,
                                        .functions = 1,
                                        .theta = {log(noise[n % 4]), log(freedom[n / 4] - 2.0)},
                                        .target = {distance},
                                        .variance = {1.0}};
            check_far(&c);
        }
}

/* ---------------------------------------------------------------- no answer ------------------- */

/* If f is NaN or infinite the answer is not finite, but the function returns. The bound reports the
 * error. */
static void ask_the_impossible(struct likelihood_case *c) {
    static const double mean[] = {NAN, INFINITY, 1e200, -1e308};
    static const double variance[] = {NAN, INFINITY, 1e-300, 1e300, 0.7};
    static const double alphas[] = {0.0, 1e-308, 0.5, 1.0};
    for (size_t n = 0; n < 4 * 5 * 4; n++) {
        struct likelihood_case odd = *c;
        odd.mean[0] = mean[n % 4];
        odd.variance[0] = variance[n / 4 % 5];
        ask_at(&odd, alphas[n / 20]);
    }
}

static void the_impossible(void **state) {
    (void)state;
    every_case(ask_the_impossible);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_over_nodes),   cmocka_unit_test(continuous_at_zero),
        cmocka_unit_test(slope_at_zero),    cmocka_unit_test(grows_with_alpha),
        cmocka_unit_test(predicted_at_one), cmocka_unit_test(continuous_at_one),
        cmocka_unit_test(label_noise),      cmocka_unit_test(far_intervals),
        cmocka_unit_test(far_counts),       cmocka_unit_test(two_bumps),
        cmocka_unit_test(the_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
