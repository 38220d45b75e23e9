/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust-max against fine quadrature in long double, closed forms, plain draws and the identities
 * that any correct P(label = argmax f) obeys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "likelihood/likelihood.h"
#include "support/reference.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of P, of s dP/d mean and of v dP/d variance: errors in units of each class's own deviation. */
#define TOLERANCE 1e-8

/* Large, so that P can be computed from E log p without loss. */
#define EPSILON 0.1

enum { MOST = 26, STRIDE = 3, ROW = 1 }; /* the tested row is between two others */

static const size_t class_counts[] = {2, 3, 7, 26};
enum { CLASS_COUNTS = 4 };

struct latent {
    size_t classes;
    double mean[MOST], variance[MOST];
};

/* ---------------------------------------------------------------- the library's answers ------- */

struct answer {
    double p, d_mean[MOST], d_variance[MOST];
};

static struct likelihood_setting setting_of(size_t classes) {
    return (struct likelihood_setting){.classes = classes, .epsilon = EPSILON};
}

/* Stores one row in C x STRIDE arrays; the neighbouring rows are very different. */
static void lay_out(const struct latent *f, double *mean, double *variance) {
    for (size_t c = 0; c < f->classes; c++)
        for (size_t r = 0; r < STRIDE; r++) {
            mean[c * STRIDE + r] = r == ROW ? f->mean[c] : (double)(c * r) - 3.0;
            variance[c * STRIDE + r] = r == ROW ? f->variance[c] : 0.5 + (double)c;
        }
}

static struct answer ask(const struct latent *f, size_t label) {
    struct likelihood_setting setting = setting_of(f->classes);
    double mean[MOST * STRIDE], variance[MOST * STRIDE], value[STRIDE];
    double d_mean[MOST * STRIDE], d_variance[MOST * STRIDE];
    double target[STRIDE] = {0.0, (double)label, 1.0}, weight[STRIDE] = {5.0, 2.0, 7.0};
    double *scratch = doubles(likelihood_robust_max.scratch(&setting));
    lay_out(f, mean, variance);
    likelihood_robust_max.expectation(&setting, NULL,
                                      &(struct expectation){.rows = STRIDE,
                                                            .stride = STRIDE,
                                                            .target = target,
                                                            .weight = weight,
                                                            .mean = mean,
                                                            .variance = variance,
                                                            .value = value,
                                                            .d_mean = d_mean,
                                                            .d_variance = d_variance,
                                                            .scratch = scratch});
    free(scratch);
    double hit = log(1.0 - EPSILON), miss = log(EPSILON / ((double)f->classes - 1.0));
    struct answer answer = {.p = (value[ROW] - miss) / (hit - miss)};
    for (size_t c = 0; c < f->classes; c++) {
        answer.d_mean[c] = d_mean[c * STRIDE + ROW] / (weight[ROW] * (hit - miss));
        answer.d_variance[c] = d_variance[c * STRIDE + ROW] / (weight[ROW] * (hit - miss));
    }
    return answer;
}

static void predict_with(const struct latent *f, double epsilon, double *probability) {
    struct likelihood_setting setting = {.classes = f->classes, .epsilon = epsilon};
    double mean[MOST * STRIDE], variance[MOST * STRIDE], all[MOST * STRIDE];
    double *scratch = doubles(likelihood_robust_max.scratch(&setting));
    lay_out(f, mean, variance);
    likelihood_robust_max.predict(&setting, NULL, STRIDE, mean, variance, STRIDE, all, scratch);
    memcpy(probability, all + ROW * f->classes, f->classes * sizeof *probability);
    free(scratch);
}

/* ---------------------------------------------------------------- cases ----------------------- */

enum { WIDTHS = 4, MEANS = 4, SEEDS = SANITIZED ? 1 : 2 };

