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

#include "math/lattice.h"
#include "math/random.h"
#include "math/special.h"
#include "support/likelihood_reference.h"
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the bound or to 1, whichever is larger. */
#define TOLERANCE 1e-9

/* What fixture_bound says of its batch. */
enum { STEP = 7, ROWS_PER_BATCH_ROW = 3 };

static bool is(const struct fixture *fixture, const char *input) {
    return strcmp(fixture->model->options.input->name, input) == 0;
}

/* ---------------------------------------------------------------- measurements ---------------- */

static void column_moments(size_t rows, const double *column, size_t stride, real *mean,
                           real *deviation) {
    *mean = *deviation = 0;
    for (size_t i = 0; i < rows; i++)
        *mean += column[i * stride] / (real)rows;
    for (size_t i = 0; i < rows; i++)
        *deviation += powl(column[i * stride] - *mean, 2) / (real)rows;
    *deviation = sqrtl(*deviation);
}

/* x~ and V of all rows in units of each column's deviation. */
static void standardise(const struct fixture *fixture, real *measured, real *noise) {
    const struct nim_model *model = fixture->model;
    size_t d = model->attributes;
    for (size_t j = 0; j < d; j++) {
        real mean, deviation;
        column_moments(fixture->rows, fixture->x + j, d, &mean, &deviation);
        for (size_t i = 0; i < fixture->rows; i++) {
            size_t at = i * d + j;
            measured[at] = (fixture->x[at] - mean) / deviation;
            noise[at] = 0;
            if (model->options.noise != NOISE_LEARNED)
                noise[at] += powl(fixture->sigma[at] / deviation, 2);
            if (model->options.noise != NOISE_GIVEN)
                noise[at] += expl(model->theta[model->noise_at + j]);
        }
    }
}

/* ---------------------------------------------------------------- targets --------------------- */

/* y as the likelihood is told it: numbers in units of their deviation, counts with exposure. */
static void write_target(const struct fixture *fixture, size_t row, double *target) {
    size_t classes = fixture->model->classes;
    real mean, deviation;
    switch (fixture->model->options.likelihood->target) {
    case TARGET_NUMBER:
        column_moments(fixture->rows, fixture->targets, 1, &mean, &deviation);
        target[0] = (double)((fixture->targets[row] - mean) / deviation);
        break;
    case TARGET_COUNT:
        target[0] = fixture->targets[row];
        target[1] = fixture->exposure[row];
        break;
    case TARGET_LABELS:
        memcpy(target, fixture->targets + row * classes, classes * sizeof *target);
        break;
    default:
        target[0] = fixture->labels[row];
    }
}

/* What the amortised network sees of y: a number in standard units, the log of a count's rate less
 * that of all rows', a class or a set as zeros and ones. */
static void write_features(const struct fixture *fixture, size_t row, real *feature) {
    size_t classes = fixture->model->classes;
    enum target_kind kind = fixture->model->options.likelihood->target;
    double *target = doubles(classes + 2);
    real counts = 0.5L, exposure = 0;
    write_target(fixture, row, target);
    for (size_t i = 0; kind == TARGET_COUNT && i < fixture->rows; i++) {
        counts += fixture->targets[i];
        exposure += fixture->exposure[i];
    }
    if (kind == TARGET_COUNT)
        feature[0] = logl((target[0] + 0.5L) / target[1]) - logl(counts / exposure);
    else if (kind == TARGET_CLASS || kind == TARGET_LEVEL)
        feature[fixture->labels[row]] = 1;
    else
        for (size_t c = 0; c < (classes ? classes : 1); c++)
            feature[c] = target[c];
    free(target);
}

/* ---------------------------------------------------------------- input models ---------------- */

static void draw(const struct fixture *fixture, uint32_t stream, uint64_t step, size_t row,
                 size_t count, double *epsilon) {
    random_normal((struct random_key){fixture->model->options.seed, stream}, step, row, count,
                  epsilon);
}

