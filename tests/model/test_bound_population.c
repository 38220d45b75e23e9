/* SPDX-License-Identifier: Apache-2.0 */
/* The bound with a learned population, against the independent computation and quadrature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/bound_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A learned population, whose density is part of the bound, with and without missing cells. */
static void populations(void **state) {
    (void)state;
    for (size_t i = 0; i < 32; i++) {
        struct problem problem = {.classes = 2,
                                  .attributes = 1 + i % 2,
                                  .inducing = 4,
                                  .rows = 24,
                                  .kernel = kernel_in_turn(i + i / 8),
                                  .input = i & 2 ? "latent" : "marginal",
                                  .noise = "given",
                                  .population = "gaussian",
                                  .samples = i & 4 ? 5 : 1,
                                  .alpha = i & 8 ? 1.0 : 0.0,
                                  .gaps = i & 16};
        check_bound(&problem, i);
    }
}

/* log p(x~) + log int p(x | x~) p(y | x) dx of one row with one attribute, by the trapezoidal
 * rule. */
static real row_by_quadrature(const struct fixture *fixture, const struct reference_gp *gp,
                              size_t row, const real *measured, const real *noise) {
    enum { NODES = 240 };
    const real reach = 8, step = 2 * reach / NODES;
    struct gaussian prior = gaussian_population(fixture->model);
    struct gaussian posterior = gaussian_given(&prior, measured, noise), both = prior;
    real deviation = sqrtl(posterior.covariance[0]), total = 0;
    both.covariance[0] += noise[0];
    for (size_t k = 0; k <= NODES; k++) {
        real z = (real)k * step - reach, x = posterior.mean[0] + z * deviation;
        total += step * reference_normal_density(z, 0, 1) *
                 expl(reference_log_likelihood(fixture, gp, row, noise, &x));
    }
    return gaussian_log_density(&both, measured) + logl(total);
}

/* With many points `marginal` converges to the integral. */
static void many_points_are_an_integral(void **state) {
    (void)state;
    for (int alpha = 0; alpha < 2; alpha++) {
        struct problem problem = {.classes = 2,
                                  .attributes = 1,
                                  .inducing = 4,
                                  .rows = 12,
                                  .kernel = "se",
                                  .input = "marginal",
                                  .noise = "given",
                                  .population = "gaussian",
                                  .samples = 512,
                                  .alpha = alpha};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        struct nim_model *model = fixture.model;
        double value = fixture_bound(&fixture);
        struct reference_gp gp[2];
        real measured[12], noise[12], expected = 0;
        reference_standardise(&fixture, measured, noise);
        for (size_t c = 0; c < 2; c++) {
            struct gp_parameters theta = model_gp(model, model->theta, c);
            reference_gp_create(&gp[c], &model->gp, &theta, model->jitter[c]);
            expected -= reference_gp_kl(&gp[c]);
        }
        for (size_t i = 0; i < fixture.rows; i++)
            expected +=
                ROWS_PER_BATCH_ROW * row_by_quadrature(&fixture, gp, i, measured + i, noise + i);
        real error = (value - expected) / (ROWS_PER_BATCH_ROW * (real)fixture.rows);
        if (!(fabsl(error) < 1e-3L))
            fail_msg("alpha %d: %.12g, by quadrature %.12Lg", alpha, value, expected);
        for (size_t c = 0; c < 2; c++)
            reference_gp_free(&gp[c]);
        fixture_free(&fixture);
    }
}

/* What a population says of a row is kept: the second evaluation reads it. */
static void priors_are_kept(void **state) {
    (void)state;
    const char *const input[] = {"marginal", "latent", "first_order"};
    for (size_t i = 0; i < 6; i++) {
        struct problem problem = {.classes = 2,
                                  .attributes = 2,
                                  .inducing = 4,
                                  .rows = 24,
                                  .kernel = "se",
                                  .input = input[i / 2],
                                  .noise = "given",
                                  .population = i % 2 ? "mixture" : "gaussian",
                                  .samples = 1,
                                  .gaps = true};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        double value = fixture_bound(&fixture), again = fixture_bound(&fixture);
        assert_memory_equal(&value, &again, sizeof value);
        fixture_free(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(populations),
        cmocka_unit_test(many_points_are_an_integral),
        cmocka_unit_test(priors_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
