/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of numbers by rows that were held out: where the likelihood is wrong about the noise,
 * its own intervals contain too many rows, these contain as many as they say. They lie between two
 * quantiles, and a saved model keeps them.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "model/conformal.h"
#include "model/model.h"
#include "support/calls.h"
#include "support/reference.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 500, NEW = 1500, ALL = ROWS + NEW };

static double x[ALL], y[ALL];

/* Most rows are near the sine, and a few far away: cubes of normal numbers. */
static void make_rows(void) {
    double noise[ALL];
    random_uniform((struct random_key){5, 1}, 0, 0, ALL, x);
    random_normal((struct random_key){5, 2}, 0, 0, ALL, noise);
    for (size_t i = 0; i < ALL; i++)
        y[i] = sin(6.0 * x[i]) + 0.1 * pow(noise[i], 3.0);
}

static nim_data rows_from(size_t first, size_t count) {
    return NIM_DATA(.rows = count, .attributes = 1, .x = x + first, .targets = y + first,
                    .outputs = 1);
}

static nim_model *fit(const char *calibrate, size_t rows) {
    nim_options *options = nim_options_create();
    nim_data data = rows_from(0, rows);
    nim_model *model;
    nim_error error;
    set(options, "likelihood", "gaussian");
    set(options, "inducing", "15");
    set(options, "calibrate", calibrate);
    set(options, "views", "one"); /* mixtures would follow the tails by themselves */
    stop_on(nim_model_create(options, &data, &model, &error), &error);
    stop_on(nim_model_train(model, &data, NULL, NULL, &error), &error);
    nim_options_free(options);
    return model;
}

static nim_status predict(const nim_model *model, size_t count, double coverage, double *interval,
                          double *quantiles, const double *levels, nim_error *error) {
    nim_data data = rows_from(ROWS, count);
    nim_predictor *predictor;
    stop_on(nim_predictor_create(model, &predictor, error), error);
    nim_status status =
        nim_predict(predictor, &data,
                    &NIM_PREDICTION(.coverage = coverage, .interval = interval, .levels = levels,
                                    .level_count = quantiles ? 2 : 0, .quantiles = quantiles),
                    error);
    nim_predictor_free(predictor);
    return status;
}

static double share_inside(const double *interval) {
    double inside = 0.0;
    for (size_t i = 0; i < NEW; i++)
        inside += interval[2 * i] <= y[ROWS + i] && y[ROWS + i] <= interval[2 * i + 1];
    return inside / NEW;
}

static void test_coverage(void **state) {
    (void)state;
    make_rows();
    nim_model *model = fit("auto", ROWS);
    static double interval[2 * NEW], own[2 * NEW];
    nim_error error;
    const double share[] = {0.3, 0.5, 0.9};
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
        double ends[] = {0.5 - 0.5 * share[k], 0.5 + 0.5 * share[k]};
        stop_on(predict(model, NEW, share[k], interval, own, ends, &error), &error);
        double deviation = sqrt(share[k] * (1.0 - share[k]) * (1.0 / ROWS + 1.0 / NEW));
        double inside = share_inside(interval), gaussian = share_inside(own);
        if (fabs(inside - share[k]) > 3.0 * deviation)
            fail_msg("%g of the rows inside, expected %g", inside, share[k]);
        if (k < 2) /* the likelihood's own are far too wide */
            assert_true(gaussian > share[k] + 6.0 * deviation);
    }
    double level = conformal_share(&model->conformal, 0.9), again[4], known[4];
    stop_on(predict(model, 2, 0.9, known, again, (double[]){0.5 - 0.5 * level, 0.5 + 0.5 * level},
                    &error),
            &error);
    assert_memory_equal(known, again, sizeof known);
    char path[SCRATCH_SIZE];
    close(mkstemp(scratch_name(path)));
    stop_on(nim_model_save(model, path, &error), &error);
    nim_model *loaded;
    stop_on(nim_model_load(path, &loaded, &error), &error);
    stop_on(predict(loaded, 2, 0.9, again, NULL, NULL, &error), &error);
    assert_memory_equal(known, again, sizeof known);
    unlink(path);
    nim_model_free(loaded);
    nim_model_free(model);
}

/* The ranks themselves: of n shares the k-th smallest belongs to k / (n + 1). */
static void test_ranks(void **state) {
    (void)state;
    enum { FEW = 9 };
    make_rows();
    nim_model *model = fit("none", 40);
    int32_t label[FEW] = {0};
    double place[2 * FEW];
    nim_error error;
    for (size_t i = 0; i < FEW; i++) /* shares of 0.1, 0.2, ..., below and above the median */
        place[2 * i] = place[2 * i + 1] = 0.5 + (i % 2 ? 0.05 : -0.05) * (double)(i + 1);
    stop_on(conformal_learn(model, FEW, place, label, &error), &error);
    assert_true(fabs(conformal_share(&model->conformal, 0.5) - 0.5) < 1e-12);
    assert_true(fabs(conformal_share(&model->conformal, 0.501) - 0.6) < 1e-12);
    assert_true(fabs(conformal_share(&model->conformal, 0.9) - 0.9) < 1e-12);
    assert_true(isinf(conformal_share(&model->conformal, 0.91)));
    nim_model_free(model);
}

static void test_refusals(void **state) {
    (void)state;
    double interval[2];
    nim_error error;
    make_rows();
    nim_model *model = fit("none", 60);
    assert_refused("interval", predict(model, 1, 0.9, interval, NULL, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("intervals", "calibrate=auto"));
    nim_model_free(model);
    model = fit("auto", 60);
    assert_refused("interval", predict(model, 1, 0.999, interval, NULL, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("0.999", "60 rows"));
    assert_refused("interval", predict(model, 1, 1.0, interval, NULL, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("coverage 1"));
    nim_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
