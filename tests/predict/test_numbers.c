/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions of numbers and counts: means, deviations, densities and quantiles of a row whose
 * input has an error bar, against the mixture over the same points that the predictor uses, in long
 * double.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/lattice.h"
#include "support/calls.h"
#include "support/likelihood_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct likelihood *const likelihoods[] = {&likelihood_gaussian, &likelihood_student_t,
                                                       &likelihood_poisson};
enum { LIKELIHOODS = 3, WIDTH = 2, LEVELS = 3, MOST_POINTS = 4096, ROWS = 4 };

/* With few points each is a group and quantiles are exact; many points are merged into 32
 * groups. */
enum { FEW = 24, MANY = MOST_POINTS };

static const double levels[LEVELS] = {0.005, 0.3, 0.99};

/* A model with parameters away from their start, with nu = 4 if it has one: then P(T <= t) is a
 * formula. */
static void make(struct fixture *fixture, const struct likelihood *likelihood, const char *input,
                 size_t points) {
    struct problem problem = {.classes = 2,
                              .attributes = WIDTH,
                              .inducing = 8,
                              .rows = 30,
                              .likelihood = likelihood->name,
                              .kernel = "se",
                              .input = input,
                              .noise = "given"};
    char number[16];
    nim_error error;
    fixture_create(fixture, &problem);
    fixture_disturb(fixture);
    snprintf(number, sizeof number, "%zu", points);
    stop_on(nim_model_set_option(fixture->model, "points", number, &error), &error);
    if (likelihood == &likelihood_student_t)
        fixture->model->theta[fixture->model->likelihood_at + 1] = log(2.0);
}

static void predict(const nim_model *model, const nim_data *data, const nim_prediction *wanted) {
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, data, wanted, &error), &error);
    nim_predictor_free(predictor);
}

/* ---------------------------------------------------------------- the mixture by hand --------- */

/* A row's f ~ N(mean, variance) at one of `count` equally likely points. */
struct mixture {
    struct reference_likelihood likelihood;
    size_t count;
    double mean[MOST_POINTS], variance[MOST_POINTS], exposure;
    real shift, unit; /* y = shift + unit times y in standard units */
};

/* x* = c + sqrt(T) xi (noise_posterior.h); each point is predicted as an exact row. */
static void find_mixture(const struct fixture *fixture, size_t row, size_t points,
                         struct mixture *mixture) {
    const struct nim_model *model = fixture->model;
    double *xi = doubles(points * WIDTH), *x = doubles(points * WIDTH);
    double prior = model->options.prior_variance;
    assert_true(lattice_normal((struct random_key){model->options.seed, STREAM_LATTICE}, points,
                               WIDTH, xi));
    for (size_t i = 0; i < points * WIDTH; i++) {
        size_t j = i % WIDTH, at = row * WIDTH + j;
        double unit = model->scaling.deviation[j], middle = model->scaling.mean[j];
        double noise = pow(fixture->sigma[at] / unit, 2);
        double centre = prior / (prior + noise) * (fixture->x[at] - middle) / unit;
        x[i] = middle + unit * (centre + sqrt(prior * noise / (prior + noise)) * xi[i]);
    }
    nim_data data = NIM_DATA(.rows = points, .attributes = WIDTH, .x = x);
    predict(model, &data,
            &NIM_PREDICTION(.latent_mean = mixture->mean, .latent_variance = mixture->variance));
    mixture->likelihood = (struct reference_likelihood){
        model->options.likelihood, model->likelihood, model->theta + model->likelihood_at};
    mixture->count = points;
    mixture->exposure = fixture->exposure[row];
    bool count = model->options.likelihood->target == TARGET_COUNT;
    mixture->shift = count ? 0 : model->scaling.target_mean;
    mixture->unit = count ? 1 : model->scaling.target_deviation;
    free(xi);
    free(x);
}

struct looked_at {
    const struct mixture *mixture;
    double target[2]; /* in standard units */
};

static real density_at(real f, const void *context) {
    const struct looked_at *at = context;
    return expl(reference_log_p(&at->mixture->likelihood, at->target, &f, NULL));
}

/* P(Y <= y | f). */
static real below_at(real f, const void *context) {
    const struct looked_at *at = context;
    const double *theta = at->mixture->likelihood.theta;
    real u = at->target[0] - f, s2 = expl(theta[0]);
    if (reference_is(&at->mixture->likelihood, "gaussian"))
        return reference_normal_cdf(u / sqrtl(s2));
    if (reference_is(&at->mixture->likelihood, "student_t")) {
        real t = u / sqrtl(s2 + u * u / 4);
        return 0.5L + 0.375L * t * (1 - t * t / 12);
    }
    real rate = at->target[1] * expl(theta[0] + f), term = expl(-rate), total = 0;
    for (real k = 0; k <= at->target[0]; k += 1) {
        total += term;
        term *= rate / (k + 1);
    }
    return total;
}

