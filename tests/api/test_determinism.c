/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results have the same bits for any number of threads, however rows are split into calls of
 * prediction, and whatever else runs at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"
#include "support/sanitized.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = SANITIZED ? 6 : 30 };

/* All results of a short training, as one array of doubles. */
struct outcome {
    size_t count;
    double *values;
};

static void append(struct outcome *outcome, const double *values, size_t count) {
    outcome->values = realloc(outcome->values, (outcome->count + count) * sizeof *values);
    memcpy(outcome->values + outcome->count, values, count * sizeof *values);
    outcome->count += count;
}

static void set_number(nim_options *options, const char *name, size_t number) {
    char value[32];
    nim_error error;
    snprintf(value, sizeof value, "%zu", number);
    stop_on(nim_options_set(options, name, value, &error), &error);
}

static void append_array(struct outcome *outcome, const nim_model *model, const char *name) {
    size_t count;
    assert_int_equal(nim_model_get(model, name, NULL, 0, &count, NULL), NIM_OK);
    double *values = malloc(count * sizeof *values);
    assert_int_equal(nim_model_get(model, name, values, count, &count, NULL), NIM_OK);
    append(outcome, values, count);
    free(values);
}

static void append_steps(struct outcome *outcome, nim_model *model, const nim_data *data) {
    nim_trainer *trainer;
    nim_error error;
    stop_on(nim_trainer_create(model, data, &trainer, &error), &error);
    for (size_t step = 0; step < STEPS; step++) {
        double bound;
        stop_on(nim_trainer_step(trainer, &bound, &error), &error);
        append(outcome, &bound, 1);
    }
    nim_trainer_free(trainer);
}

/* Appends everything a predictor can compute for the table, in portions of this many rows. */
static void append_prediction(struct outcome *outcome, const nim_model *model, const nim_data *data,
                              size_t portion) {
    nim_predictor *predictor;
    nim_error error;
    size_t rows = data->rows, count = everything_count(model, rows);
    double *values = malloc(count * sizeof *values);
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    for (size_t first = 0; first < rows; first += portion) {
        nim_data part = rows_of(data, first, rows - first < portion ? rows - first : portion);
        nim_prediction wanted = everything(model, values, rows, first, true);
        stop_on(nim_predict(predictor, &part, &wanted, &error), &error);
    }
    append(outcome, values, count);
    nim_predictor_free(predictor);
    free(values);
}

static void append_denoised(struct outcome *outcome, const nim_model *model, const nim_data *data) {
    size_t cells = data->rows * data->attributes;
    double *values = malloc(2 * cells * sizeof *values);
    assert_int_equal(nim_model_denoise(model, data, values, values + cells, NULL), NIM_OK);
    append(outcome, values, 2 * cells);
    free(values);
}

static struct outcome outcome_of(const nim_options *options, const nim_data *data) {
    struct outcome outcome = {0};
    nim_model *model;
    nim_error error;
    stop_on(nim_model_create(options, data, &model, &error), &error);
    append_steps(&outcome, model, data);
    append_prediction(&outcome, model, data, data->rows);
    append_denoised(&outcome, model, data);
    append_array(&outcome, model, "inducing_inputs");
    append_array(&outcome, model, "lengthscales");
    append_array(&outcome, model, "noise_variance");
    nim_model_free(model);
    return outcome;
}

static bool same_bits(const struct outcome *one, const struct outcome *other) {
    return one->count == other->count &&
           memcmp(one->values, other->values, one->count * sizeof *one->values) == 0;
}

/* Reports where two outcomes differ: the first STEPS values are bounds, predictions follow. */
static void assert_same(const struct outcome *one, const struct outcome *other, const char *what) {
    if (same_bits(one, other))
        return;
    assert_int_equal(one->count, other->count);
    size_t at = 0;
    while (memcmp(one->values + at, other->values + at, sizeof *one->values) == 0)
        at++;
    fail_msg("%s: value %zu of %zu is %.17g or %.17g", what, at, one->count, one->values[at],
             other->values[at]);
}

/* ---------------------------------------------------------------- threads --------------------- */

