/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of the bound against central differences, for every kernel, input model and noise
 * mode at several sizes, for every likelihood with several alpha, in every block of parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "model/bound.h"
#include "support/problem.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5

/* Directions tried in each block. Sanitizers check memory, not numbers, and every evaluation uses
 * the same memory: one is enough for them. */
enum { DIRECTIONS = SANITIZED ? 1 : 2 };

/* Parameters, and a direction in which all of them move. */
struct line {
    size_t count;
    double *parameter, *start, *direction;
};

static void move_to(struct line *line, double h) {
    for (size_t i = 0; i < line->count; i++)
        line->parameter[i] = line->start[i] + h * line->direction[i];
}

/* Derivative along the line by differences of fourth order. */
static double difference(struct fixture *fixture, struct line *line, double h) {
    const double at[4] = {h, -h, 2 * h, -2 * h};
    double value[4];
    for (int k = 0; k < 4; k++) {
        move_to(line, at[k]);
        value[k] = fixture_bound(fixture);
    }
    move_to(line, 0.0);
    return (8 * (value[0] - value[1]) - (value[2] - value[3])) / (12 * h);
}

/* A derivative is right if it agrees with one of four step sizes: large ones are affected by the
 * kinks of a network, small ones by the rounding errors of the quadrature, and a wrong derivative
 * agrees with none. */
static double line_error(struct fixture *fixture, struct line *line, const double *gradient,
                         double largest) {
    static const double steps[] = {1e-3, 2e-4, 5e-5, 5e-3};
    double error = INFINITY, along = 0.0;
    for (size_t i = 0; i < line->count; i++)
        along += gradient[i] * line->direction[i];
    for (size_t s = 0; s < sizeof steps / sizeof *steps && error > TOLERANCE; s++)
        error = fmin(error, fabs(difference(fixture, line, steps[s]) - along) / largest);
    return error;
}

/*
 * Largest error of a block over directions of length 1 in which all of its parameters take part,
 * relative to the block's largest derivative (or to 1e-5 of the bound, if that is more: the
 * quadrature is accurate to some 1e-10).
 */
static double block_error(struct fixture *fixture, double *parameters, const double *gradient,
                          size_t count, double scale) {
    double worst = 0.0, largest = 1e-5 * scale;
    double *room = malloc(2 * (count + 1) * sizeof *room);
    assert_non_null(room);
    struct line line = {count, parameters, room, room + count};
    memcpy(line.start, parameters, count * sizeof *parameters);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(gradient[i]));
    for (size_t d = 0; d < DIRECTIONS && count > 0; d++) {
        random_uniform((struct random_key){.seed = 17}, d, 0, count, line.direction);
        for (size_t i = 0; i < count; i++)
            line.direction[i] = (line.direction[i] < 0.5 ? -1.0 : 1.0) / sqrt((double)count);
        worst = fmax(worst, line_error(fixture, &line, gradient, largest));
    }
    free(room);
    return worst;
}

/* Sanitizers check memory, not numbers. With them only every fifth likelihood, every eleventh with
 * alpha and every third of the other combinations is used, of the largest every ninth, with
 * alternating noise modes. */
static bool left_out(const struct problem *problem, size_t combination) {
    if (SANITIZED && problem->likelihood)
        return combination % (problem->alpha > 0.0 ? 11 : 5) != 0;
    if (SANITIZED)
        return combination % 3 != combination / 3 % 3 ||
               (problem->classes == 7 && combination / 3 % 3 != combination / 9 % 3);
    /* All combinations of kernels, likelihoods, inputs and noises at one size, and of likelihoods
     * with alpha 0 and 1; otherwise the noises alternate. */
    bool every_way = problem->likelihood ? problem->classes == 4 || problem->alpha == 1.0
                                         : problem->attributes == 5 && problem->inducing == 8;
    if (problem->population || (every_way && problem->classes != 7))
        return false;
    return combination % 3 != combination / 3 % 3;
}

/* With several points the gradient by the parameters of q is doubly reparametrised and not the
 * derivative of the value: see doubly_reparametrised. The same holds for the noise if it is an
 * input of a network. */
static bool is_reparametrised(const struct fixture *fixture, const char *block) {
    const struct input_model *input = fixture->model->options.input;
    if (!input->inside || fixture->model->input.samples == 1)
        return false;
    return !block || strcmp(block, "input") == 0 ||
           (strcmp(block, "noise") == 0 && input->shared_parameters);
}

