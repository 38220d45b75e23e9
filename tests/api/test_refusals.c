/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid calls fail with the right status and a one-line message that names the cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- NULL ------------------------ */

static void null_options(void **state) {
    (void)state;
    nim_error error;
    nim_options *options = nim_options_create();
    char value[16] = "as before";
    assert_refused("set", nim_options_set(NULL, "kernel", "se", &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("set", nim_options_set(options, NULL, "se", &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("option"));
    assert_refused("set", nim_options_set(options, "kernel", NULL, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(NULL, "kernel", value, 16, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(options, NULL, value, 16, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("option"));
    assert_refused("get", nim_options_get(options, "kernel", NULL, 16, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(options, "kernel", value, 0, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("kernel"));
    assert_string_equal(value, "as before");
    assert_int_equal(nim_options_set(NULL, NULL, NULL, NULL), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_options_get(NULL, NULL, NULL, 0, NULL), NIM_INVALID_ARGUMENT);
    nim_options_free(options);
    nim_options_free(NULL);
}

static void null_model_and_trainer(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    refuse_create(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("options"));
    refuse_create(fixture.options, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("create", nim_model_create(fixture.options, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    refuse_training(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("model"));
    refuse_training(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("trainer", nim_trainer_create(fixture.model, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("trainer"));
    double bound = 12345.0;
    assert_refused("step", nim_trainer_step(NULL, &bound, &error), NIM_INVALID_ARGUMENT, &error,
                   WORDS("trainer"));
    assert_true(bound == 12345.0);
    nim_model_free(NULL);
    nim_trainer_free(NULL);
    fixture_free(&fixture);
}

static void null_in_looking_and_predicting(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    size_t count = 77;
    double mean[60], deviation[60];
    assert_refused("get", nim_model_get(NULL, "variances", mean, 60, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    assert_refused("get", nim_model_get(fixture.model, NULL, mean, 60, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("name"));
    assert_int_equal(count, 77);
    refuse_denoising(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("model"));
    refuse_denoising(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("denoise",
                   nim_model_denoise(fixture.model, &fixture.data, NULL, deviation, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("mean"));
    assert_refused("denoise", nim_model_denoise(fixture.model, &fixture.data, mean, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("deviation"));
    nim_predictor *predictor = UNTOUCHED;
    nim_prediction wanted = NIM_PREDICTION(0);
    assert_refused("predictor", nim_predictor_create(NULL, &predictor, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    assert_no_output("predictor", predictor);
    assert_refused("predictor", nim_predictor_create(fixture.model, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("predictor"));
    stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
    assert_refused("predict", nim_predict(NULL, &fixture.data, &wanted, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("predictor"));
    assert_refused("predict", nim_predict(predictor, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("prediction"));
    refuse_prediction(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    stop_on(nim_predict(predictor, &fixture.data, &wanted, &error), &error); /* nothing requested */
    nim_predictor_free(predictor);
    nim_predictor_free(NULL);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- shapes ---------------------- */

static void bad_shapes(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    const nim_data good = fixture.data;
    fixture.data.size = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("nim_data.size is 0", "NIM_DATA"));
    fixture.data = good;
    fixture.data.rows = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("no rows"));
    fixture.data = good;
    fixture.data.attributes = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("no attributes"));
    fixture.data = good;
    fixture.data.x = NULL;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("x is NULL"));
    fixture.data = good;
    fixture.data.sigma_rows = 29;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", "29", "30"));
    fixture.data.sigma_rows = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", " 0 ", "30"));
    fixture.data.sigma_rows = 31;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", "31", "30"));
    fixture_free(&fixture);
}

/* The table is narrower than the model's, so that all its cells exist. */
static void attributes_do_not_match(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_data narrow = fixture.data;
    narrow.attributes = 1;
    refuse_training(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    refuse_denoising(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    refuse_prediction(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- cells ----------------------- */

static void bad_cells(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    double *cell = &fixture.x[17 * 2 + 1], kept = *cell;
    *cell = INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 17", "attribute 1", "infinite"));
    *cell = -INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 17", "attribute 1", "infinite"));
    *cell = kept;
    cell = &fixture.sigma[29 * 2];
    *cell = -0.25;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0", "negative", "-0.25"));
    *cell = INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0", "infinite"));
    *cell = -INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0"));
    fixture.data.sigma_rows = 1; /* row 29 is no longer used, but row 0 is */
    fixture.sigma[1] = -1.0;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 0", "attribute 1", "negative"));
    fixture_free(&fixture);
}

static void a_column_all_missing(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.x[2 * i + 1] = NAN;
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("attribute 1", "missing"));
    set(fixture.options, "standardise", "0");
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("attribute 1", "missing"));
    fixture_free(&fixture);
}

static void bad_weights(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    double weights[30];
    for (size_t i = 0; i < 30; i++)
        weights[i] = 1.0;
    fixture.data.weights = weights;
    static const double bad[] = {-1.0, NAN, INFINITY, -INFINITY, -1e-300};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        weights[11] = bad[k];
        refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 11", "weight"));
    }
    memset(weights, 0, sizeof weights);
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("weights", "zero"));
    for (size_t i = 0; i < 30; i++)
        weights[i] = 1e308;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("weights", "sum to inf"));
    for (size_t i = 0; i < 30; i++)
        weights[i] = 1e-320;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("weights", "sum to"));
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- labels and classes ---------- */

static void bad_labels(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    fixture.data.labels = NULL;
    refuse_for_training(&fixture, NIM_INVALID_ARGUMENT, WORDS("labels", "NULL"));
    fixture.data.labels = fixture.labels;
    fixture.labels[13] = -1;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 13", "label -1"));
    fixture.labels[13] = INT32_MIN;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 13", "label"));
    fixture.labels[13] = 3; /* the model has three classes */
    refuse_training(fixture.model, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    refuse_denoising(fixture.model, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    set(fixture.options, "classes", "3");
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    fixture_free(&fixture);
}

static void too_few_classes(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    begin(&fixture, &small);
    set(fixture.options, "classes", "2"); /* row 2 has label 2 */
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("row 2", "label 2"));
    /* One class is an error of the option or, at the latest, of the model. */
    if (nim_options_set(fixture.options, "classes", "1", &error) == NIM_OK)
        refuse_create(fixture.options, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("classes", "1"));
    else
        assert_refused("set", error.status, NIM_INVALID_ARGUMENT, &error, WORDS("classes", "1"));
    set(fixture.options, "classes", "0");
    for (int32_t label = 0; label < 3; label += 2) {
        for (size_t i = 0; i < fixture.rows; i++)
            fixture.labels[i] = label;
        refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA,
                      WORDS("label", label ? "2" : "0"));
    }
    fixture_free(&fixture);
}

static void too_many_inducing_inputs(void **state) {
    (void)state;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    begin(&fixture, &small);
    set(fixture.options, "inducing", "31");
    refuse_create(fixture.options, &fixture.data, NIM_INVALID_ARGUMENT,
                  WORDS("inducing", "31", "30"));
    set(fixture.options, "inducing", "30");
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    assert_int_equal(nim_model_inducing(model), 30);
    nim_model_free(model);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- numbers, counts, sets ------- */

static struct problem small_of(const char *likelihood) {
    struct problem problem = small;
    problem.likelihood = likelihood;
    problem.classes = strcmp(likelihood, "probit") == 0 ? 2 : 3;
    return problem;
}

/* The target of row 17 is an error wherever targets are used, including log_density. */
static void refuse_targets(struct fixture *fixture, nim_status status, const char *const *words) {
    double density = 12345.0;
    nim_predictor *predictor;
    nim_error error;
    refuse_for_training(fixture, status, words);
    stop_on(nim_predictor_create(fixture->model, &predictor, &error), &error);
    nim_prediction wanted = NIM_PREDICTION(.log_density = &density);
    assert_refused("log_density", nim_predict(predictor, &fixture->data, &wanted, &error), status,
                   &error, words);
    assert_true(density == 12345.0);
    nim_predictor_free(predictor);
}

static void bad_numbers(void **state) {
    (void)state;
    static const char *const names[] = {"gaussian", "student_t"};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t n = 0; n < 2; n++) {
        struct problem problem = small_of(names[n]);
        struct fixture fixture;
        begin(&fixture, &problem);
        for (size_t k = 0; k < 3; k++) {
            fixture.targets[17] = bad[k];
            refuse_targets(&fixture, NIM_BAD_DATA, WORDS("row 17", "target"));
        }
        fixture.targets[17] = 0.0;
        double *error = calloc(fixture.rows, sizeof *error);
        fixture.data.target_sigma = error;
        for (size_t k = 0; k < 4; k++) {
            error[17] = k < 3 ? bad[k] : -0.5;
            refuse_targets(&fixture, NIM_BAD_DATA, WORDS("row 17", "of the target"));
        }
        free(error);
        fixture_free(&fixture);
    }
}

static void bad_counts(void **state) {
    (void)state;
    static const double bad[] = {-1.0, 0.5, 2.0000001, NAN, INFINITY, -INFINITY, 0x1p54, 1e300};
    static const double useless[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    struct problem problem = small_of("poisson");
    struct fixture fixture;
    begin(&fixture, &problem);
    double kept = fixture.targets[17];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        fixture.targets[17] = bad[k];
        refuse_targets(&fixture, NIM_BAD_DATA, WORDS("row 17", "count"));
    }
    fixture.targets[17] = kept;
    for (size_t k = 0; k < sizeof useless / sizeof *useless; k++) {
        double mean = 12345.0;
        nim_predictor *predictor;
        nim_error error;
        fixture.exposure[17] = useless[k];
        refuse_targets(&fixture, NIM_BAD_DATA, WORDS("row 17", "exposure"));
        stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
        assert_refused(
            "predict",
            nim_predict(predictor, &fixture.data, &NIM_PREDICTION(.mean = &mean), &error),
            NIM_BAD_DATA, &error, WORDS("row 17", "exposure"));
        assert_true(mean == 12345.0);
        nim_predictor_free(predictor);
    }
    fixture_free(&fixture);
}

static void bad_sets(void **state) {
    (void)state;
    static const double bad[] = {0.5, 2.0, -1.0, NAN, INFINITY};
    struct problem problem = small_of("multilabel");
    struct fixture fixture;
    begin(&fixture, &problem);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        fixture.targets[17 * 3 + 2] = bad[k];
        refuse_targets(&fixture, NIM_BAD_DATA, WORDS("row 17", "label 2"));
    }
    fixture_free(&fixture);
}

/* No targets, or a wrong number of columns. */
static void bad_targets(void **state) {
    (void)state;
    static const char *const names[] = {"gaussian", "student_t", "poisson", "multilabel"};
    for (size_t n = 0; n < 4; n++) {
        struct problem problem = small_of(names[n]);
        struct fixture fixture;
        begin(&fixture, &problem);
        fixture.data.targets = NULL;
        refuse_targets(&fixture, NIM_INVALID_ARGUMENT, WORDS("targets", "NULL"));
        fixture.data.targets = fixture.targets;
        fixture.data.outputs = 0;
        refuse_targets(&fixture, NIM_INVALID_ARGUMENT, WORDS("targets", "0 columns"));
        fixture.data.outputs = 2;
        if (n == 3) /* a new model would have two labels; this one has three */
            refuse_training(fixture.model, &fixture.data, NIM_INVALID_ARGUMENT,
                            WORDS("targets", "2 columns", "3"));
        else
            refuse_targets(&fixture, NIM_INVALID_ARGUMENT, WORDS("targets", "2 columns", "1"));
        fixture_free(&fixture);
    }
}

static void bad_levels(void **state) {
    (void)state;
    struct problem problem = small_of("ordinal");
    struct fixture fixture;
    begin(&fixture, &problem);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = i % 2 ? 3 : 0; /* none has 1 or 2 */
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("level 1", "0 .. 3"));
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = 1 + (int32_t)i % 2;
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("level 0"));
    set(fixture.options, "classes", "4"); /* more than there are */
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = (int32_t)(i % 3);
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("level 3"));
    fixture_free(&fixture);
}

static void probit_of_three(void **state) {
    (void)state;
    struct problem problem = small_of("probit");
    struct fixture fixture;
    begin(&fixture, &problem);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = (int32_t)(i % 3);
    refuse_create(fixture.options, &fixture.data, NIM_INVALID_ARGUMENT,
                  WORDS("probit", "2 classes", "3"));
    fixture_free(&fixture);
}

/* A model is asked for a prediction of another kind of target. */
static void the_wrong_question(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        struct problem problem = small_of(likelihood_list[l]->name);
        struct fixture fixture;
        nim_predictor *predictor;
        nim_error error;
        double value = 12345.0, gain[2] = {12345.0};
        const double level = 0.5;
        begin(&fixture, &problem);
        bool number = nim_model_classes(fixture.model) == 0;
        const nim_prediction wrong[] = {
            number ? NIM_PREDICTION(.probabilities = &value) : NIM_PREDICTION(.mean = &value),
            number ? NIM_PREDICTION(.entropy = &value) : NIM_PREDICTION(.deviation = &value),
            number ? NIM_PREDICTION(.model_part = &value)
                   : NIM_PREDICTION(.quantiles = &value, .levels = &level, .level_count = 1),
            number ? NIM_PREDICTION(.measurement_part = &value)
                   : NIM_PREDICTION(.mean = &value, .latent_mean = &value)};
        stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
        for (size_t k = 0; k < 4; k++) {
            assert_refused("predict", nim_predict(predictor, &fixture.data, &wrong[k], &error),
                           NIM_INVALID_ARGUMENT, &error, WORDS(likelihood_list[l]->name));
            assert_true(value == 12345.0);
        }
        nim_data one = rows_of(&fixture.data, 0, 1);
        nim_status status = nim_remeasure(predictor, &one, gain, &error);
        if (number) {
            assert_refused("remeasure", status, NIM_INVALID_ARGUMENT, &error,
                           WORDS(likelihood_list[l]->name));
            assert_true(gain[0] == 12345.0);
        } else
            stop_on(status, &error);
        nim_predictor_free(predictor);
        fixture_free(&fixture);
    }
}

static void bad_levels_of_quantiles(void **state) {
    (void)state;
    static const double bad[] = {0.0, 1.0, -0.1, 1.5, NAN, INFINITY};
    struct problem problem = small_of("gaussian");
    struct fixture fixture;
    nim_predictor *predictor;
    nim_error error;
    double value[60] = {12345.0}, levels[2] = {0.5, 0.5};
    begin(&fixture, &problem);
    stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
    nim_prediction wanted = NIM_PREDICTION(.quantiles = value, .levels = levels, .level_count = 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        levels[1] = bad[k];
        assert_refused("predict", nim_predict(predictor, &fixture.data, &wanted, &error),
                       NIM_INVALID_ARGUMENT, &error, WORDS("level"));
    }
    wanted.levels = NULL;
    assert_refused("predict", nim_predict(predictor, &fixture.data, &wanted, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("levels", "NULL"));
    assert_true(value[0] == 12345.0);
    wanted.level_count = 0; /* none requested in this case */
    stop_on(nim_predict(predictor, &fixture.data, &wanted, &error), &error);
    nim_predictor_free(predictor);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_options),
        cmocka_unit_test(null_model_and_trainer),
        cmocka_unit_test(null_in_looking_and_predicting),
        cmocka_unit_test(bad_shapes),
        cmocka_unit_test(attributes_do_not_match),
        cmocka_unit_test(bad_cells),
        cmocka_unit_test(a_column_all_missing),
        cmocka_unit_test(bad_weights),
        cmocka_unit_test(bad_labels),
        cmocka_unit_test(too_few_classes),
        cmocka_unit_test(too_many_inducing_inputs),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(bad_counts),
        cmocka_unit_test(bad_sets),
        cmocka_unit_test(bad_targets),
        cmocka_unit_test(bad_levels),
        cmocka_unit_test(probit_of_three),
        cmocka_unit_test(the_wrong_question),
        cmocka_unit_test(bad_levels_of_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