static void draw_points(const struct fixture *fixture, size_t row, const real *centre,
                        const real *variance, real *x) {
    size_t d = fixture->model->attributes, count = fixture->model->input.samples * d;
    double *epsilon = doubles(count);
    draw(fixture, STREAM_INPUT_DRAW, STEP, row, count, epsilon);
    for (size_t i = 0; i < count; i++)
        x[i] = centre[i % d] + sqrtl(variance[i % d]) * epsilon[i];
    free(epsilon);
}

/* `augmented`: the row itself, or a copy moved by noise of variance 2 V. */
static void draw_copy(const struct fixture *fixture, size_t row, const real *measured,
                      const real *noise, real *x) {
    size_t d = fixture->model->attributes, copy = row % 3;
    double *epsilon = doubles(d);
    draw(fixture, STREAM_INPUT_COPY, copy, row, d, epsilon);
    for (size_t j = 0; j < d; j++)
        x[j] = measured[j] + (copy ? sqrtl(2 * noise[j]) * epsilon[j] : 0);
    free(epsilon);
}

/* The amortised model's network, neuron by neuron: layers of (weights out x in, biases out). */
static void run_network(const struct fixture *fixture, size_t row, const real *measured,
                        const real *noise, real *output) {
    const struct nim_model *model = fixture->model;
    const double *theta = model->theta + model->input_at;
    size_t d = model->attributes, told = model->classes ? model->classes : 1, in = 2 * d + told;
    size_t widest = in > model->options.units ? in : model->options.units;
    real *value = reals(widest), *next = reals(widest + 2 * d);
    for (size_t j = 0; j < d; j++) {
        value[j] = measured[j];
        value[d + told + j] = sqrtl(noise[j]);
    }
    write_features(fixture, row, value + d);
    for (size_t l = 0; l <= model->options.layers; l++) {
        bool last = l == model->options.layers;
        size_t out = last ? 2 * d : model->options.units;
        for (size_t o = 0; o < out; o++) {
            next[o] = theta[in * out + o];
            for (size_t i = 0; i < in; i++)
                next[o] += theta[o * in + i] * value[i];
            next[o] = last || next[o] > 0 ? next[o] : 0;
        }
        theta += (in + 1) * out;
        in = out;
        memcpy(last ? output : value, next, out * sizeof *next);
    }
    free(value);
    free(next);
}

/* q(x) = N(mu, s) of one row, attribute by attribute. */
struct belief {
    real *mu, *s;
};

/* From shift and spread (d each) of `latent`, `amortised`; zeros for `marginal`. */
static struct belief believe(const struct fixture *fixture, const real *measured, const real *noise,
                             const real *shift) {
    size_t d = fixture->model->attributes;
    real prior = fixture->model->options.prior_variance;
    struct belief belief = {reals(d), reals(d)};
    for (size_t j = 0; j < d; j++) {
        real precision = 1 / noise[j] + 1 / prior;
        belief.mu[j] = measured[j] / noise[j] / precision + shift[j] / sqrtl(precision);
        belief.s[j] = expl(shift[d + j]) / precision;
    }
    return belief;
}

/* E log N(x~ | x, V) - KL(q(x) || p(x)), term by term. */
static real worth_on_average(const struct fixture *fixture, const real *measured, const real *noise,
                             struct belief belief) {
    real prior = fixture->model->options.prior_variance, value = 0;
    for (size_t j = 0; j < fixture->model->attributes; j++) {
        real v = noise[j], mu = belief.mu[j], s = belief.s[j];
        value += -0.5L * logl(2 * REAL_PI * v) - (powl(measured[j] - mu, 2) + s) / (2 * v);
        value -= 0.5L * (s / prior + mu * mu / prior - 1 + logl(prior) - logl(s));
    }
    return value;
}

/* log of the mean of exponentials. */
static real log_mean(size_t count, const real *log_term) {
    real largest = log_term[0], total = 0;
    for (size_t s = 1; s < count; s++)
        largest = fmaxl(largest, log_term[s]);
    for (size_t s = 0; s < count; s++)
        total += expl(log_term[s] - largest);
    return largest + logl(total / (real)count);
}

