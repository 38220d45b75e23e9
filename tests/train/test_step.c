/* SPDX-License-Identifier: Apache-2.0 */
/* One training step from inside: every parameter moves once, and none when the step fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "support/problem.h"
#include "paper/coast.h"
#include "train/adam.h"
#include "train/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void stop_on(nim_status status, const nim_error *error) {
    if (status != NIM_OK)
        fail_msg("%s", error->message);
}

/*
 * After Adam's first update moment1 = 0.1 g and moment2 = 0.001 g^2 whatever g is; a parameter left
 * out has neither, and one updated twice has others. Z, what lies between and the network are moved
 * by different hands.
 */
static void check_moves_once(const struct problem *problem, size_t combination) {
    (void)combination;
    struct fixture fixture;
    nim_trainer *trainer;
    nim_error error;
    fixture_create(&fixture, problem);
    fixture_disturb(&fixture); /* at the start itself K_zz and Z do not matter yet */
    struct nim_model *model = fixture.model;
    stop_on(nim_trainer_create(model, &fixture.data, &trainer, &error), &error);
    stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    size_t moved = 0;
    for (size_t i = 0; i < model->count; i++) {
        double gradient = model->moment1.wide[i] / 0.1, expected = 0.001 * gradient * gradient;
        assert_true(fabs(model->moment2.wide[i] - expected) <= 1e-9 * expected + 1e-300);
        moved += gradient != 0.0;
    }
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters moment = model_gp(model, model->moment1.wide, c);
        assert_true(moment.z[0] != 0.0 && moment.m[0] != 0.0 && moment.l[0] != 0.0);
    }
    assert_true(2 * moved > model->count);
    nim_trainer_free(trainer);
    fixture_free(&fixture);
}

static void every_parameter_moves_once(void **state) {
    (void)state;
    every_combination(3, 5, 8, check_moves_once);
    every_combination(7, 2, 4, check_moves_once);
}