/* Variances: all equal; spread by 10 or by 1e4 in random order; the label's alone the narrowest. */
static void choose_variances(struct latent *f, size_t kind, size_t label, const double *uniform) {
    static const double spread[WIDTHS] = {1.0, 10.0, 1e4, 1e4};
    for (size_t c = 0; c < f->classes; c++)
        f->variance[c] = 0.3 * pow(spread[kind], uniform[c]);
    if (kind == 2) { /* the whole spread, whatever the draws were */
        f->variance[label] = 0.3 * 1e4;
        f->variance[(label + 1) % f->classes] = 0.3;
    }
    if (kind == 3)
        f->variance[label] = 0.3;
}

/* Means: close together; far apart; the label ahead (P near 1); the label behind (P near 0). */
static void choose_means(struct latent *f, size_t kind, size_t label, const double *normal) {
    static const double scale[MEANS] = {1.0, 30.0, 1.0, 1.0};
    double widest = 0.0;
    for (size_t c = 0; c < f->classes; c++) {
        f->mean[c] = scale[kind] * normal[c];
        widest = fmax(widest, sqrt(f->variance[c]));
    }
    if (kind >= 2)
        f->mean[label] += (kind == 2 ? 4.5 : -4.5) * widest;
}

static struct latent make_case(size_t classes, size_t width, size_t mean, size_t seed,
                               size_t label) {
    struct latent f = {.classes = classes};
    double normal[MOST], uniform[MOST];
    random_normal((struct random_key){11, 1}, seed, 100 * width + mean, MOST, normal);
    random_uniform((struct random_key){11, 2}, seed, 100 * width + mean, MOST, uniform);
    choose_variances(&f, width, label, uniform);
    choose_means(&f, mean, label, normal);
    return f;
}

typedef void case_function(const struct latent *f, size_t label);

static void for_every_case(case_function *function) {
    for (size_t n = 0; n < CLASS_COUNTS; n++)
        for (size_t width = 0; width < WIDTHS; width++)
            for (size_t mean = 0; mean < MEANS; mean++)
                for (size_t seed = 0; seed < SEEDS; seed++) {
                    size_t label = (5 * seed + mean) % class_counts[n];
                    struct latent f = make_case(class_counts[n], width, mean, seed, label);
                    function(&f, label);
                }
}

static void close_to(double value, real expected, real tolerance, const struct latent *f,
                     const char *what) {
    if (!(fabsl(value - expected) <= tolerance)) {
        print_error("C=%zu %s: %.15g, expected %.15Lg\n", f->classes, what, value, expected);
        for (size_t c = 0; c < f->classes; c++)
            print_error("  mean %.6g variance %.6g\n", f->mean[c], f->variance[c]);
    }
    assert_true(fabsl(value - expected) <= tolerance);
}

/* ---------------------------------------------------------------- values and derivatives ------ */

static void against_quadrature(const struct latent *f, size_t label) {
    real mean[MOST], variance[MOST], d_mean[MOST], d_variance[MOST];
    for (size_t c = 0; c < f->classes; c++) {
        mean[c] = f->mean[c];
        variance[c] = f->variance[c];
    }
    real p = reference_win_probability(f->classes, label, mean, variance, d_mean, d_variance);
    struct answer answer = ask(f, label);
    close_to(answer.p, p, TOLERANCE, f, "P");
    for (size_t c = 0; c < f->classes; c++) {
        double s = sqrt(f->variance[c]), v = f->variance[c];
        close_to(s * answer.d_mean[c], s * d_mean[c], TOLERANCE, f, "s dP/dmean");
        close_to(v * answer.d_variance[c], v * d_variance[c], TOLERANCE, f, "v dP/dvariance");
    }
}

static void test_quadrature(void **state) {
    (void)state;
    for_every_case(against_quadrature);
}