static real log_density(real x, real mean, real variance) {
    return -0.5L * (powl(x - mean, 2) / variance + logl(2 * REAL_PI * variance));
}

/* log N(x~ | x, V) p(x) / q(x) at one point. */
static real worth_at(const struct fixture *fixture, const real *measured, const real *noise,
                     struct belief belief, const real *x) {
    real prior = fixture->model->options.prior_variance, value = 0;
    for (size_t j = 0; j < fixture->model->attributes; j++)
        value += log_density(measured[j], x[j], noise[j]) + log_density(x[j], 0, prior) -
                 log_density(x[j], belief.mu[j], belief.s[j]);
    return value;
}

/* `marginal`: a lattice moved by a shift of the row's own, as quantiles of q. */
static void draw_lattice(const struct fixture *fixture, size_t row, struct belief belief, real *x) {
    const struct nim_model *model = fixture->model;
    size_t d = model->attributes, samples = model->input.samples;
    double *lattice = doubles(samples * (d + 1)), *shift = doubles(d);
    uint64_t seed = model->options.seed;
    assert_true(
        lattice_uniform((struct random_key){seed, STREAM_INPUT_DRAW}, samples, d + 1, lattice));
    random_uniform((struct random_key){seed, STREAM_INPUT_SHIFT}, STEP, 2 * row, d, shift);
    for (size_t i = 0; i < samples * d; i++) {
        double u = lattice[i / d * (d + 1) + i % d] + shift[i % d];
        x[i] = belief.mu[i % d] + sqrtl(belief.s[i % d]) * normal_quantile(u < 1.0 ? u : u - 1.0);
    }
    free(lattice);
    free(shift);
}

static bool infers(const struct fixture *fixture) {
    return is(fixture, "latent") || is(fixture, "amortised") || is(fixture, "marginal");
}

static struct belief belief_of(const struct fixture *fixture, size_t row, const real *measured,
                               const real *noise) {
    size_t d = fixture->model->attributes;
    real *shift = reals(2 * d);
    for (size_t j = 0; is(fixture, "latent") && j < 2 * d; j++)
        shift[j] = fixture->own[2 * row * d + j];
    if (is(fixture, "amortised"))
        run_network(fixture, row, measured, noise, shift);
    struct belief belief = believe(fixture, measured, noise, shift);
    free(shift);
    return belief;
}

/* Points of one row (samples x d). */
static void place(const struct fixture *fixture, size_t row, const real *measured,
                  const real *noise, struct belief belief, real *x) {
    if (is(fixture, "exact") || is(fixture, "first_order"))
        memcpy(x, measured, fixture->model->attributes * sizeof *x);
    else if (is(fixture, "resampled"))
        draw_points(fixture, row, measured, noise, x);
    else if (is(fixture, "augmented"))
        draw_copy(fixture, row, measured, noise, x);
    else if (is(fixture, "marginal"))
        draw_lattice(fixture, row, belief, x);
    else if (infers(fixture))
        draw_points(fixture, row, belief.mu, belief.s, x);
    else
        fail_msg("no reference for the input model %s", fixture->model->options.input->name);
}

/* ---------------------------------------------------------------- the bound ------------------- */

/* E log p(y | f(x)), or with alpha what stands in its place, at one point. Input noise to first
 * order widens f, or, where the likelihood tells them apart, blurs p. */
static real expected_log_likelihood(const struct fixture *fixture, const struct reference_gp *gp,
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
        if (is(fixture, "first_order")) {
            reference_gp_slope(&gp[c], x, slope);
            for (size_t j = 0; j < d; j++)
                widened[c] += noise[j] * slope[j] * slope[j];
        }
    }
    write_target(fixture, row, target);
    real value = reference_expectation(&likelihood, target, mean, variance, blur);
    free(mean);
    free(variance);
    free(slope);
    free(blur);
    free(target);
    return value;
}

