/* SPDX-License-Identifier: Apache-2.0 */
#include "support/input_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/lattice.h"
#include "math/random.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool input_is(const struct fixture *fixture, const char *input) {
    return strcmp(fixture->model->options.input->name, input) == 0;
}

/* ---------------------------------------------------------------- measurements ---------------- */

/* Moments of the cells that are not missing. */
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

void reference_standardise(const struct fixture *fixture, real *measured, real *noise) {
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

void reference_target(const struct fixture *fixture, size_t row, double *target) {
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

/* The target as input of the amortised network: a number in standard units, the log of a count's
 * rate minus that of all rows, a class or a set as zeros and ones. */
static void write_features(const struct fixture *fixture, size_t row, real *feature) {
    size_t classes = fixture->model->classes;
    enum target_kind kind = fixture->model->options.likelihood->target;
    double *target = doubles(classes + 2);
    real counts = 0.5L, exposure = 0;
    reference_target(fixture, row, target);
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

void reference_draws(const struct fixture *fixture, size_t row, double *epsilon) {
    draw(fixture, STREAM_INPUT_DRAW, STEP, row,
         fixture->model->input.samples * fixture->model->attributes, epsilon);
}

static void draw_points(const struct fixture *fixture, size_t row, const real *centre,
                        const real *variance, real *x) {
    size_t d = fixture->model->attributes, count = fixture->model->input.samples * d;
    double *epsilon = doubles(count);
    reference_draws(fixture, row, epsilon);
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

/* A network, neuron by neuron: layers of (weights out x in, biases out), of which theta is the
 * first number. Returns what comes after the last. */
static const double *run_network(const struct fixture *fixture, const double *theta, size_t in,
                                 const real *features, size_t outputs, real *output) {
    const struct nim_model *model = fixture->model;
    size_t widest = in > model->options.units ? in : model->options.units;
    real *value = reals(widest), *next = reals(widest + outputs);
    memcpy(value, features, in * sizeof *value);
    for (size_t l = 0; l <= model->options.layers; l++) {
        bool last = l == model->options.layers;
        size_t out = last ? outputs : model->options.units;
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
    return theta;
}

/* The inputs of the networks: the measurement, y, and in `amortised` the error bars. */
static real *network_features(const struct fixture *fixture, size_t row, const real *measured,
                              const real *noise) {
    size_t d = fixture->model->attributes;
    size_t told = fixture->model->classes ? fixture->model->classes : 1;
    real *feature = reals(2 * d + told);
    for (size_t j = 0; j < d; j++) {
        feature[j] = measured[j];
        feature[d + told + j] = sqrtl(noise[j]);
    }
    write_features(fixture, row, feature + d);
    return feature;
}

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

real reference_worth(const struct fixture *fixture, const real *measured, const real *noise,
                     struct belief belief) {
    real prior = fixture->model->options.prior_variance, value = 0;
    for (size_t j = 0; j < fixture->model->attributes; j++) {
        real v = noise[j], mu = belief.mu[j], s = belief.s[j];
        value += -0.5L * logl(2 * REAL_PI * v) - (powl(measured[j] - mu, 2) + s) / (2 * v);
        value -= 0.5L * (s / prior + mu * mu / prior - 1 + logl(prior) - logl(s));
    }
    return value;
}

real reference_log_mean(size_t count, const real *log_term) {
    real largest = log_term[0], total = 0;
    for (size_t s = 1; s < count; s++)
        largest = fmaxl(largest, log_term[s]);
    for (size_t s = 0; s < count; s++)
        total += expl(log_term[s] - largest);
    return largest + logl(total / (real)count);
}

real reference_log_density(real x, real mean, real variance) {
    return -0.5L * (powl(x - mean, 2) / variance + logl(2 * REAL_PI * variance));
}

real reference_worth_at(const struct fixture *fixture, const real *measured, const real *noise,
                        struct belief belief, const real *x) {
    real prior = fixture->model->options.prior_variance, value = 0;
    for (size_t j = 0; j < fixture->model->attributes; j++)
        value += reference_log_density(measured[j], x[j], noise[j]) +
                 reference_log_density(x[j], 0, prior) -
                 reference_log_density(x[j], belief.mu[j], belief.s[j]);
    return value;
}

void reference_lattice(const struct fixture *fixture, size_t row, double *epsilon) {
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
    reference_lattice(fixture, row, epsilon);
    for (size_t i = 0; i < count; i++)
        x[i] = belief.mu[i % d] + sqrtl(belief.s[i % d]) * epsilon[i];
    free(epsilon);
}

bool input_infers(const struct fixture *fixture) {
    return input_is(fixture, "latent") || input_is(fixture, "amortised") ||
           input_is(fixture, "marginal") || input_is(fixture, "narrow") ||
           input_is(fixture, "networks");
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

/* `networks`: one for the mean, then one for the log variance. */
static struct belief believe_networks(const struct fixture *fixture, size_t row,
                                      const real *measured, const real *noise) {
    const struct nim_model *model = fixture->model;
    size_t d = model->attributes, in = d + (model->classes ? model->classes : 1);
    const double *theta = model->theta + model->input_at;
    real *feature = network_features(fixture, row, measured, noise);
    struct belief belief = {reals(d), reals(d)};
    theta = run_network(fixture, theta, in, feature, d, belief.mu);
    run_network(fixture, theta, in, feature, d, belief.s);
    for (size_t j = 0; j < d; j++)
        belief.s[j] = expl(belief.s[j]);
    free(feature);
    return belief;
}

/* `amortised`: shift and spread (d each). */
static void run_amortised(const struct fixture *fixture, size_t row, const real *measured,
                          const real *noise, real *shift) {
    const struct nim_model *model = fixture->model;
    size_t d = model->attributes, in = 2 * d + (model->classes ? model->classes : 1);
    real *feature = network_features(fixture, row, measured, noise);
    run_network(fixture, model->theta + model->input_at, in, feature, 2 * d, shift);
    free(feature);
}

struct belief reference_belief(const struct fixture *fixture, size_t row, const real *measured,
                               const real *noise) {
    size_t d = fixture->model->attributes;
    if (input_is(fixture, "narrow"))
        return believe_narrowly(fixture, row, measured);
    if (input_is(fixture, "networks"))
        return believe_networks(fixture, row, measured, noise);
    real *shift = reals(2 * d);
    for (size_t j = 0; input_is(fixture, "latent") && j < 2 * d; j++)
        shift[j] = fixture->own[2 * row * d + j];
    if (input_is(fixture, "amortised"))
        run_amortised(fixture, row, measured, noise, shift);
    struct belief belief = believe(fixture, measured, noise, shift);
    free(shift);
    return belief;
}

void reference_place(const struct fixture *fixture, size_t row, const real *measured,
                     const real *noise, struct belief belief, real *x) {
    if (input_is(fixture, "exact") || input_is(fixture, "first_order"))
        memcpy(x, measured, fixture->model->attributes * sizeof *x);
    else if (input_is(fixture, "resampled"))
        draw_points(fixture, row, measured, noise, x);
    else if (input_is(fixture, "augmented"))
        draw_copy(fixture, row, measured, noise, x);
    else if (input_is(fixture, "marginal"))
        place_lattice(fixture, row, belief, x);
    else if (input_infers(fixture))
        draw_points(fixture, row, belief.mu, belief.s, x);
    else
        fail_msg("no reference for the input model %s", fixture->model->options.input->name);
}