static void check(const struct problem *problem, size_t combination) {
    if (left_out(problem, combination))
        return;
    struct fixture fixture;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture);
    double value = fixture_bound(&fixture);
    assert_true(isfinite(value));
    size_t count = fixture.model->count, own = fixture.rows * fixture.model->table.each;
    double *gradient = malloc((count + own + 1) * sizeof *gradient);
    memcpy(gradient, bound_gradient(fixture.bound), count * sizeof *gradient);
    memcpy(gradient + count, bound_own_gradient(fixture.bound), own * sizeof *gradient);
    for (size_t b = 0; b < fixture.model->functions * BLOCKS_PER_FUNCTION + BLOCKS_IN_COMMON; b++) {
        struct block block = model_block(fixture.model, b);
        if (is_reparametrised(&fixture, block.name))
            continue;
        double error = block_error(&fixture, fixture.model->theta + block.offset,
                                   gradient + block.offset, block.count, fabs(value));
        if (error > TOLERANCE)
            print_error("%s: block %zu %s: %.2e\n", problem_name(problem), b, block.name, error);
        assert_true(error <= TOLERANCE);
    }
    if (is_reparametrised(&fixture, NULL))
        own = 0;
    double error = block_error(&fixture, fixture.own, gradient + count, own, fabs(value));
    if (error > TOLERANCE)
        print_error("%s: rows' own: %.2e\n", problem_name(problem), error);
    assert_true(error <= TOLERANCE);
    free(gradient);
    fixture_free(&fixture);
}

static void two_classes_one_attribute(void **state) {
    (void)state;
    every_combination(2, 1, 1, check);
    every_combination(2, 1, 8, check);
}
static void three_classes_five_attributes(void **state) {
    (void)state;
    every_combination(3, 5, 8, check);
    every_combination(3, 5, 1, check);
}
static void seven_classes(void **state) {
    (void)state;
    every_combination(7, 1, 8, check);
    every_combination(7, 5, 8, check);
}

/* More attributes than a sum has parts (vector.h), and an odd number of everything. */
static void many_attributes(void **state) {
    (void)state;
    every_combination(3, 19, 7, check);
}

/* The posterior not whitened; with seven classes one thread takes a function through all steps. */
static void unwhitened(void **state) {
    (void)state;
    every_unwhitened(3, 2, 5, check);
    every_unwhitened(7, 2, 6, check);
}

/* Every likelihood with every input model. Kernels alternate, since they do not depend on
 * either. */
static void likelihoods(void **state) {
    (void)state;
    every_likelihood(2, 1, 8, 0.0, check);
    every_likelihood(4, 5, 8, 0.0, check);
}

/* The same with other divergences. */
static void powers(void **state) {
    (void)state;
    every_likelihood(3, 2, 5, 0.3, check);
    every_likelihood(3, 2, 5, 1.0, check);
}

/* A learned population, with missing cells: p(x | x~) of a row moves all its points. */
static void check_population(const char *input, const char *population, size_t samples,
                             double alpha, size_t combination) {
    struct problem problem = {.classes = 2,
                              .attributes = 3,
                              .inducing = 5,
                              .rows = 48,
                              .samples = samples,
                              .kernel = kernel_in_turn(combination),
                              .input = input,
                              .noise = "given",
                              .population = population,
                              .gaps = true,
                              .learn_epsilon = true,
                              .alpha = alpha};
    struct fixture fixture;
    fixture_create(&fixture, &problem);
    size_t components = fixture.model->population.components;
    assert_true(strcmp(population, "mixture") == 0 ? components > 1 : components == 1);
    assert_int_equal(fixture.model->attributes, problem.attributes);
    fixture_free(&fixture);
    check(&problem, combination);
}

static void populations(void **state) {
    (void)state;
    static const char *const input[] = {"latent", "amortised", "marginal", "first_order", "exact"};
    static const char *const population[] = {"gaussian", "mixture"};
    size_t combination = 0;
    for (size_t i = 0; i < 5; i++)
        for (size_t p = 0; p < 2; p++)
            for (size_t samples = 1; samples <= 5; samples += 4)
                for (int alpha = 0; alpha < 2; alpha++)
                    check_population(input[i], population[p], samples, alpha, combination++);
}

/* Correlated and asymmetric errors, and limits, for every way to compute p(x | x~). */
static void shapes(void **state) {
    (void)state;
    static const char *const input[] = {"latent", "amortised", "marginal", "first_order"};
    static const char *const population[] = {NULL, "gaussian", "mixture"};
    for (size_t i = 0; i < 4; i++)
        for (size_t p = 0; p < 3; p++) {
            struct problem problem = {.classes = 2,
                                      .attributes = 3,
                                      .inducing = 5,
                                      .rows = 48,
                                      .samples = i == 2 ? 4 : 1,
                                      .kernel = kernel_in_turn(3 * i + p),
                                      .input = input[i],
                                      .noise = "given",
                                      .population = population[p],
                                      .gaps = true,
                                      .correlated = (i + p) % 3 != 0,
                                      .odd = (i + p) % 3 != 1};
            check(&problem, 0);
        }
}