/* Average of g over all points and all f there. */
static real mix(const struct mixture *mixture, reference_function *g, real y) {
    struct looked_at at = {mixture, {(double)((y - mixture->shift) / mixture->unit)}};
    bool count = reference_is(&mixture->likelihood, "poisson");
    real total = 0, place = at.target[0];
    at.target[1] = count ? mixture->exposure : 0.0; /* or the error of y */
    if (count)
        place = logl((at.target[0] + 0.5L) / mixture->exposure) - mixture->likelihood.theta[0];
    for (size_t p = 0; p < mixture->count; p++)
        total += reference_average(g, &at, mixture->mean[p], mixture->variance[p], place,
                                   count ? 1 : expl(0.5L * mixture->likelihood.theta[0])) /
                 (real)mixture->count;
    return total;
}

/* ---------------------------------------------------------------- tests ----------------------- */

static void close_to(double value, real expected, real tolerance, const char *what,
                     const char *name) {
    if (!(fabsl(value - expected) <= tolerance))
        fail_msg("%s: %s is %.15g, expected %.15Lg", name, what, value, expected);
}

struct answers {
    double mean[ROWS], deviation[ROWS], density[ROWS], place[2 * ROWS], quantiles[ROWS * LEVELS];
};

static struct answers ask(const struct fixture *fixture) {
    struct answers answers;
    nim_data data = fixture->data;
    data.rows = data.sigma_rows = ROWS;
    predict(fixture->model, &data,
            &NIM_PREDICTION(.mean = answers.mean, .deviation = answers.deviation,
                            .log_density = answers.density, .cumulative = answers.place,
                            .levels = levels, .level_count = LEVELS,
                            .quantiles = answers.quantiles));
    return answers;
}

/* E y and E y^2 given f, in standard units. */
static void moments_at(const struct mixture *mixture, real mean, real variance, real *first,
                       real *second) {
    const double *theta = mixture->likelihood.theta;
    real noise = expl(theta[0]);
    *first = mean;
    *second = mean * mean + variance + noise;
    if (reference_is(&mixture->likelihood, "poisson")) {
        *first = mixture->exposure * expl(theta[0] + mean + variance / 2);
        *second = *first + *first * *first * expl(variance);
    }
}

static void check_moments(const struct mixture *mixture, const struct answers *answers,
                          size_t row) {
    real first = 0, second = 0, one, two;
    for (size_t p = 0; p < mixture->count; p++) {
        moments_at(mixture, mixture->mean[p], mixture->variance[p], &one, &two);
        first += one / (real)mixture->count;
        second += two / (real)mixture->count;
    }
    real deviation = sqrtl(second - first * first);
    const char *name = mixture->likelihood.likelihood->name;
    close_to(answers->mean[row], mixture->shift + mixture->unit * first, 1e-9L, "mean", name);
    if (!mixture->likelihood.likelihood->heavy_tails)
        close_to(answers->deviation[row], mixture->unit * deviation, 1e-9L * (1 + deviation),
                 "deviation", name);
}

/* With heavy tails: as much of y is within it as of a normal distribution within one deviation. */
static void deviation_of_heavy_tails(void **state) {
    (void)state;
    struct fixture fixture;
    make(&fixture, &likelihood_student_t, "latent", FEW);
    struct answers answers = ask(&fixture);
    const double ends[] = {(double)reference_normal_cdf(-1), (double)reference_normal_cdf(1)};
    double found[ROWS * 2];
    nim_data data = fixture.data;
    data.rows = data.sigma_rows = ROWS;
    predict(fixture.model, &data,
            &NIM_PREDICTION(.levels = ends, .level_count = 2, .quantiles = found));
    for (size_t i = 0; i < ROWS; i++)
        close_to(answers.deviation[i], 0.5L * ((real)found[2 * i + 1] - (real)found[2 * i]), 1e-9L,
                 "deviation", "student_t");
    fixture_free(&fixture);
}