/* All terms of one row. Models that infer inputs average several points inside the logarithm. */
static real row_terms(const struct fixture *fixture, const struct reference_gp *gp, size_t row,
                      const real *measured, const real *noise) {
    size_t samples = fixture->model->input.samples, d = fixture->model->attributes;
    struct belief belief = {0};
    real *x = reals(samples * d), *log_term = reals(samples), value = 0;
    if (infers(fixture))
        belief = belief_of(fixture, row, measured, noise);
    place(fixture, row, measured, noise, belief, x);
    for (size_t s = 0; s < samples; s++) {
        real said = expected_log_likelihood(fixture, gp, row, noise, x + s * d);
        value += said / (real)samples;
        if (infers(fixture))
            log_term[s] = said + worth_at(fixture, measured, noise, belief, x + s * d);
    }
    if (infers(fixture))
        value = samples > 1 ? log_mean(samples, log_term)
                            : value + worth_on_average(fixture, measured, noise, belief);
    free(log_term);
    free(belief.mu);
    free(belief.s);
    free(x);
    return value;
}

static real bound_by_hand(const struct fixture *fixture) {
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
    standardise(fixture, measured, noise);
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

/* ---------------------------------------------------------------- tests ----------------------- */

static void compare(struct fixture *fixture, const struct problem *problem) {
    double value = fixture_bound(fixture);
    real expected = bound_by_hand(fixture);
    real error = fabsl(value - expected) / fmaxl(1, fabsl(expected));
    if (!(error <= TOLERANCE))
        print_error("%s: bound %.15g, by hand %.15Lg\n", problem_name(problem), value, expected);
    assert_true(error <= TOLERANCE);
}

/* Moved off its start, where KL, learned noise and learned label noise all take part. */
static void check(const struct problem *problem, size_t combination) {
    (void)combination;
    struct fixture fixture;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    compare(&fixture, problem);
    fixture_free(&fixture);
}

static void two_classes(void **state) {
    (void)state;
    every_combination(2, 1, 1, check);
    every_combination(2, 1, 8, check);
    every_combination(2, 5, 1, check);
    every_combination(2, 5, 8, check);
}
static void three_classes(void **state) {
    (void)state;
    every_combination(3, 1, 1, check);
    every_combination(3, 1, 8, check);
    every_combination(3, 5, 1, check);
    every_combination(3, 5, 8, check);
}
static void seven_classes(void **state) {
    (void)state;
    every_combination(7, 1, 1, check);
    every_combination(7, 1, 8, check);
    every_combination(7, 5, 1, check);
    every_combination(7, 5, 8, check);
}

/* More attributes than a sum has parts (vector.h) or a product of variances has factors. */
static void many_attributes(void **state) {
    (void)state;
    every_combination(3, 19, 7, check);
    every_combination(2, 150, 3, check);
}

/* Every likelihood with every input model and noise mode. */
static void likelihoods(void **state) {
    (void)state;
    every_likelihood(4, 2, 6, 0.0, check);
    every_likelihood(4, 2, 6, 0.3, check);
    every_likelihood(4, 2, 6, 1.0, check);
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
        check(&problem, 0);
    }
}

/* Before any step: q is the prior and the white noise is small, so K_zz is worse conditioned. */
static void at_the_start(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 2,
                                  .inducing = 8,
                                  .kernel = "se",
                                  .input = input_list[i]->name,
                                  .noise = "given"};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        compare(&fixture, &problem);
        fixture_free(&fixture);
    }
}

/* Weights multiply all of a row's terms; a weight of zero takes the row out. */
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
        compare(&fixture, &problem);
        free(weights);
        fixture_free(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),   cmocka_unit_test(three_classes),
        cmocka_unit_test(seven_classes), cmocka_unit_test(many_attributes),
        cmocka_unit_test(likelihoods),   cmocka_unit_test(many_rows),
        cmocka_unit_test(at_the_start),  cmocka_unit_test(weighted_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
