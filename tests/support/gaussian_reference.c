/* SPDX-License-Identifier: Apache-2.0 */
#include "support/gaussian_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

struct gaussian gaussian_population(const struct nim_model *model) {
    struct gaussian result = {.d = model->attributes};
    assert_true(model->population.components == 1 && result.d <= MOST_D);
    for (size_t i = 0; i < result.d; i++) {
        result.mean[i] = model->population.mean[i];
        for (size_t j = 0; j < result.d; j++)
            for (size_t l = 0; l < result.d; l++)
                result.covariance[i * result.d + j] +=
                    (real)model->population.root[i * result.d + l] *
                    model->population.root[j * result.d + l];
    }
    return result;
}

real gaussian_log_density(const struct gaussian *gaussian, const real *x) {
    size_t d = gaussian->d;
    real inverse[MOST_D * MOST_D], distance[MOST_D];
    real log_determinant = reference_inverse(d, gaussian->covariance, inverse);
    for (size_t j = 0; j < d; j++)
        distance[j] = x[j] - gaussian->mean[j];
    return -0.5L * ((real)d * logl(2 * REAL_PI) + log_determinant +
                    reference_form(d, distance, inverse, distance));
}

struct gaussian gaussian_given(const struct gaussian *prior, const real *measured,
                               const real *noise) {
    size_t d = prior->d;
    struct gaussian result = {.d = d};
    real precision[MOST_D * MOST_D], pulled[MOST_D];
    reference_inverse(d, prior->covariance, precision);
    reference_product(d, 1, d, precision, prior->mean, pulled);
    for (size_t j = 0; j < d; j++) {
        precision[j * d + j] += 1 / noise[j];
        pulled[j] += measured[j] / noise[j];
    }
    reference_inverse(d, precision, result.covariance);
    reference_product(d, 1, d, result.covariance, pulled, result.mean);
    return result;
}

void gaussian_root(const struct fixture *fixture, const struct gaussian *posterior,
                   const real *measured, const real *noise, real *root) {
    size_t d = posterior->d;
    struct arena arena = {0};
    struct conditioner conditioner;
    double x[MOST_D], v[MOST_D], share, centre[MOST_D];
    conditioner_layout(&conditioner, &fixture->model->population, &arena);
    assert_true(arena_allocate(&arena));
    conditioner_layout(&conditioner, &fixture->model->population, &arena);
    for (size_t j = 0; j < d; j++) {
        x[j] = (double)measured[j];
        v[j] = (double)noise[j];
    }
    conditioner_take(&conditioner, &(struct measurement){.x = x, .noise = v}, &share, centre);
    for (size_t i = 0; i < d * d; i++)
        root[i] = conditioner.root[i];
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            real product = 0;
            for (size_t l = 0; l < d; l++)
                product += root[i * d + l] * root[j * d + l];
            assert_true(fabsl(product - posterior->covariance[i * d + j]) < 1e-12L);
        }
    arena_free(&arena);
}

struct gaussian gaussian_belief(const struct fixture *fixture, size_t row,
                                const struct gaussian *posterior, const real *root, real *factor) {
    size_t d = posterior->d;
    struct gaussian q = *posterior;
    memset(q.covariance, 0, sizeof q.covariance);
    for (size_t i = 0; i < d; i++)
        for (size_t l = 0; l < d; l++) {
            bool free_to_move = input_is(fixture, "latent");
            const double *own = fixture->own + 2 * row * d;
            q.mean[i] += free_to_move ? root[i * d + l] * own[l] : 0;
            factor[i * d + l] = root[i * d + l] * (free_to_move ? expl(own[d + l] / 2) : 1);
        }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t l = 0; l < d; l++)
                q.covariance[i * d + j] += factor[i * d + l] * factor[j * d + l];
    return q;
}

real gaussian_worth(const struct gaussian *prior, const struct gaussian *q, const real *measured,
                    const real *noise) {
    size_t d = prior->d;
    real inverse[MOST_D * MOST_D], own[MOST_D * MOST_D], apart[MOST_D], value = 0, trace = 0;
    real log_prior = reference_inverse(d, prior->covariance, inverse);
    real log_q = reference_inverse(d, q->covariance, own);
    for (size_t j = 0; j < d; j++) {
        apart[j] = q->mean[j] - prior->mean[j];
        for (size_t i = 0; i < d; i++)
            trace += inverse[j * d + i] * q->covariance[i * d + j];
        if (isfinite(noise[j]))
            value -=
                0.5L * logl(2 * REAL_PI * noise[j]) +
                (powl(measured[j] - q->mean[j], 2) + q->covariance[j * d + j]) / (2 * noise[j]);
    }
    return value -
           0.5L * (trace + reference_form(d, apart, inverse, apart) - (real)d + log_prior - log_q);
}

real gaussian_worth_at(const struct gaussian *prior, const struct gaussian *q, const real *measured,
                       const real *noise, const real *x) {
    real value = gaussian_log_density(prior, x) - gaussian_log_density(q, x);
    for (size_t j = 0; j < prior->d; j++)
        value += isfinite(noise[j]) ? reference_log_density(measured[j], x[j], noise[j]) : 0;
    return value;
}