/* The density is of y in the user's units. */
static void densities(void **state) {
    (void)state;
    for (size_t l = 0; l < LIKELIHOODS; l++) {
        struct fixture fixture;
        static struct mixture mixture;
        make(&fixture, likelihoods[l], "latent", FEW);
        struct answers answers = ask(&fixture);
        for (size_t row = 0; row < ROWS; row++) {
            find_mixture(&fixture, row, FEW, &mixture);
            check_moments(&mixture, &answers, row);
            real p = mix(&mixture, density_at, fixture.targets[row]) / mixture.unit;
            close_to(answers.density[row], logl(p), 1e-8L, "log density", likelihoods[l]->name);
            real y = fixture.targets[row], before = y;
            if (likelihoods[l] == &likelihood_poisson)
                before = y - 1;
            close_to(answers.place[2 * row + 1], mix(&mixture, below_at, y), 1e-8L, "P(Y <= y)",
                     likelihoods[l]->name);
            close_to(answers.place[2 * row], before < 0 ? 0 : mix(&mixture, below_at, before),
                     1e-8L, "P(Y < y)", likelihoods[l]->name);
        }
        fixture_free(&fixture);
    }
}

/* As many groups as points: P(Y <= y) is the level; of counts y is the first to reach it. */
static void quantiles_of_few_points(void **state) {
    (void)state;
    for (size_t l = 0; l < LIKELIHOODS; l++) {
        struct fixture fixture;
        static struct mixture mixture;
        make(&fixture, likelihoods[l], "latent", FEW);
        struct answers answers = ask(&fixture);
        for (size_t at = 0; at < ROWS * LEVELS; at++) {
            double level = levels[at % LEVELS], q = answers.quantiles[at];
            find_mixture(&fixture, at / LEVELS, FEW, &mixture);
            real p = mix(&mixture, below_at, q);
            if (likelihoods[l] != &likelihood_poisson)
                close_to((double)p, level, 1e-9L, "P(Y <= quantile)", likelihoods[l]->name);
            else
                assert_true(p >= level && (q == 0.0 || mix(&mixture, below_at, q - 1) < level));
        }
        fixture_free(&fixture);
    }
}

/* P(Y <= y) of all points from the likelihood itself, which other tests check. */
static double below_of_all(const struct fixture *fixture, const struct mixture *mixture, double y) {
    const struct nim_model *model = fixture->model;
    bool count = reference_is(&mixture->likelihood, "poisson");
    double target[2] = {(double)((y - mixture->shift) / mixture->unit),
                        count ? mixture->exposure : 0.0};
    double *p = doubles(mixture->count), total = 0.0;
    double *scratch = doubles(likelihood_scratch(model->options.likelihood, &model->likelihood));
    model->options.likelihood->cumulative(&model->likelihood, mixture->likelihood.theta, target,
                                          mixture->count, mixture->mean, mixture->variance, p,
                                          scratch);
    for (size_t i = 0; i < mixture->count; i++)
        total += p[i] / (double)mixture->count;
    free(p);
    free(scratch);
    return total;
}

/* The error due to merging 4096 points into 32 groups: that of P(Y <= quantile) is less than
 * this. */
#define GROUPING 1e-3

static void quantiles_of_many_points(void **state) {
    (void)state;
    for (size_t l = 0; l < LIKELIHOODS; l++) {
        struct fixture fixture;
        static struct mixture mixture;
        double worst = 0.0;
        make(&fixture, likelihoods[l], "latent", MANY);
        if (likelihoods[l] != &likelihood_poisson) /* its noise is too small to smooth the groups */
            fixture.model->theta[fixture.model->likelihood_at] = -6.0;
        struct answers answers = ask(&fixture);
        for (size_t at = 0; at < ROWS * LEVELS; at++) {
            double level = levels[at % LEVELS], q = answers.quantiles[at];
            if (at % LEVELS == 0)
                find_mixture(&fixture, at / LEVELS, MANY, &mixture);
            double p = below_of_all(&fixture, &mixture, q), error = fabs(p - level);
            if (likelihoods[l] == &likelihood_poisson && p > level) { /* may jump past the level */
                double before = q > 0.0 ? below_of_all(&fixture, &mixture, q - 1.0) : 0.0;
                error = fmax(0.0, before - level);
            }
            worst = fmax(worst, error);
        }
        print_message("%s: 32 groups for %d points: levels are off by up to %.1e\n",
                      likelihoods[l]->name, MANY, worst);
        assert_true(worst < GROUPING);
        fixture_free(&fixture);
    }
}

/* Quantiles are in the order of their levels, and those of a row do not depend on what else is
 * requested. */
