/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound and its gradient in single precision against those in double precision, for every
 * kernel, input model and likelihood.
 *
 * The tolerance. Rounding is u = 2^-24 = 6e-8. An element of A = L_K^-1 K is a sum of M terms and
 * is off by at most (M + 3) u |L_K^-1| |K|, and |L_K^-1| is at most 1 / sqrt(the diagonal's noise),
 * 3 in these problems: with M up to 19 and s2 near 1 about 1e-5 of its size. W A, the adjoints and
 * gamma X add as much each, and each is a sum over M or R of terms of both signs, in which a few
 * digits may cancel. All of it stays below 1e-4 of a block's largest derivative.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/bound.h"
#include "support/problem.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-4

/* Makes the fixture evaluate its bound in single precision. */
static void make_single(struct fixture *fixture) {
    bound_free(fixture->bound);
    fixture->model->options.precision = PRECISION_SINGLE;
    fixture->bound = bound_create(fixture->model, &fixture->data, fixture->rows, 1);
    assert_non_null(fixture->bound);
}

static void compare_block(const struct problem *problem, const char *block, size_t count,
                          const double *expected, const double *found, double scale,
                          double tolerance) {
    double largest = 1e-4 * scale, worst = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(found[i] - expected[i]) / largest);
    if (!(worst <= tolerance))
        fail_msg("%s: block %s: %.2e", problem_name(problem), block, worst);
}

static double *copy_of(size_t count, const double *numbers) {
    double *copy = malloc((count + 1) * sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* Compares value and gradient of the fixture in both precisions. */
static void compare(struct fixture *fixture, const struct problem *problem, double tolerance) {
    struct nim_model *model = fixture->model;
    size_t own = fixture->rows * model->table.each;
    double value = fixture_bound(fixture);
    double *gradient = copy_of(model->count, bound_gradient(fixture->bound));
    double *own_gradient = copy_of(own, bound_own_gradient(fixture->bound));
    make_single(fixture);
    double single = fixture_bound(fixture);
    if (!(fabs(single - value) <= 1e-4 * fabs(value)))
        fail_msg("%s: the bound is %.9g, not %.9g", problem_name(problem), single, value);
    assert_true(single != value); /* otherwise it was not single */
    for (size_t b = 0; b < model->functions * BLOCKS_PER_FUNCTION + BLOCKS_IN_COMMON; b++) {
        struct block block = model_block(model, b);
        compare_block(problem, block.name, block.count, gradient + block.offset,
                      bound_gradient(fixture->bound) + block.offset, fabs(value), tolerance);
    }
    compare_block(problem, "rows' own", own, own_gradient, bound_own_gradient(fixture->bound),
                  fabs(value), tolerance);
    free(own_gradient);
    free(gradient);
}

static void check(const struct problem *problem, size_t combination) {
    if (SANITIZED && combination % 5 != 0)
        return;
    struct fixture fixture;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    compare(&fixture, problem, TOLERANCE);
    fixture_free(&fixture);
}

static void every_kernel_and_input(void **state) {
    (void)state;
    every_combination(3, 5, 8, check);
    every_combination(2, 1, 1, check);
    every_combination(7, 2, 8, check);
}

/* Above GP_FEW_ATTRIBUTES distances are products of floats too. */
static void many_attributes(void **state) {
    (void)state;
    every_combination(3, 37, 13, check);
    every_unwhitened(3, 37, 13, check);
}

static void every_likelihood_and_input(void **state) {
    (void)state;
    every_likelihood(4, 5, 8, 0.0, check);
    every_likelihood(3, 2, 5, 1.0, check);
}

/*
 * Where K_zz is nearly singular: white noise of e^-10, as training starts, and lengthscales four
 * times as long. Rounding reaches derivatives through L_K^-1 twice, so 6e-8 becomes up to 6e-8 /
 * e^-10 = 1.3e-3 a term, and sums over M = 30 of both signs make that 7e-3: 1e-2 is allowed. The
 * bound itself, in which L_K^-1 stands once, is held to 1e-4.
 */
static void nearly_singular(void **state) {
    (void)state;
    static const size_t attributes[] = {2, GP_CLOSE_ATTRIBUTES + 1, 40};
    for (size_t k = 0; k < 9; k++) {
        struct problem problem = {.classes = 3,
                                  .attributes = attributes[k % 3],
                                  .inducing = 30,
                                  .rows = 200,
                                  .kernel = k / 3 == 0   ? "se"
                                            : k / 3 == 1 ? "matern32"
                                                         : "linear+se",
                                  .input = "exact",
                                  .noise = "given"};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        struct nim_model *model = fixture.model;
        fixture_disturb(&fixture);
        for (size_t c = 0; c < model->functions; c++) {
            struct gp_parameters theta = model_gp(model, model->theta, c);
            *theta.log_white = -10.0;
            for (size_t j = 0; j < model->gp.kernel->terms * model->attributes; j++)
                theta.log_lengthscale[j] += log(4.0);
        }
        compare(&fixture, &problem, 1e-2);
        fixture_free(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_and_input),
        cmocka_unit_test(many_attributes),
        cmocka_unit_test(every_likelihood_and_input),
        cmocka_unit_test(nearly_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