/* Four threads on two processors often wait for each other, so `kinds` may exclude them. */
static void same_for_any_threads(const struct problem *problem, size_t batch, size_t kinds) {
    static const size_t threads[] = {1, 2, 4};
    struct fixture fixture;
    struct outcome first = {0};
    char what[200];
    fixture_create(&fixture, problem);
    set_number(fixture.options, "batch", batch);
    set_number(fixture.options, "points", 6);
    for (size_t k = 0; k < kinds; k++) {
        set_number(fixture.options, "threads", threads[k]);
        struct outcome outcome = outcome_of(fixture.options, &fixture.data);
        snprintf(what, sizeof what, "%s batch=%zu samples=%zu threads=%zu", problem_name(problem),
                 batch, problem->samples, threads[k]);
        if (k == 0) {
            first = outcome;
            continue;
        }
        assert_same(&first, &outcome, what);
        free(outcome.values);
    }
    free(first.values);
    fixture_free(&fixture);
}

/* Batches of 70 rows make two tiles of points with two or three classes; 48 does not divide 140. */
static void every_input_model(size_t classes, size_t attributes, size_t inducing, size_t rows) {
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = classes,
                                  .attributes = attributes,
                                  .inducing = inducing,
                                  .rows = rows,
                                  .kernel = kernel_in_turn(i),
                                  .input = input_list[i]->name,
                                  .noise = i % 2 ? "given" : "both",
                                  .learn_epsilon = i % 2,
                                  .samples = 1};
        if (!SANITIZED || i % 2)
            same_for_any_threads(&problem, rows / 2, 2 + i % 2);
        problem.samples = 3;
        if (!SANITIZED || i % 2 == 0)
            same_for_any_threads(&problem, 48, 3 - i % 2);
    }
}

static void threads_two_classes(void **state) {
    (void)state;
    every_input_model(2, 3, 9, 140);
}
static void threads_three_classes(void **state) {
    (void)state;
    every_input_model(3, 2, 12, 140);
}
/* Every likelihood, with an input model that averages and one that widens. */
static void threads_every_likelihood(void **state) {
    (void)state;
    for (size_t l = 1; likelihood_list[l]; l++) { /* the first is that of all others here */
        struct problem problem = {.classes = likelihood_list[l]->most_classes ? 2 : 3,
                                  .attributes = 2,
                                  .inducing = 9,
                                  .rows = 70,
                                  .kernel = "se",
                                  .input = l % 2 ? "latent" : "first_order",
                                  .noise = l % 3 ? "given" : "both",
                                  .likelihood = likelihood_list[l]->name,
                                  .samples = 1};
        same_for_any_threads(&problem, 48, 3);
    }
}

/* More functions than threads: one thread computes all steps of a function. */
static void threads_ten_classes(void **state) {
    (void)state;
    every_input_model(10, 3, 38, 70);
}
/* More than 400 attributes: the gradient by the inputs is divided into blocks of attributes. */
static void threads_many_attributes(void **state) {
    (void)state;
    static const char *const inputs[] = {"latent", "amortised", "first_order"};
    for (size_t i = 0; i < 3; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 403,
                                  .inducing = 5,
                                  .rows = 64,
                                  .kernel = "se",
                                  .input = inputs[i],
                                  .noise = "both"};
        same_for_any_threads(&problem, 32, 2);
    }
}

/* Single precision, with few attributes and with more than GP_FEW_ATTRIBUTES, in one tile of points
 * and in several. */
static void threads_single_precision(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = i % 2 ? 3 : 7,
                                  .attributes = i % 3 ? 3 : 37,
                                  .inducing = 13,
                                  .rows = 140,
                                  .kernel = kernel_in_turn(i),
                                  .input = input_list[i]->name,
                                  .noise = i % 2 ? "given" : "both",
                                  .samples = 1 + i % 2,
                                  .single = true,
                                  .unwhitened = i % 4 < 2};
        same_for_any_threads(&problem, 70, 2 + i % 2);
    }
}

/* ---------------------------------------------------------------- portions of prediction ------ */

static void same_for_any_portions(const struct problem *problem) {
    static const size_t portions[] = {1, 7, 1000};
    struct fixture fixture;
    struct outcome whole = {0}, steps = {0};
    nim_model *model;
    fixture_create(&fixture, problem);
    set_number(fixture.options, "points", 70); /* more than one tile, and not a full one */
    set_number(fixture.options, "threads", 2);
    assert_int_equal(nim_model_create(fixture.options, &fixture.data, &model, NULL), NIM_OK);
    append_steps(&steps, model, &fixture.data);
    append_prediction(&whole, model, &fixture.data, fixture.rows);
    for (size_t k = 0; k < 3; k++) {
        struct outcome parts = {0};
        append_prediction(&parts, model, &fixture.data, portions[k]);
        assert_same(&whole, &parts, problem_name(problem));
        free(parts.values);
    }
    nim_model_free(model);
    free(steps.values);
    free(whole.values);
    fixture_free(&fixture);
}