static void quantiles_in_order(void **state) {
    (void)state;
    enum { FINE = 9 };
    double fine[FINE], found[ROWS * FINE], alone[ROWS];
    for (size_t k = 0; k < FINE; k++)
        fine[k] = (double)(k + 1) / (FINE + 1);
    for (size_t l = 0; l < LIKELIHOODS; l++)
        for (size_t i = 0; input_list[i]; i++) {
            struct fixture fixture;
            make(&fixture, likelihoods[l], input_list[i]->name, 70);
            nim_data data = fixture.data;
            data.rows = data.sigma_rows = ROWS;
            predict(fixture.model, &data,
                    &NIM_PREDICTION(.levels = fine, .level_count = FINE, .quantiles = found));
            predict(fixture.model, &data,
                    &NIM_PREDICTION(.levels = fine + 4, .level_count = 1, .quantiles = alone));
            for (size_t row = 0; row < ROWS; row++) {
                for (size_t k = 1; k < FINE; k++)
                    assert_true(found[row * FINE + k] >= found[row * FINE + k - 1]);
                assert_true(found[row * FINE + 4] == alone[row]);
            }
            fixture_free(&fixture);
        }
}

/* ---------------------------------------------------------------- total probability ----------- */

/* The x of one row several times, with other targets. */
static void densities_sum_to_one(void **state) {
    (void)state;
    enum { STEPS = 2001 };
    static double x[STEPS * WIDTH], sigma[STEPS * WIDTH], y[STEPS], density[STEPS];
    static double exposure[STEPS];
    for (size_t l = 0; l < LIKELIHOODS; l++) {
        struct fixture fixture;
        bool count = likelihoods[l] == &likelihood_poisson;
        make(&fixture, likelihoods[l], "latent", FEW);
        struct answers answers = ask(&fixture);
        double width = count ? 1.0 : 0.02 * answers.deviation[0], total = 0.0, first = 0.0;
        for (size_t i = 0; i < STEPS; i++) {
            memcpy(x + i * WIDTH, fixture.x, WIDTH * sizeof *x);
            memcpy(sigma + i * WIDTH, fixture.sigma, WIDTH * sizeof *sigma);
            exposure[i] = fixture.exposure[0];
            y[i] = count ? (double)i : answers.mean[0] + width * ((double)i - STEPS / 2);
        }
        nim_data data =
            NIM_DATA(.rows = STEPS, .attributes = WIDTH, .x = x, .sigma = sigma,
                     .sigma_rows = STEPS, .targets = y, .outputs = 1, .exposure = exposure);
        predict(fixture.model, &data, &NIM_PREDICTION(.log_density = density));
        for (size_t i = 0; i < STEPS; i++) {
            total += width * exp(density[i]);
            first += width * exp(density[i]) * y[i];
        }
        /* A t of four degrees has 1e-5 beyond twenty deviations; a lognormal rate a long tail. */
        double tail = likelihoods[l] == &likelihood_gaussian ? 1e-10 : 1e-4;
        close_to(total, 1, tail, "the sum of all densities", likelihoods[l]->name);
        close_to(first, answers.mean[0], 20.0 * tail * answers.deviation[0], "their mean",
                 likelihoods[l]->name);
        fixture_free(&fixture);
    }
}

/* ---------------------------------------------------------------- units ----------------------- */

/* For sets of labels and for classes, the log density is that of the probabilities. */
static void log_density_of_classes(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        enum target_kind kind = likelihood_list[l]->target;
        if (kind == TARGET_NUMBER || kind == TARGET_COUNT)
            continue;
        struct problem problem = small;
        struct fixture fixture;
        double p[90], density[30];
        problem.likelihood = likelihood_list[l]->name;
        if (likelihood_list[l]->most_classes)
            problem.classes = likelihood_list[l]->most_classes;
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        predict(fixture.model, &fixture.data,
                &NIM_PREDICTION(.probabilities = p, .log_density = density));
        for (size_t row = 0; row < 30; row++) {
            const double *own = p + row * problem.classes;
            double expected = 0.0;
            if (kind == TARGET_LABELS)
                for (size_t c = 0; c < problem.classes; c++)
                    expected += log(
                        fixture.targets[row * problem.classes + c] != 0.0 ? own[c] : 1.0 - own[c]);
            else
                expected = log(own[fixture.labels[row]]);
            close_to(density[row], expected, 1e-12L, "log density", problem.likelihood);
        }
        fixture_free(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviation_of_heavy_tails), cmocka_unit_test(densities),
        cmocka_unit_test(quantiles_of_few_points),  cmocka_unit_test(quantiles_of_many_points),
        cmocka_unit_test(quantiles_in_order),       cmocka_unit_test(densities_sum_to_one),
        cmocka_unit_test(log_density_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