/* C = 2: P = Phi(z), z = (m0 - m1) / sqrt(v0 + v1), with the derivatives that follow. */
static void test_two_classes(void **state) {
    (void)state;
    static const double gap[] = {-6.0, -2.0, -0.1, 0.0, 0.7, 3.0, 6.0};
    static const double ratio[] = {1.0, 10.0, 1e4, 1e-4, 1e8, 1e-8, 1e12, 1e-12};
    for (size_t g = 0; g < 7; g++)
        for (size_t r = 0; r < 8; r++) {
            struct latent f = {.classes = 2, .variance = {0.7, 0.7 * ratio[r]}};
            real total = f.variance[0] + f.variance[1], width = sqrtl(total);
            f.mean[1] = 5.0;
            f.mean[0] = f.mean[1] + gap[g] * (double)width;
            real z = (f.mean[0] - f.mean[1]) / width;
            real slope = reference_normal_density(z, 0, 1) / width;
            struct answer answer = ask(&f, 0);
            close_to(answer.p, reference_normal_cdf(z), 1e-10L, &f, "P");
            close_to(answer.d_mean[0], slope, 1e-9L, &f, "dP/dm0");
            close_to(answer.d_mean[1], -slope, 1e-9L, &f, "dP/dm1");
            for (size_t c = 0; c < 2; c++)
                close_to(answer.d_variance[c] * f.variance[c],
                         -slope * z / (2 * width) * f.variance[c], 1e-9L, &f, "v dP/dv");
        }
}

/* Adding the same to all means changes nothing. */
static void slopes_cancel(const struct latent *f, size_t label) {
    struct answer answer = ask(f, label);
    double total = 0.0, narrowest = INFINITY;
    for (size_t c = 0; c < f->classes; c++) {
        total += answer.d_mean[c];
        narrowest = fmin(narrowest, sqrt(f->variance[c]));
    }
    close_to(total * narrowest, 0, 1e-9L, f, "sum of dP/dmean");
}

static void test_translation(void **state) {
    (void)state;
    for_every_case(slopes_cancel);
}

/* dP/dv = 1/2 d2P/dmean2, since a normal density obeys the heat equation. Fourth order in h. */
static void spreads_like_heat(const struct latent *f, size_t label) {
    static const double at[5] = {-2, -1, 0, 1, 2}, weight[5] = {-1, 16, -30, 16, -1};
    struct answer answer = ask(f, label);
    for (size_t c = 0; c < f->classes; c += 1 + f->classes / 8) {
        double s = sqrt(f->variance[c]), narrowest = INFINITY, second = 0.0;
        for (size_t k = 0; k < f->classes; k++)
            narrowest = fmin(narrowest, sqrt(f->variance[k]));
        double h = 0.03 * fmax(narrowest, 0.3 * s); /* P varies over a width of at least s */
        for (size_t k = 0; k < 5; k++) {
            struct latent moved = *f;
            moved.mean[c] += at[k] * h;
            second += weight[k] * ask(&moved, label).p / (12.0 * h * h);
        }
        close_to(answer.d_variance[c] * s * s, 0.5 * second * s * s, 2e-6L, f, "heat equation");
    }
}

static void test_heat_equation(void **state) {
    (void)state;
    for_every_case(spreads_like_heat);
}

/* ---------------------------------------------------------------- draws ----------------------- */

static size_t count_wins(const struct latent *f, size_t label, size_t draws) {
    enum { BLOCK = 1000 };
    double *normal = doubles(BLOCK * f->classes);
    size_t wins = 0;
    for (size_t block = 0; block < draws / BLOCK; block++) {
        random_normal((struct random_key){12, 1}, f->classes, block, BLOCK * f->classes, normal);
        for (size_t i = 0; i < BLOCK; i++) {
            double own = 0.0, best = -INFINITY;
            for (size_t c = 0; c < f->classes; c++) {
                double value = f->mean[c] + sqrt(f->variance[c]) * normal[i * f->classes + c];
                if (c == label)
                    own = value;
                else if (value > best)
                    best = value;
            }
            wins += own > best;
        }
    }
    free(normal);
    return wins;
}

static void test_draws(void **state) {
    (void)state;
    static const struct latent cases[] = {
        {2, {0.3, 0.0}, {1.0, 4.0}},
        {3, {0.2, 0.5, -1.0}, {0.5, 5.0, 0.05}},
        {7, {0.0, 0.2, 0.4, -1.0, 0.6, 0.1, -3.0}, {1.0, 0.01, 0.1, 10.0, 0.3, 0.02, 100.0}},
    };
    for (size_t n = 0; n < 3; n++) {
        double draws = 1e7, p = ask(&cases[n], n % 2).p, error = sqrt(p * (1.0 - p) / draws);
        double share = (double)count_wins(&cases[n], n % 2, (size_t)draws) / draws;
        assert_true(p > 0.01 && p < 0.99); /* otherwise the draws have little information */
        close_to(share, p, 5.0 * error, &cases[n], "share of draws");
    }
}