static void portions_of_prediction(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 3,
                                  .inducing = 11,
                                  .rows = 80,
                                  .kernel = i % 2 ? "se" : "matern52",
                                  .input = input_list[i]->name,
                                  .noise = "both"};
        same_for_any_portions(&problem);
        problem.single = true;
        if (i % 3 == 0)
            same_for_any_portions(&problem);
    }
    for (size_t l = 1; likelihood_list[l]; l++) {
        struct problem problem = {.classes = likelihood_list[l]->most_classes ? 2 : 3,
                                  .attributes = 2,
                                  .inducing = 9,
                                  .rows = 40,
                                  .kernel = "se",
                                  .input = l % 2 ? "first_order" : "latent",
                                  .noise = "given",
                                  .likelihood = likelihood_list[l]->name};
        same_for_any_portions(&problem);
    }
}

/* ---------------------------------------------------------------- seeds ----------------------- */

static void seeds(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = {.classes = 3,
                                  .attributes = 2,
                                  .inducing = 6,
                                  .rows = 50,
                                  .kernel = "se",
                                  .input = input_list[i]->name,
                                  .noise = "given"};
        struct fixture fixture;
        fixture_create(&fixture, &problem);
        set_number(fixture.options, "batch", 20);
        set_number(fixture.options, "threads", 1);
        set_number(fixture.options, "seed", 12345);
        struct outcome one = outcome_of(fixture.options, &fixture.data);
        struct outcome again = outcome_of(fixture.options, &fixture.data);
        set_number(fixture.options, "seed", 12346);
        struct outcome other = outcome_of(fixture.options, &fixture.data);
        assert_same(&one, &again, problem.input);
        /* The first bound may be the same: q is the prior, and then all rows are equivalent. */
        for (size_t step = 1; step < STEPS; step++)
            assert_true(one.values[step] != other.values[step]);
        assert_true(one.values[STEPS] != other.values[STEPS]); /* a mean */
        free(one.values);
        free(again.values);
        free(other.values);
        fixture_free(&fixture);
    }
}

/* ---------------------------------------------------------------- at the same time ------------ */

struct job {
    struct fixture fixture;
    struct outcome alone, together;
};

static void *run_job(void *context) {
    struct job *job = context;
    job->together = outcome_of(job->fixture.options, &job->fixture.data);
    return NULL;
}

static void two_trainings_at_the_same_time(void **state) {
    (void)state;
    static const char *const inputs[][2] = {
        {"latent", "amortised"}, {"first_order", "resampled"}, {"latent", "latent"}};
    for (size_t k = 0; k < 3; k++) {
        struct job job[2] = {0};
        pthread_t thread[2];
        for (size_t j = 0; j < 2; j++) {
            struct problem problem = {.classes = 3 - j,
                                      .attributes = 3,
                                      .inducing = 10,
                                      .rows = 100 + 7 * j,
                                      .kernel = j ? "se" : "matern32",
                                      .input = inputs[k][j],
                                      .noise = "both"};
            fixture_create(&job[j].fixture, &problem);
            set_number(job[j].fixture.options, "threads", 2);
            set_number(job[j].fixture.options, "points", 30);
            set_number(job[j].fixture.options, "batch", 40);
            job[j].alone = outcome_of(job[j].fixture.options, &job[j].fixture.data);
        }
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_create(&thread[j], NULL, run_job, &job[j]), 0);
        for (size_t j = 0; j < 2; j++)
            pthread_join(thread[j], NULL);
        for (size_t j = 0; j < 2; j++) {
            assert_same(&job[j].alone, &job[j].together, inputs[k][j]);
            free(job[j].alone.values);
            free(job[j].together.values);
            fixture_free(&job[j].fixture);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_two_classes),
        cmocka_unit_test(threads_three_classes),
        cmocka_unit_test(threads_every_likelihood),
        cmocka_unit_test(threads_ten_classes),
        cmocka_unit_test(threads_many_attributes),
        cmocka_unit_test(threads_single_precision),
        cmocka_unit_test(portions_of_prediction),
        cmocka_unit_test(seeds),
        cmocka_unit_test(two_trainings_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
