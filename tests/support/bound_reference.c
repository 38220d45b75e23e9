/* SPDX-License-Identifier: Apache-2.0 */
#include "support/bound_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/likelihood_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the bound or to 1, whichever is larger. */
#define TOLERANCE 1e-9

real reference_log_likelihood(const struct fixture *fixture, const struct reference_gp *gp,
                              size_t row, const real *noise, const real *x) {
    const struct nim_model *model = fixture->model;
    size_t functions = model->functions, d = model->attributes;
    struct reference_likelihood likelihood = {model->options.likelihood, model->likelihood,
                                              model->theta + model->likelihood_at};
    real *mean = reals(functions), *variance = reals(functions), *slope = reals(d);
    real *blur = reals(functions), *widened = model->options.likelihood->blurs ? blur : variance;
    double *target = doubles(model->classes + 2);
    for (size_t c = 0; c < functions; c++) {
        reference_gp_at(&gp[c], x, &mean[c], &variance[c]);
        if (input_is(fixture, "first_order")) {
            reference_gp_slope(&gp[c], x, slope);
            for (size_t j = 0; j < d; j++)
                widened[c] += noise[j] * slope[j] * slope[j];
        }
    }
    reference_target(fixture, row, target);
    real value = reference_expectation(&likelihood, target, mean, variance, blur);
    free(mean);
    free(variance);
    free(slope);
    free(blur);
    free(target);
    return value;
}

/* All terms of one row with correlated attributes. */
static real row_terms_together(const struct fixture *fixture, const struct reference_gp *gp,
                               size_t row, const real *measured, const real *noise) {
    size_t samples = fixture->model->input.samples, d = fixture->model->attributes;
    struct gaussian prior = gaussian_population(fixture->model);
    struct gaussian posterior = gaussian_given(&prior, measured, noise);
    real root[MOST_D * MOST_D], factor[MOST_D * MOST_D], x[MOST_D], said = 0;
    gaussian_root(fixture, &posterior, measured, noise, root);
    struct gaussian q = gaussian_belief(fixture, row, &posterior, root, factor);
    double *epsilon = doubles(samples * d);
    real *log_term = reals(samples), value;
    if (input_is(fixture, "marginal"))
        reference_lattice(fixture, row, epsilon);
    else
        reference_draws(fixture, row, epsilon);
    for (size_t s = 0; s < samples; s++) {
        for (size_t j = 0; j < d; j++) {
            x[j] = q.mean[j];
            for (size_t l = 0; l < d; l++)
                x[j] += factor[j * d + l] * epsilon[s * d + l];
        }
        said = reference_log_likelihood(fixture, gp, row, noise, x);
        log_term[s] = said + gaussian_worth_at(&prior, &q, measured, noise, x);
    }
    value = samples > 1 ? reference_log_mean(samples, log_term)
                        : said + gaussian_worth(&prior, &q, measured, noise);
    free(epsilon);
    free(log_term);
    return value;
}

/* All terms of one row. Models that infer inputs average several points inside the logarithm,
 * except `narrow`. */
static real row_terms(const struct fixture *fixture, const struct reference_gp *gp, size_t row,
                      const real *measured, const real *noise) {
    size_t samples = fixture->model->input.samples, d = fixture->model->attributes;
    if (fixture->model->population.components)
        return row_terms_together(fixture, gp, row, measured, noise);
    struct belief belief = {0};
    real *x = reals(samples * d), *log_term = reals(samples), value = 0;
    if (input_infers(fixture))
        belief = reference_belief(fixture, row, measured, noise);
    reference_place(fixture, row, measured, noise, belief, x);
    for (size_t s = 0; s < samples; s++) {
        real said = reference_log_likelihood(fixture, gp, row, noise, x + s * d);
        value += said / (real)samples;
        if (input_infers(fixture))
            log_term[s] = said + reference_worth_at(fixture, measured, noise, belief, x + s * d);
    }
    if (input_infers(fixture))
        value = samples > 1 && !input_is(fixture, "narrow") && !input_is(fixture, "networks")
                    ? reference_log_mean(samples, log_term)
                    : value + reference_worth(fixture, measured, noise, belief);
    free(log_term);
    free(belief.mu);
    free(belief.s);
    free(x);
    return value;
}

real reference_bound(const struct fixture *fixture) {
    struct nim_model *model = fixture->model;
    size_t d = model->attributes, rows = fixture->rows;
    struct reference_gp *gp = calloc(model->functions, sizeof *gp);
    real *measured = reals(rows * d), *noise = reals(rows * d), total = 0;
    assert_non_null(gp);
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        reference_gp_create(&gp[c], &model->gp, &theta, model->jitter[c]);
        total -= reference_gp_kl(&gp[c]);
    }
    reference_standardise(fixture, measured, noise);
    for (size_t i = 0; i < rows; i++) {
        real weight = fixture->data.weights ? fixture->data.weights[i] : 1;
        total += ROWS_PER_BATCH_ROW * weight *
                 row_terms(fixture, gp, i, measured + i * d, noise + i * d);
    }
    for (size_t c = 0; c < model->functions; c++)
        reference_gp_free(&gp[c]);
    free(gp);
    free(measured);
    free(noise);
    return total;
}

void compare_bound(struct fixture *fixture, const struct problem *problem) {
    double value = fixture_bound(fixture);
    real expected = reference_bound(fixture);
    real error = fabsl(value - expected) / fmaxl(1, fabsl(expected));
    if (!(error <= TOLERANCE))
        print_error("%s: bound %.15g, by hand %.15Lg\n", problem_name(problem), value, expected);
    assert_true(error <= TOLERANCE);
}

void check_bound(const struct problem *problem, size_t combination) {
    (void)combination;
    struct fixture fixture;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    compare_bound(&fixture, problem);
    fixture_free(&fixture);
}