/* Mean of the added numbers, and its variance. */
struct sample {
    double count, sum, squares;
};

static void sample_add(struct sample *sample, double value) {
    sample->count++;
    sample->sum += value;
    sample->squares += value * value;
}

static double sample_mean(const struct sample *sample) {
    return sample->sum / sample->count;
}

static double sample_variance(const struct sample *sample) {
    double mean = sample_mean(sample);
    return sample->squares / sample->count - mean * mean;
}

/* The rows' own parameters with the largest average gradient over some steps. Errors would be
 * visible in these first. */
static void choose_steepest(struct fixture *fixture, size_t count, size_t *chosen) {
    enum { STEPS = 100 };
    size_t own = fixture->rows * fixture->model->table.each;
    double *total = calloc(own, sizeof *total);
    assert_non_null(total);
    for (fixture->step = 0; fixture->step < STEPS; fixture->step++) {
        fixture_bound(fixture);
        for (size_t i = 0; i < own; i++)
            total[i] += bound_own_gradient(fixture->bound)[i];
    }
    for (size_t k = 0; k < count; k++) {
        chosen[k] = 0;
        for (size_t i = 1; i < own; i++)
            if (fabs(total[i]) > fabs(total[chosen[k]]))
                chosen[k] = i;
        total[chosen[k]] = 0.0;
    }
    free(total);
}

/*
 * With S > 1 points the gradient by the parameters of q differs from the derivative of the value
 * for each draw, but their averages over draws are equal. Its variance is smaller, except for rows
 * whose q is far off.
 */
static void check_reparametrised(const char *population, size_t attributes) {
    enum { STEPS = 800, STEEPEST = 4, TRIED = 6 };
    struct problem problem = {.classes = 2,
                              .attributes = attributes,
                              .inducing = 4,
                              .kernel = "se",
                              .input = "latent",
                              .noise = "given",
                              .population = population,
                              .samples = 8,
                              .noise_variance = 0.3};
    struct fixture fixture;
    fixture_create(&fixture, &problem);
    fixture_disturb(&fixture);
    size_t chosen[TRIED];
    choose_steepest(&fixture, STEEPEST, chosen);
    for (size_t k = STEEPEST; k < TRIED; k++)
        chosen[k] = k;
    struct sample difference_of[TRIED] = {0}, ours[TRIED] = {0}, plain[TRIED] = {0};
    for (size_t step = 0; step < STEPS; step++) {
        fixture.step = 1000 + step;
        double gradient[TRIED];
        fixture_bound(&fixture);
        for (size_t k = 0; k < TRIED; k++)
            gradient[k] = bound_own_gradient(fixture.bound)[chosen[k]];
        for (size_t k = 0; k < TRIED; k++) {
            double *own = fixture.own + chosen[k], start = *own, one = 1.0;
            struct line line = {1, own, &start, &one};
            double by_value = difference(&fixture, &line, 1e-3);
            sample_add(&difference_of[k], gradient[k] - by_value);
            sample_add(&ours[k], gradient[k]);
            sample_add(&plain[k], by_value);
        }
    }
    size_t seen = 0;
    for (size_t k = 0; k < TRIED; k++) {
        double error = sqrt(sample_variance(&difference_of[k]) / STEPS);
        assert_true(fabs(sample_mean(&difference_of[k])) < 4.0 * error);
        seen += fabs(sample_mean(&ours[k])) > 8.0 * error; /* so that a wrong mean is detected */
        if (k >= STEEPEST)
            assert_true(sample_variance(&ours[k]) < 0.7 * sample_variance(&plain[k]));
    }
    assert_true(seen >= STEEPEST / 2);
    fixture_free(&fixture);
}

/* Averages over thousands of evaluations, of a kind that `populations` has shown to sanitizers. */
static void doubly_reparametrised(void **state) {
    (void)state;
    if (SANITIZED)
        skip();
    check_reparametrised(NULL, 1);
    check_reparametrised("gaussian", 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_one_attribute),
        cmocka_unit_test(three_classes_five_attributes),
        cmocka_unit_test(seven_classes),
        cmocka_unit_test(many_attributes),
        cmocka_unit_test(unwhitened),
        cmocka_unit_test(likelihoods),
        cmocka_unit_test(powers),
        cmocka_unit_test(populations),
        cmocka_unit_test(shapes),
        cmocka_unit_test(doubly_reparametrised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
