/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct problem small = {.classes = 3,
                              .attributes = 2,
                              .inducing = 6,
                              .rows = 30,
                              .kernel = "se",
                              .input = "latent",
                              .noise = "given"};

void set(nim_options *options, const char *name, const char *value) {
    nim_error error;
    if (nim_options_set(options, name, value, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

void stop_on(nim_status status, const nim_error *error) {
    if (status != NIM_OK)
        fail_msg("%s", error->message);
    assert_int_equal(error->status, NIM_OK);
    assert_string_equal(error->message, "");
}

void begin(struct fixture *fixture, const struct problem *problem) {
    fixture_create(fixture, problem);
    set(fixture->options, "threads", "1");
    set(fixture->options, "epochs", "3");
    set(fixture->options, "points", "16");
}

void assert_refused(const char *where, nim_status got, nim_status wanted, const nim_error *error,
                    const char *const *words) {
    if (got != wanted)
        fail_msg("%s: status %d instead of %d (%s)", where, (int)got, (int)wanted, error->message);
    assert_int_equal(error->status, wanted);
    if (!error->message[0] || strchr(error->message, '\n'))
        fail_msg("%s: '%s' is not one line", where, error->message);
    for (; *words; words++)
        if (!strstr(error->message, *words))
            fail_msg("%s: '%s' does not say '%s'", where, error->message, *words);
}

char untouched;

void assert_no_output(const char *where, const void *output) {
    if (output != NULL && output != UNTOUCHED)
        fail_msg("%s: there is an output after failure", where);
}

void refuse_create(const nim_options *options, const nim_data *data, nim_status status,
                   const char *const *words) {
    nim_error error;
    nim_model *model = UNTOUCHED;
    assert_refused("create", nim_model_create(options, data, &model, &error), status, &error,
                   words);
    assert_no_output("create", model);
    assert_int_equal(nim_model_create(options, data, &model, NULL), status);
}

void refuse_training(nim_model *model, const nim_data *data, nim_status status,
                     const char *const *words) {
    nim_error error;
    nim_trainer *trainer = UNTOUCHED;
    size_t epochs = model ? nim_model_epochs(model) : 0;
    assert_refused("trainer", nim_trainer_create(model, data, &trainer, &error), status, &error,
                   words);
    assert_no_output("trainer", trainer);
    assert_int_equal(nim_trainer_create(model, data, &trainer, NULL), status);
    assert_refused("train", nim_model_train(model, data, NULL, NULL, &error), status, &error,
                   words);
    assert_int_equal(nim_model_train(model, data, NULL, NULL, NULL), status);
    if (model)
        assert_int_equal(nim_model_epochs(model), epochs);
}

void refuse_denoising(const nim_model *model, const nim_data *data, nim_status status,
                      const char *const *words) {
    enum { CELLS = 1000 };
    static double mean[CELLS], deviation[CELLS];
    nim_error error;
    mean[0] = deviation[0] = 12345.0;
    assert_refused("denoise", nim_model_denoise(model, data, mean, deviation, &error), status,
                   &error, words);
    assert_int_equal(nim_model_denoise(model, data, mean, deviation, NULL), status);
    assert_true(mean[0] == 12345.0 && deviation[0] == 12345.0);
}

void refuse_prediction(const nim_model *model, const nim_data *data, nim_status status,
                       const char *const *words) {
    double p = 12345.0;
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    nim_prediction wanted = {.probabilities = &p};
    assert_refused("predict", nim_predict(predictor, data, &wanted, &error), status, &error, words);
    assert_int_equal(nim_predict(predictor, data, &wanted, NULL), status);
    assert_true(p == 12345.0);
    nim_predictor_free(predictor);
}

void refuse_everywhere(const struct fixture *fixture, nim_status status, const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
    refuse_prediction(fixture->model, &fixture->data, status, words);
}

void refuse_for_training(const struct fixture *fixture, nim_status status,
                         const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
}

void assert_finite(const double *values, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            fail_msg("%s %zu of %zu is %g", what, i, count, values[i]);
}

/* All arrays of a model, but for the squares of units that no double can hold. */
void check_arrays(const nim_model *model, bool ordinary_units) {
    static const char *const names[] = {"lengthscales",    "variances", "white_noise",
                                        "inducing_inputs", "relevance", "epsilon",
                                        "noise_variance"};
    for (size_t k = 0; k < (ordinary_units ? 7 : 6); k++) {
        nim_error error;
        size_t count = 0, again = 0;
        stop_on(nim_model_get(model, names[k], NULL, &count, &error), &error);
        assert_true(count > 0);
        double *values = malloc(count * sizeof *values);
        stop_on(nim_model_get(model, names[k], values, &again, &error), &error);
        assert_int_equal(count, again);
        stop_on(nim_model_get(model, names[k], values, NULL, &error), &error);
        assert_finite(values, count, names[k]);
        free(values);
    }
}

void check_probabilities(const double *p, size_t rows, size_t classes, const char *what) {
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t c = 0; c < classes; c++) {
            double value = p[i * classes + c];
            if (!(value >= 0.0 && value <= 1.0))
                fail_msg("%s: probability of class %zu, row %zu, is %g", what, c, i, value);
            sum += value;
        }
        if (!(fabs(sum - 1.0) < 1e-9))
            fail_msg("%s: probabilities of row %zu sum to %.12g", what, i, sum);
    }
}

void check_prediction(const nim_model *model, const nim_data *data, const char *what) {
    nim_predictor *predictor;
    nim_error error;
    size_t rows = data->rows, classes = nim_model_classes(model), cells = rows * classes;
    double *values = malloc((3 * cells + rows) * sizeof *values);
    nim_prediction wanted = {.probabilities = values,
                             .entropy = values + 3 * cells,
                             .latent_mean = values + cells,
                             .latent_variance = values + 2 * cells};
    nim_data unlabelled = *data;
    unlabelled.labels = NULL;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, &unlabelled, &wanted, &error), &error);
    check_probabilities(wanted.probabilities, rows, classes, what);
    assert_finite(wanted.latent_mean, cells, "latent mean");
    assert_finite(wanted.latent_variance, cells, "latent variance");
    for (size_t i = 0; i < cells; i++)
        assert_true(wanted.latent_variance[i] >= 0.0);
    for (size_t i = 0; i < rows; i++)
        assert_true(wanted.entropy[i] >= 0.0 && wanted.entropy[i] <= log((double)classes) + 1e-9);
    nim_predictor_free(predictor);
    free(values);
}

void check_denoising(const nim_model *model, const nim_data *data) {
    nim_error error;
    size_t cells = data->rows * data->attributes;
    double *mean = malloc(2 * cells * sizeof *mean), *deviation = mean + cells;
    stop_on(nim_model_denoise(model, data, mean, deviation, &error), &error);
    assert_finite(mean, cells, "denoised mean");
    assert_finite(deviation, cells, "denoised deviation");
    for (size_t i = 0; i < cells; i++)
        assert_true(deviation[i] >= 0.0);
    free(mean);
}

/* Largest magnitude whose square is a double. */
