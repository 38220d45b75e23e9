/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound against an independent computation in long double: textbook conditionals with explicit
 * inverses (reference.c), textbook likelihoods (likelihood_reference.c), each input model as DESIGN
 * states it, not as the library arranges it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/bound_reference.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All combinations of kernels, inputs and noises for three classes and five attributes. At other
 * sizes the noises alternate. Sanitizers check memory, so only every ninth is used with them. */
enum { TURNS = SANITIZED ? 9 : 3 };
static void check_in_turn(const struct problem *problem, size_t combination) {
    if (combination % TURNS == (combination / TURNS + problem->attributes) % TURNS)
        check_bound(problem, combination);
}

static void two_classes(void **state) {
    (void)state;
    every_combination(2, 1, 1, check_in_turn);
    every_combination(2, 1, 8, check_in_turn);
    every_combination(2, 5, 1, check_in_turn);
    every_combination(2, 5, 8, check_in_turn);
}
static void three_classes(void **state) {
    (void)state;
    every_combination(3, 1, 1, check_in_turn);
    every_combination(3, 1, 8, check_in_turn);
    every_combination(3, 5, 1, check_in_turn);
    every_combination(3, 5, 8, SANITIZED ? check_in_turn : check_bound);
}
static void seven_classes(void **state) {
    (void)state;
    every_combination(7, 1, 1, check_in_turn);
    every_combination(7, 1, 8, check_in_turn);
    every_combination(7, 5, 1, check_in_turn);
    every_combination(7, 5, 8, check_in_turn);
}

/* More attributes than a sum has parts (vector.h) or a product of variances has factors. */
static void many_attributes(void **state) {
    (void)state;
    every_combination(3, 19, 7, check_in_turn);
    every_combination(2, 150, 3, check_in_turn);
}

/* The posterior as it is, not whitened: the textbook's form. */
static void unwhitened(void **state) {
    (void)state;
    every_unwhitened(3, 2, 5, check_in_turn);
    every_unwhitened(7, 5, 8, check_in_turn);
}

/* Every likelihood with every input model and, with alpha 1, noise mode. */
static void likelihoods(void **state) {
    (void)state;
    every_likelihood(4, 2, 6, 0.0, check_in_turn);
    every_likelihood(4, 2, 6, 0.3, check_in_turn);
    every_likelihood(4, 2, 6, 1.0, SANITIZED ? check_in_turn : check_bound);
}

/* More points than a tile of the library holds, and not a multiple of any of its block sizes. */
static void many_rows(void **state) {
    (void)state;
    static const char *const input[] = {"exact", "latent", "first_order"};
    for (size_t i = 0; i < 3; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 2,
                                  .inducing = 17,
                                  .rows = 301,
                                  .kernel = "se",
                                  .input = input[i],
                                  .noise = "given"};
        check_bound(&problem, 0);
    }
}

/* The posterior of every function is its prior. */
static void check_prior(const struct nim_model *model) {
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        struct reference_gp gp;
        reference_gp_create(&gp, &model->gp, &theta, model->jitter[c]);
        assert_true(fabsl(reference_gp_kl(&gp)) < 1e-9L);
        reference_gp_free(&gp);
    }
}

/* Before any step: q is the prior and the white noise is small, so K_zz is worse conditioned. */
static void at_the_start(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.unwhitened = i % 2 == 1,
                                  .classes = 3,
                                  .attributes = 2,
                                  .inducing = 8,
                                  .kernel = "se",
                                  .input = input_list[i]->name,
                                  .noise = "given"};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        compare_bound(&fixture, &problem);
        check_prior(fixture.model);
        fixture_free(&fixture);
    }
}

/* A weight multiplies all terms of a row; a weight of zero removes the row. */
static void weighted_rows(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 2,
                                  .inducing = 8,
                                  .kernel = "matern52",
                                  .input = input_list[i]->name,
                                  .noise = "given"};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        double *weights = doubles(fixture.rows);
        for (size_t r = 0; r < fixture.rows; r++)
            weights[r] = 0.25 * (double)(r % 5);
        fixture.data.weights = weights;
        compare_bound(&fixture, &problem);
        free(weights);
        fixture_free(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),   cmocka_unit_test(three_classes),
        cmocka_unit_test(seven_classes), cmocka_unit_test(many_attributes),
        cmocka_unit_test(unwhitened),    cmocka_unit_test(likelihoods),
        cmocka_unit_test(many_rows),     cmocka_unit_test(at_the_start),
        cmocka_unit_test(weighted_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
