/* SPDX-License-Identifier: Apache-2.0 */
#include "support/likelihood_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void case_prepare(struct likelihood_case *c) {
    struct likelihood_setting setting = case_setting(c);
    if (!c->likelihood->table)
        return;
    c->table = doubles(c->likelihood->table(&setting));
    assert_true(c->likelihood->fill_table(&setting, c->table));
}

void case_free(struct likelihood_case *c) {
    free(c->table);
    c->table = NULL;
}

struct likelihood_setting case_setting(const struct likelihood_case *c) {
    return (struct likelihood_setting){.classes = c->classes,
                                       .functions = c->functions,
                                       .alpha = c->alpha,
                                       .epsilon = c->epsilon,
                                       .learn_epsilon = c->learn_epsilon,
                                       .table = c->table};
}

struct reference_likelihood case_reference(const struct likelihood_case *c) {
    return (struct reference_likelihood){c->likelihood, case_setting(c), c->theta};
}

static double *scratch_of(const struct likelihood_case *c) {
    struct likelihood_setting setting = case_setting(c);
    return doubles(likelihood_scratch(c->likelihood, &setting));
}

struct case_answer case_ask(const struct likelihood_case *c) {
    enum { STRIDE = 3, ROW = 1 };
    struct likelihood_setting setting = case_setting(c);
    size_t width = likelihood_target_width(c->likelihood, c->classes);
    double mean[MOST_F * STRIDE], variance[MOST_F * STRIDE], blur[MOST_F * STRIDE];
    double target[MOST_F * STRIDE] = {0}, value[STRIDE], *scratch = scratch_of(c);
    double d_mean[MOST_F * STRIDE], d_variance[MOST_F * STRIDE], d_blur[MOST_F * STRIDE];
    const double weight[STRIDE] = {0.0, 2.0, 0.0}; /* the others count for nothing in d_theta */
    struct case_answer answer = {0};
    for (size_t r = 0; r < STRIDE; r++) {
        for (size_t k = 0; k < width; k++)
            target[r * width + k] =
                r == ROW || c->likelihood->target == TARGET_COUNT ? c->target[k] : 0.0;
        for (size_t k = 0; k < c->functions; k++) {
            mean[k * STRIDE + r] = r == ROW ? c->mean[k] : 1.5 - (double)r;
            variance[k * STRIDE + r] = r == ROW ? c->variance[k] : 0.3 + (double)k;
            blur[k * STRIDE + r] = r == ROW ? c->blur[k] : 0.1;
        }
    }
    c->likelihood->expectation(&setting, c->theta,
                               &(struct expectation){.rows = STRIDE,
                                                     .stride = STRIDE,
                                                     .target = target,
                                                     .weight = weight,
                                                     .mean = mean,
                                                     .variance = variance,
                                                     .blur = c->blurred ? blur : NULL,
                                                     .value = value,
                                                     .d_mean = d_mean,
                                                     .d_variance = d_variance,
                                                     .d_blur = c->blurred ? d_blur : NULL,
                                                     .d_theta = answer.d_theta,
                                                     .scratch = scratch});
    answer.value = value[ROW];
    for (size_t k = 0; k < c->functions; k++) {
        answer.d_mean[k] = d_mean[k * STRIDE + ROW] / 2.0;
        answer.d_variance[k] = d_variance[k * STRIDE + ROW] / 2.0;
        answer.d_blur[k] = c->blurred ? d_blur[k * STRIDE + ROW] / 2.0 : 0.0;
    }
    for (size_t k = 0; k < MOST_THETA; k++)
        answer.d_theta[k] /= 2.0;
    free(scratch);
    return answer;
}

void case_predict(const struct likelihood_case *c, double *probability) {
    struct likelihood_setting setting = case_setting(c);
    double *scratch = scratch_of(c);
    c->likelihood->predict(&setting, c->theta, 1, c->mean, c->variance, 1, probability, scratch);
    free(scratch);
}

struct case_number case_number(const struct likelihood_case *c) {
    struct likelihood_setting setting = case_setting(c);
    struct case_number number;
    double *scratch = scratch_of(c);
    c->likelihood->moments(&setting, c->theta, c->target, 1, c->mean, c->variance, &number.first,
                           &number.second);
    c->likelihood->log_density(&setting, c->theta, c->target, 1, c->mean, c->variance,
                               &number.log_density, scratch);
    c->likelihood->cumulative(&setting, c->theta, c->target, 1, c->mean, c->variance,
                              &number.cumulative, scratch);
    free(scratch);
    return number;
}

void case_close(const struct likelihood_case *c, const char *what, double value, real expected,
                real tolerance) {
    if (fabsl(value - expected) <= tolerance)
        return;
    print_error("%s: %s is %.15g, expected %.15Lg within %.2Lg\n", c->likelihood->name, what, value,
                expected, tolerance);
    print_error("  alpha = %g, y = %g, theta = %g %g\n", c->alpha, c->target[0], c->theta[0],
                c->theta[1]);
    for (size_t k = 0; k < c->functions; k++)
        print_error("  mean %g variance %g blur %g\n", c->mean[k], c->variance[k], c->blur[k]);
    fail();
}