static double *copy_of(size_t count, const double *numbers) {
    double *copy = malloc(count * sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* `spoil` is put into one of a model's parameters, so that the next step cannot be made. */
static void check_failure(const struct problem *problem, bool in_z, double spoil) {
    struct fixture fixture;
    nim_trainer *trainer;
    nim_error error;
    fixture_create(&fixture, problem);
    struct nim_model *model = fixture.model;
    stop_on(nim_trainer_create(model, &fixture.data, &trainer, &error), &error);
    stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    struct gp_parameters theta = model_gp(model, model->theta, 1);
    *(in_z ? theta.z : theta.m) = spoil;
    size_t own = model->table.rows * model->table.each;
    uint64_t visits = model->visits, step = model->step;
    double *before = copy_of(model->count, model->theta);
    double *moment1 = copy_of(model->count, model->moment1.wide);
    double *moment2 = copy_of(model->count, model->moment2.wide);
    double *rows = copy_of(own, model->table.theta);
    assert_int_equal(nim_trainer_step(trainer, NULL, &error), NIM_NUMERICAL);
    assert_true(model->visits == visits && model->step == step);
    assert_memory_equal(before, model->theta, model->count * sizeof(double));
    assert_memory_equal(moment1, model->moment1.wide, model->count * sizeof(double));
    assert_memory_equal(moment2, model->moment2.wide, model->count * sizeof(double));
    if (own)
        assert_memory_equal(rows, model->table.theta, own * sizeof(double));
    free(rows);
    free(moment2);
    free(moment1);
    free(before);
    nim_trainer_free(trainer);
    fixture_free(&fixture);
}

static void failed_step_moves_nothing(void **state) {
    (void)state;
    static const char *const inputs[] = {"exact", "latent", "amortised", "first_order"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (size_t inducing = 1; inducing <= 8; inducing += 7) {
            struct problem problem = {.classes = 3,
                                      .attributes = 4,
                                      .inducing = inducing,
                                      .kernel = "se",
                                      .input = inputs[i],
                                      .noise = "both"};
            check_failure(&problem, false, 1e200);
            check_failure(&problem, true, NAN);
        }
}

/* Two models alike but for lengthscale_rate: after a step lengthscales have gone that part of the
 * way, and all else is where it is in the other. */
static void check_lengthscale_rate(const struct problem *problem, size_t combination) {
    (void)combination;
    enum { WHOLE, PART };
    const double part = 0.25;
    struct fixture fixture[2];
    double *start = NULL;
    for (size_t k = WHOLE; k <= PART; k++) {
        nim_trainer *trainer;
        nim_error error;
        fixture_create(&fixture[k], problem);
        fixture_disturb(&fixture[k]);
        struct nim_model *model = fixture[k].model;
        model->options.lengthscale_rate = k == PART ? part : 1.0;
        if (k == WHOLE)
            start = copy_of(model->count, model->theta);
        stop_on(nim_trainer_create(model, &fixture[k].data, &trainer, &error), &error);
        stop_on(nim_trainer_step(trainer, NULL, &error), &error);
        nim_trainer_free(trainer);
    }
    struct nim_model *whole = fixture[WHOLE].model, *other = fixture[PART].model;
    size_t lengthscales = whole->gp.kernel->terms * whole->attributes;
    for (size_t c = 0; c < whole->functions; c++) {
        struct gp_parameters from = model_gp(whole, start, c);
        struct gp_parameters to = model_gp(whole, whole->theta, c);
        struct gp_parameters slow = model_gp(other, other->theta, c);
        for (size_t j = 0; j < lengthscales; j++) {
            double step = to.log_lengthscale[j] - from.log_lengthscale[j];
            double taken = slow.log_lengthscale[j] - from.log_lengthscale[j];
            assert_true(fabs(taken - part * step) <= 1e-12);
        }
        memcpy(slow.log_lengthscale, to.log_lengthscale, lengthscales * sizeof(double));
    }
    assert_memory_equal(whole->theta, other->theta, whole->count * sizeof(double));
    free(start);
    fixture_free(&fixture[PART]);
    fixture_free(&fixture[WHOLE]);
}

static void lengthscales_have_a_rate(void **state) {
    (void)state;
    every_combination(3, 5, 8, check_lengthscale_rate);
}

/* Rows have parameters of their own. */
static const struct problem with_rows = {.classes = 3,
                                         .attributes = 2,
                                         .inducing = 4,
                                         .kernel = "se",
                                         .input = "latent",
                                         .noise = "given"};

/* After each step of an epoch, how many rows have been in one. */
static void check_batches(const char *name, size_t rule, size_t batch) {
    struct fixture fixture;
    nim_trainer *trainer;
    nim_error error;
    fixture_create(&fixture, &with_rows);
    struct nim_model *model = fixture.model;
    size_t rows = fixture.data.rows, batches = (rows + batch - 1) / batch;
    assert_true(rows % batch != 0 && rows % batches != 0);
    model->options.batch = batch;
    assert_int_equal(nim_options_set(&model->options, "last_batch", name, &error), NIM_OK);
    assert_int_equal(model->options.last_batch, rule);
    stop_on(nim_trainer_create(model, &fixture.data, &trainer, &error), &error);
    for (size_t k = 1; k <= batches; k++) {
        stop_on(nim_trainer_step(trainer, NULL, &error), &error);
        size_t seen = 0, even = rows * k / batches, full = k * batch < rows ? k * batch : rows;
        for (size_t row = 0; row < rows; row++) {
            assert_true(model->table.visits[row] <= 1);
            seen += model->table.visits[row] == 1;
        }
        assert_int_equal(seen, rule == LAST_BATCH_EVEN ? even : full);
    }
    assert_int_equal(model->epoch, 1);
    nim_trainer_free(trainer);
    fixture_free(&fixture);
}

static void batches_are_even_or_full(void **state) {
    (void)state;
    check_batches("even", LAST_BATCH_EVEN, 7);
    check_batches("rest", LAST_BATCH_REST, 7);
}

static void assert_near(double a, double b, double tolerance) {
    assert_true(fabs(a - b) <= tolerance);
}

/* Steps without gradient at once, or one by one. */
static void optimiser_coasts(void **state) {
    (void)state;
    enum { COUNT = 5 };
    const double gradient[2][COUNT] = {{1.0, -2.0, 0.3, 0.1, 50.0}, {-0.5, 1.0, 0.3, 0.2, -60.0}};
    const double none[COUNT] = {0.0};
    const uint64_t gaps[] = {0, 1, 2, 17, 400};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        double slow[3][COUNT] = {{0.0}}, fast[3][COUNT] = {{0.0}}; /* parameters and moments */
        uint64_t visit = 0;
        for (size_t k = 0; k < 2; k++) {
            visit++;
            adam_update(COUNT, adam_step(0.01, visit, false), gradient[k], slow[0],
                        (union gp_matrix){slow[1]}, (union gp_matrix){slow[2]});
            adam_update(COUNT, adam_step(0.01, visit, false), gradient[k], fast[0],
                        (union gp_matrix){fast[1]}, (union gp_matrix){fast[2]});
            for (uint64_t j = 1; j <= gaps[g]; j++)
                adam_update(COUNT, adam_step(0.01, visit + j, false), none, slow[0],
                            (union gp_matrix){slow[1]}, (union gp_matrix){slow[2]});
            adam_coast(COUNT, 0.01, visit, visit + gaps[g], fast[0], fast[1], fast[2]);
            visit += gaps[g];
            for (size_t i = 0; i < COUNT; i++) {
                /* in single steps the floor of Adam counts a little more */
                assert_near(fast[0][i], slow[0][i], 1e-6);
                assert_near(fast[1][i], slow[1][i], 1e-12 * fabs(gradient[k][i]));
                assert_near(fast[2][i], slow[2][i], 1e-12 * slow[2][i]);
            }
        }
    }
}

/* With row_steps=always one Adam moves all rows: here all of its updates are done anew, from the
 * moments of the first epoch on. */
static void rows_move_in_every_step(void **state) {
    (void)state;
    struct fixture fixture;
    nim_trainer *trainer;
    nim_error error;
    fixture_create(&fixture, &with_rows);
    struct nim_model *model = fixture.model;
    struct row_table *table = &model->table;
    size_t rows = fixture.data.rows, each = table->each;
    model->options.batch = 7;
    assert_int_equal(nim_options_set(&model->options, "row_steps", "always", &error), NIM_OK);
    assert_int_equal(model->options.row_steps, ROW_STEPS_ALWAYS);
    stop_on(nim_trainer_create(model, &fixture.data, &trainer, &error), &error);
    while (model->epoch < 1)
        stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    double *before = malloc(3 * rows * each * sizeof *before);
    double *visits = malloc(rows * sizeof *visits);
    memcpy(before, table->theta, rows * each * sizeof *before);
    memcpy(before + rows * each, table->moments, 2 * rows * each * sizeof *before);
    memcpy(visits, table->visits, rows * sizeof *visits);
    double rate = model->options.rate;
    stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    size_t taken = 0;
    for (size_t row = 0; row < rows; row++) {
        double *theta = before + row * each, *moments = before + (rows + 2 * row) * each;
        if (table->visits[row] == visits[row]) {
            assert_memory_equal(theta, table->theta + row * each, each * sizeof *theta);
            continue;
        }
        taken++;
        assert_near(table->visits[row], (double)model->visits, 0.0);
        adam_coast(each, rate, (uint64_t)visits[row], model->visits - 1, theta, moments,
                   moments + each);
        for (size_t i = 0; i < each; i++) { /* its own update: by what its new moments say */
            const double *now = table->moments + row * 2 * each;
            struct adam_step step = adam_step(rate, model->visits, false);
            double gradient = (now[i] - 0.9 * moments[i]) / 0.1;
            assert_near(now[each + i], 0.999 * moments[each + i] + 0.001 * gradient * gradient,
                        1e-9 * now[each + i]);
            theta[i] += step.rate * now[i] * step.correction1 /
                        (sqrt(now[each + i] * step.correction2) + 1e-8);
            assert_near(table->theta[row * each + i], theta[i], 1e-12);
        }
    }
    assert_int_equal(taken, 7 < rows ? rows / ((rows + 6) / 7) : rows);
    free(visits);
    free(before);
    nim_trainer_free(trainer);
    fixture_free(&fixture);
}

static void optimiser_by_several_threads(void **state) {
    (void)state;
    enum { COUNT = 30000 };
    double *number = malloc(6 * COUNT * sizeof *number);
    double *gradient = number, *theta = number + COUNT, *moment1 = number + 2 * COUNT;
    double *moment2 = number + 3 * COUNT, *moved = number + 4 * COUNT;
    random_normal((struct random_key){3, 0}, 0, 0, 5 * COUNT, number);
    for (size_t i = 0; i < COUNT; i++)
        moment2[i] = fabs(moment2[i]);
    memcpy(moved, theta, COUNT * sizeof *moved);
    double *first = copy_of(COUNT, moment1), *second = copy_of(COUNT, moment2);
    struct pool *pool = pool_create(3);
    assert_non_null(pool);
    struct adam_step step = adam_step(0.01, 5, false);
    adam_update(COUNT, step, gradient, moved, (union gp_matrix){first}, (union gp_matrix){second});
    adam_update_pooled(pool, COUNT, step, gradient, theta, (union gp_matrix){moment1},
                       (union gp_matrix){moment2});
    assert_memory_equal(moved, theta, COUNT * sizeof *theta);
    assert_memory_equal(first, moment1, COUNT * sizeof *theta);
    assert_memory_equal(second, moment2, COUNT * sizeof *theta);
    pool_free(pool);
    free(second);
    free(first);
    free(number);
}

/*
 * Moments that are floats lead the same way. Gradients have a mean and noise, as those of
 * minibatches, and magnitudes from 1e-12 to 1e12. After each of many updates the path is as long as
 * that of double precision within 1e-4, though rounding errors of the second moments add up over a
 * thousand updates (docs/derivations/single.md).
 */
static void moments_in_single_precision(void **state) {
    (void)state;
    enum { COUNT = 241, UPDATES = 5000 };
    double gradient[COUNT], theta[2][COUNT] = {{0}}, first[COUNT] = {0}, second[COUNT] = {0};
    float narrow_first[COUNT] = {0}, narrow_second[COUNT] = {0};
    for (uint64_t visit = 1; visit <= UPDATES; visit++) {
        random_normal((struct random_key){4, 0}, visit, 0, COUNT, gradient);
        for (size_t i = 0; i < COUNT; i++)
            gradient[i] = (gradient[i] + 0.5) * pow(10.0, (double)i / 10.0 - 12.0);
        adam_update(COUNT, adam_step(0.01, visit, false), gradient, theta[0],
                    (union gp_matrix){first}, (union gp_matrix){second});
        adam_update(COUNT, adam_step(0.01, visit, true), gradient, theta[1],
                    (union gp_matrix){.narrow = narrow_first},
                    (union gp_matrix){.narrow = narrow_second});
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(fabs(theta[1][i] - theta[0][i]) <= 1e-4 * 0.01 * UPDATES);
        assert_true(fabs((double)narrow_second[i] - second[i]) <= 1e-4 * second[i]);
    }
}

/* Moments follow a change of the precision: they become floats, and doubles again. */
static void moments_follow_the_precision(void **state) {
    (void)state;
    struct problem problem = {.classes = 3,
                              .attributes = 4,
                              .inducing = 8,
                              .kernel = "se",
                              .input = "exact",
                              .noise = "both"};
    struct fixture fixture;
    nim_trainer *trainer;
    nim_error error;
    fixture_create(&fixture, &problem);
    struct nim_model *model = fixture.model;
    stop_on(nim_trainer_create(model, &fixture.data, &trainer, &error), &error);
    stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    double *before = copy_of(model->count, model->moment1.wide);
    stop_on(nim_model_set_option(model, "precision", "single", &error), &error);
    for (size_t i = 0; i < model->count; i++)
        assert_true(model->moment1.narrow[i] == (float)before[i]);
    stop_on(nim_model_set_option(model, "precision", "double", &error), &error);
    for (size_t i = 0; i < model->count; i++)
        assert_true(model->moment1.wide[i] == (double)(float)before[i]);
    free(before);
    nim_trainer_free(trainer);
    fixture_free(&fixture);
}

/* A gradient whose square is no float moves a parameter by the rate, as any other gradient does,
 * and is forgotten in time. */
static void enormous_gradient_in_single_precision(void **state) {
    (void)state;
    double gradient[1] = {1e25}, theta[1] = {0.0};
    float first[1] = {0}, second[1] = {0};
    for (uint64_t visit = 1; visit <= 100000; visit++) {
        double before = theta[0];
        adam_update(1, adam_step(0.01, visit, true), gradient, theta,
                    (union gp_matrix){.narrow = first}, (union gp_matrix){.narrow = second});
        assert_true(fabs(theta[0] - before) <= 0.0101);
        assert_true(visit > 1 || fabs(theta[0] - 0.01) < 1e-6);
        gradient[0] = -1.0;
    }
    assert_true(fabs((double)second[0] - 1.0) < 0.01 && theta[0] < 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_moves_once),
        cmocka_unit_test(failed_step_moves_nothing),
        cmocka_unit_test(lengthscales_have_a_rate),
        cmocka_unit_test(batches_are_even_or_full),
        cmocka_unit_test(optimiser_coasts),
        cmocka_unit_test(rows_move_in_every_step),
        cmocka_unit_test(optimiser_by_several_threads),
        cmocka_unit_test(moments_in_single_precision),
        cmocka_unit_test(moments_follow_the_precision),
        cmocka_unit_test(enormous_gradient_in_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
