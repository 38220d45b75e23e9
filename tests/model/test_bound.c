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

/* Of the cells that are there. */
static void column_moments(size_t rows, const double *column, size_t stride, real *mean,
                           real *deviation) {
    real count = 0;
    *mean = *deviation = 0;
    for (size_t i = 0; i < rows; i++)
        count += !isnan(column[i * stride]);
    for (size_t i = 0; i < rows; i++)
        *mean += isnan(column[i * stride]) ? 0 : column[i * stride] / count;
    for (size_t i = 0; i < rows; i++)
        *deviation += isnan(column[i * stride]) ? 0 : powl(column[i * stride] - *mean, 2) / count;
    *deviation = sqrtl(*deviation);
}

/* x~ and V of all rows in units of each column's deviation; V is infinite where x~ is missing. */
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
            if (isnan(fixture->x[at])) {
                measured[at] = 0;
                noise[at] = INFINITY;
            }
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

/* Standard normal points of one row (samples x d). */
static void draw_normal(const struct fixture *fixture, size_t row, double *epsilon) {
    draw(fixture, STREAM_INPUT_DRAW, STEP, row,
         fixture->model->input.samples * fixture->model->attributes, epsilon);
}

static void draw_points(const struct fixture *fixture, size_t row, const real *centre,
                        const real *variance, real *x) {
    size_t d = fixture->model->attributes, count = fixture->model->input.samples * d;
    double *epsilon = doubles(count);
    draw_normal(fixture, row, epsilon);
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

/* `marginal`: a lattice moved by a shift of the row's own, as quantiles (samples x d). */
static void draw_lattice(const struct fixture *fixture, size_t row, double *epsilon) {
    const struct nim_model *model = fixture->model;
    size_t d = model->attributes, samples = model->input.samples;
    double *lattice = doubles(samples * (d + 1)), *shift = doubles(d);
    uint64_t seed = model->options.seed;
    assert_true(
        lattice_uniform((struct random_key){seed, STREAM_INPUT_DRAW}, samples, d + 1, lattice));
    random_uniform((struct random_key){seed, STREAM_INPUT_SHIFT}, STEP, 2 * row, d, shift);
    for (size_t i = 0; i < samples * d; i++) {
        double u = lattice[i / d * (d + 1) + i % d] + shift[i % d];
        epsilon[i] = normal_quantile(u < 1.0 ? u : u - 1.0);
    }
    free(lattice);
    free(shift);
}

static void place_lattice(const struct fixture *fixture, size_t row, struct belief belief,
                          real *x) {
    size_t d = fixture->model->attributes, count = fixture->model->input.samples * d;
    double *epsilon = doubles(count);
    draw_lattice(fixture, row, epsilon);
    for (size_t i = 0; i < count; i++)
        x[i] = belief.mu[i % d] + sqrtl(belief.s[i % d]) * epsilon[i];
    free(epsilon);
}

static bool infers(const struct fixture *fixture) {
    return is(fixture, "latent") || is(fixture, "amortised") || is(fixture, "marginal") ||
           is(fixture, "narrow");
}

/* `narrow`: x~ + shift, and 1e-5 exp(spread). */
static struct belief believe_narrowly(const struct fixture *fixture, size_t row,
                                      const real *measured) {
    size_t d = fixture->model->attributes;
    struct belief belief = {reals(d), reals(d)};
    for (size_t j = 0; j < d; j++) {
        belief.mu[j] = measured[j] + fixture->own[2 * row * d + j];
        belief.s[j] = 1e-5L * expl(fixture->own[(2 * row + 1) * d + j]);
    }
    return belief;
}

static struct belief belief_of(const struct fixture *fixture, size_t row, const real *measured,
                               const real *noise) {
    size_t d = fixture->model->attributes;
    if (is(fixture, "narrow"))
        return believe_narrowly(fixture, row, measured);
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
        place_lattice(fixture, row, belief, x);
    else if (infers(fixture))
        draw_points(fixture, row, belief.mu, belief.s, x);
    else
        fail_msg("no reference for the input model %s", fixture->model->options.input->name);
}

/* ---------------------------------------------------------------- one Gaussian population ----- */

enum { MOST_D = 2 };

/* N(mean, covariance) in d attributes. */
struct gaussian {
    size_t d;
    real mean[MOST_D], covariance[MOST_D * MOST_D];
};

static struct gaussian population_of(const struct nim_model *model) {
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

static real gaussian_log_density(const struct gaussian *gaussian, const real *x) {
    size_t d = gaussian->d;
    real inverse[MOST_D * MOST_D], distance[MOST_D];
    real log_determinant = reference_inverse(d, gaussian->covariance, inverse);
    for (size_t j = 0; j < d; j++)
        distance[j] = x[j] - gaussian->mean[j];
    return -0.5L * ((real)d * logl(2 * REAL_PI) + log_determinant +
                    reference_form(d, distance, inverse, distance));
}

/* p(x | x~): precision S^-1 + V^-1, where V^-1 is zero for a missing cell, and mean T (S^-1 m +
 * V^-1 x~). */
static struct gaussian gaussian_given(const struct gaussian *prior, const real *measured,
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

/* Which of all roots of T the library has, R R' = T, is its own affair: but it must be one. */
static void library_root(const struct fixture *fixture, const struct gaussian *posterior,
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
    conditioner_take(&conditioner, x, v, &share, centre);
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

/* q(x) of x = c + R (shift + exp(spread/2) epsilon), and the factor of epsilon. */
static struct gaussian believe_together(const struct fixture *fixture, size_t row,
                                        const struct gaussian *posterior, const real *root,
                                        real *factor) {
    size_t d = posterior->d;
    struct gaussian q = *posterior;
    memset(q.covariance, 0, sizeof q.covariance);
    for (size_t i = 0; i < d; i++)
        for (size_t l = 0; l < d; l++) {
            bool free_to_move = is(fixture, "latent");
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

/* E_q log N(x~ | x, V) - KL(q || p), over the cells that are there, term by term. */
static real worth_together(const struct gaussian *prior, const struct gaussian *q,
                           const real *measured, const real *noise) {
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

/* log N(x~ | x, V) p(x) / q(x) at one point. */
static real worth_together_at(const struct gaussian *prior, const struct gaussian *q,
                              const real *measured, const real *noise, const real *x) {
    real value = gaussian_log_density(prior, x) - gaussian_log_density(q, x);
    for (size_t j = 0; j < prior->d; j++)
        value += isfinite(noise[j]) ? log_density(measured[j], x[j], noise[j]) : 0;
    return value;
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

/* All terms of one row where attributes hang together. */
static real row_terms_together(const struct fixture *fixture, const struct reference_gp *gp,
                               size_t row, const real *measured, const real *noise) {
    size_t samples = fixture->model->input.samples, d = fixture->model->attributes;
    struct gaussian prior = population_of(fixture->model);
    struct gaussian posterior = gaussian_given(&prior, measured, noise);
    real root[MOST_D * MOST_D], factor[MOST_D * MOST_D], x[MOST_D], said = 0;
    library_root(fixture, &posterior, measured, noise, root);
    struct gaussian q = believe_together(fixture, row, &posterior, root, factor);
    double *epsilon = doubles(samples * d);
    real *log_term = reals(samples), value;
    if (is(fixture, "marginal"))
        draw_lattice(fixture, row, epsilon);
    else
        draw_normal(fixture, row, epsilon);
    for (size_t s = 0; s < samples; s++) {
        for (size_t j = 0; j < d; j++) {
            x[j] = q.mean[j];
            for (size_t l = 0; l < d; l++)
                x[j] += factor[j * d + l] * epsilon[s * d + l];
        }
        said = expected_log_likelihood(fixture, gp, row, noise, x);
        log_term[s] = said + worth_together_at(&prior, &q, measured, noise, x);
    }
    value = samples > 1 ? log_mean(samples, log_term)
                        : said + worth_together(&prior, &q, measured, noise);
    free(epsilon);
    free(log_term);
    return value;
}

/* All terms of one row. Models that infer inputs average several points inside the logarithm, but
 * for `narrow`. */
static real row_terms(const struct fixture *fixture, const struct reference_gp *gp, size_t row,
                      const real *measured, const real *noise) {
    size_t samples = fixture->model->input.samples, d = fixture->model->attributes;
    if (fixture->model->population.components)
        return row_terms_together(fixture, gp, row, measured, noise);
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
        value = samples > 1 && !is(fixture, "narrow")
                    ? log_mean(samples, log_term)
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

/* A learned population, whose density is part of the bound, with and without missing cells. */
static void populations(void **state) {
    (void)state;
    for (size_t i = 0; i < 32; i++) {
        struct problem problem = {.classes = 2,
                                  .attributes = 1 + i % 2,
                                  .inducing = 4,
                                  .rows = 24,
                                  .kernel = kernel_list[i % 4]->name,
                                  .input = i & 2 ? "latent" : "marginal",
                                  .noise = "given",
                                  .population = "gaussian",
                                  .samples = i & 4 ? 5 : 1,
                                  .alpha = i & 8 ? 1.0 : 0.0,
                                  .gaps = i & 16};
        check(&problem, i);
    }
}

/* log p(x~) + log int p(x | x~) exp(what x says of the label) dx of one row with one attribute, by
 * the trapezoidal rule. */
static real row_by_quadrature(const struct fixture *fixture, const struct reference_gp *gp,
                              size_t row, const real *measured, const real *noise) {
    enum { NODES = 240 };
    const real reach = 8, step = 2 * reach / NODES;
    struct gaussian prior = population_of(fixture->model);
    struct gaussian posterior = gaussian_given(&prior, measured, noise), both = prior;
    real deviation = sqrtl(posterior.covariance[0]), total = 0;
    both.covariance[0] += noise[0];
    for (size_t k = 0; k <= NODES; k++) {
        real z = (real)k * step - reach, x = posterior.mean[0] + z * deviation;
        total += step * reference_normal_density(z, 0, 1) *
                 expl(expected_log_likelihood(fixture, gp, row, noise, &x));
    }
    return gaussian_log_density(&both, measured) + logl(total);
}

/* With many points `marginal` is the integral itself. */
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
        standardise(&fixture, measured, noise);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(populations),   cmocka_unit_test(many_points_are_an_integral),
        cmocka_unit_test(two_classes),   cmocka_unit_test(three_classes),
        cmocka_unit_test(seven_classes), cmocka_unit_test(many_attributes),
        cmocka_unit_test(likelihoods),   cmocka_unit_test(many_rows),
        cmocka_unit_test(at_the_start),  cmocka_unit_test(weighted_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