/* ---------------------------------------------------------------- prediction ------------------ */

static void sums_to_one(const struct latent *f, size_t label) {
    (void)label;
    double probability[MOST];
    real total = 0;
    predict_with(f, EPSILON, probability);
    for (size_t c = 0; c < f->classes; c++) {
        assert_true(probability[c] >= 0.0 && probability[c] <= 1.0);
        total += probability[c];
    }
    close_to((double)total, 1, 1e-14L, f, "sum of probabilities");
}

/* One grid for all classes gives what a grid for each gives. */
static void predicts_the_expectation(const struct latent *f, size_t label) {
    (void)label;
    double probability[MOST], rest = EPSILON / ((double)f->classes - 1.0);
    predict_with(f, EPSILON, probability);
    for (size_t c = 0; c < f->classes; c++) {
        double p = ask(f, c).p;
        close_to(probability[c], (1.0 - EPSILON) * p + (1.0 - p) * rest, TOLERANCE, f,
                 "predicted against expected");
    }
}

/* Class c becomes class (5 c + 3) mod C, or its mirror image where 5 divides C. */
static size_t permuted(size_t classes, size_t c) {
    return classes % 5 ? (5 * c + 3) % classes : classes - 1 - c;
}

static void permutes(const struct latent *f, size_t label) {
    (void)label;
    struct latent g = {.classes = f->classes};
    double before[MOST], after[MOST];
    for (size_t c = 0; c < f->classes; c++) {
        g.mean[permuted(f->classes, c)] = f->mean[c];
        g.variance[permuted(f->classes, c)] = f->variance[c];
    }
    predict_with(f, EPSILON, before);
    predict_with(&g, EPSILON, after);
    for (size_t c = 0; c < f->classes; c++)
        close_to(after[permuted(f->classes, c)], before[c], 1e-13L, f, "permuted");
}

/* If a class is raised, its probability increases and all others decrease, where this is visible
 * (beyond 1e-9). */
static void raised_class_wins(const struct latent *f, size_t label) {
    double before[MOST], after[MOST];
    struct latent raised = *f;
    raised.mean[label] += 0.3 * sqrt(f->variance[label]);
    predict_with(f, EPSILON, before);
    predict_with(&raised, EPSILON, after);
    double rest = EPSILON / ((double)f->classes - 1.0);
    bool decided = before[label] > 1.0 - EPSILON - 1e-9 || after[label] < rest + 1e-9;
    assert_true(decided ? after[label] > before[label] - 1e-11 : after[label] > before[label]);
    for (size_t c = 0; c < f->classes; c++)
        if (c != label)
            assert_true(after[c] < before[c] + 1e-11 &&
                        (before[c] < rest + 1e-6 || decided || after[c] < before[c]));
}

static void test_predict(void **state) {
    (void)state;
    for_every_case(sums_to_one);
    for_every_case(predicts_the_expectation);
    for_every_case(permutes);
    for_every_case(raised_class_wins);
}

/* ---------------------------------------------------------------- label noise ----------------- */

static double learned_value(double theta, const struct latent *f, double *d_theta) {
    struct likelihood_setting setting = {
        .classes = f->classes, .epsilon = 0.02, .learn_epsilon = 1};
    double target = 1.0, weight = 3.0, value, d_mean[MOST], d_variance[MOST];
    double *scratch = doubles(likelihood_robust_max.scratch(&setting));
    likelihood_robust_max.expectation(&setting, &theta,
                                      &(struct expectation){.rows = 1,
                                                            .stride = 1,
                                                            .target = &target,
                                                            .weight = &weight,
                                                            .mean = f->mean,
                                                            .variance = f->variance,
                                                            .value = &value,
                                                            .d_mean = d_mean,
                                                            .d_variance = d_variance,
                                                            .d_theta = d_theta,
                                                            .scratch = scratch});
    free(scratch);
    return value;
}

static void test_learned_epsilon(void **state) {
    (void)state;
    struct latent f = make_case(7, 1, 0, 4, 1);
    struct likelihood_setting setting = {.classes = 7, .epsilon = 0.02, .learn_epsilon = 1};
    double theta;
    assert_int_equal(likelihood_robust_max.parameters(&setting), 1);
    likelihood_robust_max.start(&setting, NULL, &theta);
    close_to(1.0 / (1.0 + exp(-theta)), 0.02L, 1e-15L, &f, "starting epsilon");
    double p = ask(&f, 1).p;
    for (theta = -9.0; theta < 3.0; theta += 1.7) {
        double epsilon = 1.0 / (1.0 + exp(-theta)), h = 1e-3;
        double d_theta = 100.0; /* added to, not overwritten */
        double value = learned_value(theta, &f, &d_theta);
        close_to(value, p * log(1.0 - epsilon) + (1.0 - p) * log(epsilon / 6.0), 1e-12L, &f,
                 "E log p");
        double difference =
            (8.0 * (learned_value(theta + h, &f, NULL) - learned_value(theta - h, &f, NULL)) -
             (learned_value(theta + 2 * h, &f, NULL) - learned_value(theta - 2 * h, &f, NULL))) /
            (12.0 * h);
        close_to(d_theta - 100.0, 3.0 * difference, 1e-9L, &f, "d/d logit epsilon");
    }
}

/* ---------------------------------------------------------------- extremes -------------------- */

static void stays_in_range(const struct latent *f) {
    double probability[MOST], total = 0.0;
    predict_with(f, EPSILON, probability);
    for (size_t c = 0; c < f->classes; c++) {
        struct answer answer = ask(f, c);
        assert_true(answer.p >= -1e-11 && answer.p <= 1.0 + 1e-11);
        for (size_t k = 0; k < f->classes; k++)
            assert_true(isfinite(answer.d_mean[k]) && isfinite(answer.d_variance[k]));
        assert_true(probability[c] >= 0.0 && probability[c] <= 1.0);
        total += probability[c];
    }
    close_to(total, 1, 1e-13L, f, "sum of probabilities");
}

static void test_extremes(void **state) {
    (void)state;
    static const double variance[] = {1e-12, 1.0, 1e12}, apart[] = {0.0, 1e-6, 1.0, 1e6};
    for (size_t n = 0; n < CLASS_COUNTS; n++)
        for (size_t code = 0; code < 27; code++)
            for (size_t a = 0; a < 4; a++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    struct latent f = {.classes = class_counts[n]};
                    size_t digit[3] = {code % 3, code / 3 % 3, code / 9};
                    for (size_t c = 0; c < f.classes; c++) {
                        f.mean[c] = (double)sign * apart[a] * (double)c;
                        f.variance[c] = variance[digit[c % 3]];
                    }
                    stays_in_range(&f);
                }
}

/* The label has P = 0 or P = 1, and the derivatives are zero. */
static void test_certainty(void **state) {
    (void)state;
    for (size_t n = 0; n < CLASS_COUNTS; n++) {
        struct latent f = {.classes = class_counts[n]};
        for (size_t c = 0; c < f.classes; c++) {
            f.mean[c] = c == 1 ? 1e3 : 0.0;
            f.variance[c] = 1.0 + (double)c;
        }
        close_to(ask(&f, 1).p, 1, 1e-15L, &f, "P of a certain class");
        close_to(ask(&f, 0).p, 0, 1e-15L, &f, "P of a hopeless class");
        for (size_t c = 0; c < f.classes; c++)
            close_to(ask(&f, 1).d_mean[c], 0, 1e-12L, &f, "dP/dmean");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadrature),      cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_translation),     cmocka_unit_test(test_heat_equation),
        cmocka_unit_test(test_draws),           cmocka_unit_test(test_predict),
        cmocka_unit_test(test_learned_epsilon), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_certainty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
